"""Source code: the text exactly as in the file, cut at its definitions, each named by its path."""

import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, cast

import tree_sitter_c
import tree_sitter_c_sharp
import tree_sitter_cpp
import tree_sitter_go
import tree_sitter_java
import tree_sitter_javascript
import tree_sitter_php
import tree_sitter_python
import tree_sitter_ruby
import tree_sitter_rust
import tree_sitter_typescript
from tree_sitter import Language, Node, Parser, Tree

from pinakes.domain.parsing import MediaType, ParsedDocument, Section
from pinakes.providers.parsers.text.plain import decode, parse_text

_GRAMMARS = {
    "text/x-python": Language(tree_sitter_python.language()),
    "text/x-javascript": Language(tree_sitter_javascript.language()),
    "text/x-typescript": Language(tree_sitter_typescript.language_typescript()),
    "text/x-tsx": Language(tree_sitter_typescript.language_tsx()),
    "text/x-java": Language(tree_sitter_java.language()),
    "text/x-go": Language(tree_sitter_go.language()),
    "text/x-rust": Language(tree_sitter_rust.language()),
    "text/x-c": Language(tree_sitter_c.language()),
    "text/x-c++": Language(tree_sitter_cpp.language()),
    "text/x-csharp": Language(tree_sitter_c_sharp.language()),
    "text/x-ruby": Language(tree_sitter_ruby.language()),
    "text/x-php": Language(tree_sitter_php.language_php()),
}
# A tree takes ten times the memory of its text, and no person writes such a file.
_LARGEST_BYTES = 5_000_000
# Text that is not of the language it claims can take minutes to make sense of.
_PATIENCE_SECONDS = 10
# A class up to this size is read as a whole; of a longer one each method is a section.
_WHOLE_CLASS_BYTES = 2_000
_DEEPEST = 8
_LONGEST_NAME = 120
_FUNCTIONS = frozenset(
    {
        *("function_definition", "function_declaration", "generator_function_declaration", "function_item"),
        *("function_signature", "method_declaration", "method_definition", "constructor_declaration", "method"),
        *("singleton_method", "macro_definition", "local_function_statement"),
    }
)
_CLASSES = frozenset(
    {
        *("class_definition", "class_declaration", "abstract_class_declaration", "class_specifier", "struct_specifier"),
        *(
            "union_specifier",
            "enum_specifier",
            "interface_declaration",
            "enum_declaration",
            "record_declaration",
            "class",
        ),
        *(
            "struct_declaration",
            "trait_declaration",
            "struct_item",
            "enum_item",
            "union_item",
            "trait_item",
            "impl_item",
        ),
        *("type_declaration", "type_alias_declaration", "type_definition", "type_item"),
    }
)
_NAMESPACES = frozenset(
    ("namespace_definition", "namespace_declaration", "internal_module", "mod_item", "module", "singleton_class")
)
_DEFINITIONS = _FUNCTIONS | _CLASSES | _NAMESPACES
# What stands around a definition without being one.
_WRAPPERS = frozenset(
    {
        *("decorated_definition", "export_statement", "ambient_declaration", "expression_statement"),
        *("template_declaration", "lexical_declaration", "variable_declaration", "variable_declarator"),
    }
)
_FUNCTION_VALUES = frozenset(("arrow_function", "function_expression", "generator_function", "class"))
# What only encloses definitions: a header's guard, `extern "C"`.
_TRANSPARENT = frozenset(("preproc_ifdef", "preproc_if", "preproc_else", "linkage_specification", "ERROR"))
_BODIES = frozenset(("declaration_list", "class_body", "body_statement", "block", "field_declaration_list"))
# What belongs to the definition that follows it.
_LEADS = frozenset(("comment", "line_comment", "block_comment", "attribute_item", "inner_attribute_item"))


@dataclass(frozen=True, slots=True)
class _Cut:
    """From here on, in bytes, the text belongs to the definition of this path."""

    start: int
    path: tuple[str, ...]


def parse_code(content: bytes, language: MediaType) -> ParsedDocument:
    """The file as it is; each top-level definition is a section, and so is each method of a long class."""
    text = decode(content)
    source = text.encode("utf-8", "surrogatepass")
    if len(source) > _LARGEST_BYTES:
        return parse_text(content)
    tree = _parse_tree(source, language)
    if tree is None:
        return parse_text(content)
    cuts = [_Cut(0, ())]
    for cut in _find_cuts(source, tree.root_node, (), 0):
        if cut.start > cuts[-1].start:
            cuts.append(cut)
        else:
            # A definition at the very beginning leaves nothing before it.
            cuts[-1] = _Cut(cuts[-1].start, cut.path)
    return ParsedDocument(text, _make_sections(source, cuts))


def _parse_tree(source: bytes, language: MediaType) -> Tree | None:
    with warnings.catch_warnings():
        # What the library offers in its place crashes.
        warnings.simplefilter("ignore", DeprecationWarning)
        parser = cast("Any", Parser)(_GRAMMARS[language], timeout_micros=_PATIENCE_SECONDS * 1_000_000)
    try:
        return cast("Tree", parser.parse(source))
    except ValueError:
        return None


def _find_cuts(source: bytes, parent: Node, path: tuple[str, ...], depth: int) -> Iterator[_Cut]:
    """Where definitions begin, and where what follows them belongs to the parent again."""
    lead: Node | None = None
    previous: Node | None = None
    inside = False
    for node in _flatten(parent):
        definition = _unwrap(node)
        if definition is None and node.type in _LEADS:
            trails = previous is not None and node.start_point.row == _last_row(previous)
            lead = None if trails else (lead if lead and _touch(previous, node) else node)
        elif definition is None:
            if inside:
                yield _Cut(_line_start(source, lead if lead and _touch(previous, node) else node, previous), path)
            inside, lead = False, None
        else:
            first = lead if lead and _touch(previous, node) else node
            own = (*path, *_name(definition))
            yield _Cut(_line_start(source, first, None if first is lead else previous), own)
            if depth < _DEEPEST and _is_divided(definition):
                yield from _find_cuts(source, _find_body(definition) or definition, own, depth + 1)
            inside, lead = True, None
        previous = node


def _flatten(parent: Node) -> Iterator[Node]:
    waiting = list(reversed(parent.named_children))
    while waiting:
        node = waiting.pop()
        if node.type in _TRANSPARENT or (node.type == "declaration_list" and parent.type not in _DEFINITIONS):
            waiting.extend(reversed(node.named_children))
        else:
            yield node


def _unwrap(node: Node) -> Node | None:
    """The definition that a statement consists of, if it is one with a body or a name."""
    for _ in range(_DEEPEST):
        if node.type in _DEFINITIONS:
            # `struct s` alone mentions a type, and `namespace n;` is a line like an import.
            mention = node.type.endswith("_specifier") or node.type in _NAMESPACES
            return None if mention and _find_body(node) is None else node
        if node.type == "variable_declarator":
            value = node.child_by_field_name("value")
            return node if value is not None and value.type in _FUNCTION_VALUES else None
        if node.type not in _WRAPPERS:
            return None
        inner = next((child for child in node.named_children if child.type in _WRAPPERS | _DEFINITIONS), None)
        if inner is None:
            return None
        node = inner
    return None


def _name(definition: Node) -> tuple[str, ...]:
    if definition.type == "impl_item":
        return _texts(definition.child_by_field_name("type"))
    if receiver := definition.child_by_field_name("receiver"):
        owner = receiver.named_children[0].child_by_field_name("type") if receiver.named_children else None
        return (*(name.lstrip("*") for name in _texts(owner)), *_texts(definition.child_by_field_name("name")))
    if definition.type == "type_declaration":
        specs = definition.named_children
        return _texts(specs[0].child_by_field_name("name")) if specs else ()
    node = definition
    while declarator := node.child_by_field_name("declarator"):
        node = declarator
    return _texts(node.child_by_field_name("name") if node is definition else node)


def _texts(node: Node | None) -> tuple[str, ...]:
    name = " ".join((node.text or b"").decode("utf-8", "replace").split()) if node else ""
    return (name[:_LONGEST_NAME],) if name else ()


def _is_divided(definition: Node) -> bool:
    if definition.type in _NAMESPACES:
        return True
    return definition.type in _CLASSES and definition.end_byte - definition.start_byte > _WHOLE_CLASS_BYTES


def _find_body(definition: Node) -> Node | None:
    body = definition.child_by_field_name("body")
    return body or next((child for child in definition.named_children if child.type in _BODIES), None)


def _touch(above: Node | None, below: Node) -> bool:
    return above is not None and below.start_point.row <= _last_row(above) + 1


def _last_row(node: Node) -> int:
    # Some nodes hold the line end that follows them.
    return node.end_point.row - (node.end_point.column == 0 and node.end_point.row > node.start_point.row)


def _line_start(source: bytes, node: Node, previous: Node | None) -> int:
    start = source.rfind(b"\n", 0, node.start_byte) + 1
    # Where something else stands on the same line, the cut is behind it.
    return max(start, previous.end_byte) if previous and not source[start : node.start_byte].isspace() else start


def _make_sections(source: bytes, cuts: list[_Cut]) -> tuple[Section, ...]:
    sections: list[Section] = []
    start = 0
    for cut, after in pairwise([*cuts, _Cut(len(source), ())]):
        end = start + len(source[cut.start : after.start].decode("utf-8", "surrogatepass"))
        if sections and (not source[cut.start : after.start].strip() or sections[-1].headings == cut.path):
            sections[-1] = Section(sections[-1].start, end, headings=sections[-1].headings)
        else:
            sections.append(Section(start, end, headings=cut.path))
        start = end
    return tuple(sections)
