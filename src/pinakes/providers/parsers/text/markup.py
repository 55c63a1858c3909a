"""reStructuredText and Org: their headings, blocks, links and tables put into the one form all documents have."""

import re
import textwrap
from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise

from pinakes.domain.parsing import ParsedDocument
from pinakes.providers.parsers.outline import Outline
from pinakes.providers.parsers.text.plain import decode
from pinakes.providers.parsers.titles import choose_title

_DEEPEST_DIRECTIVE = 8
_LONGEST_HEADING = 1_000
_ADORNMENT = re.compile(r"([!-/:-@\[-`{-~])\1{2,}\s*")
_DIRECTIVE = re.compile(r"\.\. (?:\|[^|]+\| )?([\w:+.-]+?):: ?(.*)")
_OPTION = re.compile(r"\s*:[\w -]+:(?: .*)?")
_CODE_DIRECTIVES = frozenset(("code", "code-block", "sourcecode", "parsed-literal", "math", "doctest", "testcode"))
_SILENT_DIRECTIVES = frozenset(
    {
        *("toctree", "contents", "include", "literalinclude", "raw", "index", "highlight", "image", "meta", "role"),
        *("unicode", "default-role", "sectnum", "currentmodule", "automodule", "autoclass", "autofunction"),
    }
)
# Of these the argument is a caption, of those it is an address or a condition; of all others it is text.
_CAPTIONED_DIRECTIVES = frozenset(("table", "list-table", "csv-table"))
_ADDRESSED_DIRECTIVES = frozenset(("figure", "container", "only", "class", "rst-class"))
_GRID_BORDER = re.compile(r"\+(?:[-=]+\+)+\s*")
_SIMPLE_BORDER = re.compile(r"=+(?: +=+)+\s*")
_RST_INLINE = (
    (re.compile(r"``(.+?)``"), r"`\1`"),
    (re.compile(r"`([^`<>]{1,300}?)\s?<(https?://[^`<>\s]{1,100})>`__?"), r"[\1](\2)"),
    (re.compile(r"(?::[\w:+.-]{1,40}:)?`([^`<>]{1,300}?)\s?<[^`<>]{1,300}>`(?:__?)?"), r"\1"),
    (re.compile(r":[\w:+.-]{1,40}:`[~!]?([^`]{1,300})`"), r"\1"),
    (re.compile(r"`([^`]+)`__?"), r"\1"),
)
_ORG_HEADING = re.compile(
    r"(\*+) +(?:(?:TODO|DONE|NEXT|WAITING|CANCELLED) +)?(?:\[#\w\] +)?(.*?)(?:\s+:[\w@#%:]+:)?\s*"
)
_ORG_BLOCK = re.compile(r"\s*#\+begin_(\w+)(?: +(\S+))?.*", re.IGNORECASE)
_ORG_TITLE = re.compile(r"#\+title:\s*(.+)", re.IGNORECASE)
_ORG_DRAWER = re.compile(r"\s*:[\w-]+:\s*")
_ORG_RULE = re.compile(r"\s*\|[-+]+\|?\s*")
_ORG_PROSE_BLOCKS = frozenset(("quote", "center", "verse", "abstract", "note", "tip", "warning", "details"))
_ORG_INLINE = (
    (re.compile(r"\[\[(https?://[^\[\]\s]{1,100})\]\[([^\[\]]{1,300})\]\]"), r"[\2](\1)"),
    (re.compile(r"\[\[[^\[\]]{1,300}\]\[([^\[\]]{1,300})\]\]"), r"\1"),
    (re.compile(r"\[\[(?:file:)?([^\[\]]{1,300})\]\]"), r"\1"),
    (re.compile(r"(?<![\w~=])([~=])([^\s~=](?:[^~=\n]*[^\s~=])?)\1(?![\w~=])"), r"`\2`"),
)


def parse_rst(content: bytes) -> ParsedDocument:
    """Headings by their underlines, code in fences, tables as tables; comments and targets are left out."""
    lines = _expand(decode(content))
    outline = Outline()
    levels: list[str] = []
    titles: list[str] = []
    at = 0
    while at < len(lines):
        if heading := _find_rst_heading(lines, at):
            style, title, at = heading
            if style not in levels:
                levels.append(style)
            titles.append(_plain(_RST_INLINE, title))
            outline.add_heading(titles[-1], levels.index(style) + 1)
        else:
            at = _read_rst_block(outline, lines, at)
    return outline.finish(title=choose_title(*titles[:1]))


def parse_org(content: bytes) -> ParsedDocument:
    """Headings by their stars, code in fences, tables as tables; settings and drawers are left out."""
    lines = _expand(decode(content))
    outline = Outline()
    titles: list[str] = []
    at = 0
    while at < len(lines):
        if named := _ORG_TITLE.fullmatch(lines[at]):
            titles.insert(0, named[1])
            outline.add_paragraph(named[1])
            at += 1
        elif (heading := _match_org_heading(lines[at])) and heading[2]:
            titles.append(_plain(_ORG_INLINE, heading[2]))
            outline.add_heading(titles[-1], len(heading[1]))
            at += 1
        else:
            at = _read_org_block(outline, lines, at)
    return outline.finish(title=choose_title(*titles[:1]))


def _match_org_heading(line: str) -> re.Match[str] | None:
    # The search for tags at the end takes time with the square of the length.
    return _ORG_HEADING.fullmatch(line) if len(line) <= _LONGEST_HEADING else None


def _expand(text: str) -> list[str]:
    return text.expandtabs(8).splitlines()


def _plain(patterns: Sequence[tuple[re.Pattern[str], str]], text: str) -> str:
    for pattern, replacement in patterns:
        text = pattern.sub(replacement, text)
    return text


def _find_rst_heading(lines: Sequence[str], at: int) -> tuple[str, str, int] | None:
    """The style of the heading that begins here, its text and the line after it."""
    line, under, below = (lines[at + ahead].rstrip() if at + ahead < len(lines) else "" for ahead in range(3))
    if _ADORNMENT.fullmatch(line) and line == below and under.strip() and not _ADORNMENT.fullmatch(under):
        return f"{line[0]}{line[0]}", under.strip(), at + 3
    if line and not line[0].isspace() and _ADORNMENT.fullmatch(under) and not _ADORNMENT.fullmatch(line):
        return (under[0], line, at + 2) if len(under) >= min(len(line), 4) else None
    return None


def _read_rst_block(outline: Outline, lines: Sequence[str], at: int, depth: int = 0) -> int:
    line = lines[at]
    if not line.strip() or _ADORNMENT.fullmatch(line):
        return at + 1
    if depth < _DEEPEST_DIRECTIVE and (line.startswith(".. ") or line.rstrip() == ".."):
        return _read_directive(outline, lines, at, depth)
    if _GRID_BORDER.fullmatch(line) or _SIMPLE_BORDER.fullmatch(line):
        end = _find_end(lines, at, _is_blank)
        make = _split_grid if line.startswith("+") else _split_simple
        outline.add_table([[_plain(_RST_INLINE, cell) for cell in row] for row in make(lines[at:end])])
        return end
    end = _find_end(lines, at, _is_blank)
    paragraph = _dedent(lines[at:end])
    literal = paragraph.endswith("::")
    if literal:
        paragraph = paragraph[:-1] if len(paragraph) > 2 and not paragraph[-3].isspace() else paragraph[:-2]
    outline.add_paragraph(_plain(_RST_INLINE, paragraph))
    return _read_literal(outline, lines, end, "") if literal else end


def _read_directive(outline: Outline, lines: Sequence[str], at: int, depth: int) -> int:
    end = _find_end(lines, at + 1, _is_outside)
    directive = _DIRECTIVE.fullmatch(lines[at].rstrip())
    if directive is None:
        return end
    name, argument = directive[1].lower(), directive[2].strip()
    inner = at + 1
    while inner < end and _OPTION.fullmatch(lines[inner]):
        inner += 1
    if name in _CODE_DIRECTIVES:
        return _read_literal(outline, lines, inner, argument if name.startswith(("code", "source")) else "")
    if name in _SILENT_DIRECTIVES:
        return end
    start = inner
    if argument and name not in _ADDRESSED_DIRECTIVES:
        inner = _find_end(lines, inner, _is_blank)
        lead = "" if name in _CAPTIONED_DIRECTIVES else f"{name.capitalize()}: "
        text = " ".join([argument, *(line.strip() for line in lines[start:inner])])
        outline.add_paragraph(lead + _plain(_RST_INLINE, text))
    body = _dedent(lines[inner:end]).split("\n")
    position = 0
    while position < len(body):
        position = _read_rst_block(outline, body, position, depth + 1)
    return end


def _read_literal(outline: Outline, lines: Sequence[str], at: int, language: str) -> int:
    end = _find_end(lines, at, _is_outside)
    _add_code(outline, _dedent(lines[at:end]), language)
    return end


def _add_code(outline: Outline, code: str, language: str) -> None:
    if code.strip():
        fence = "````" if "```" in code else "```"
        outline.add_paragraph(f"{fence}{language}\n{code}\n{fence}")


def _find_end(lines: Sequence[str], at: int, ends: Callable[[str], bool]) -> int:
    return next((index for index in range(at, len(lines)) if ends(lines[index])), len(lines))


def _is_blank(line: str) -> bool:
    return not line.strip()


def _is_outside(line: str) -> bool:
    return bool(line.strip()) and not line[0].isspace()


def _dedent(lines: Sequence[str]) -> str:
    return textwrap.dedent("\n".join(lines)).strip("\n")


def _split_grid(lines: Sequence[str]) -> Iterator[list[str]]:
    edges = [index for index, sign in enumerate(lines[0]) if sign == "+"]
    cells: list[list[str]] = [[] for _ in edges[1:]]
    for line in lines[1:]:
        if line.startswith("+"):
            yield [" ".join(filter(None, cell)) for cell in cells]
            cells = [[] for _ in edges[1:]]
        else:
            for cell, (left, right) in zip(cells, pairwise(edges), strict=True):
                cell.append(line[left + 1 : right].strip())


def _split_simple(lines: Sequence[str]) -> Iterator[list[str]]:
    columns = [(match.start(), match.end()) for match in re.finditer("=+", lines[0])]
    columns[-1] = (columns[-1][0], max(map(len, lines)))
    row: list[str] = []
    for line in lines[1:]:
        if set(line) <= set("= -"):
            continue
        cells = [line[left:right].strip() for left, right in columns]
        if cells[0] or not row:
            if row:
                yield row
            row = cells
        else:
            # A row without a first cell goes on with the one above.
            row = [f"{above} {cell}".strip() for above, cell in zip(row, cells, strict=True)]
    if row:
        yield row


def _read_org_block(outline: Outline, lines: Sequence[str], at: int) -> int:
    line = lines[at]
    if block := _ORG_BLOCK.fullmatch(line):
        kind = block[1].lower()
        end = _find_end(lines, at + 1, lambda text: text.strip().lower() == f"#+end_{kind}")
        if kind in _ORG_PROSE_BLOCKS:
            outline.add_paragraph(_plain(_ORG_INLINE, _dedent(lines[at + 1 : end])))
        elif kind != "comment":
            _add_code(outline, _dedent(lines[at + 1 : end]), (block[2] or "") if kind == "src" else "")
        return end + 1
    if _ORG_DRAWER.fullmatch(line):
        return _find_end(lines, at, lambda text: text.strip().lower() == ":end:") + 1
    if _is_blank(line) or _is_org_setting(line):
        return at + 1
    if line.lstrip().startswith("|"):
        end = _find_end(lines, at, lambda text: not text.lstrip().startswith("|"))
        rows = [text.strip().strip("|").split("|") for text in lines[at:end] if not _ORG_RULE.fullmatch(text)]
        outline.add_table([[_plain(_ORG_INLINE, cell) for cell in row] for row in rows])
        return end
    end = _find_end(lines, at + 1, _ends_org_paragraph)
    outline.add_paragraph(_plain(_ORG_INLINE, _dedent(lines[at:end])))
    return end


def _is_org_setting(line: str) -> bool:
    return line.lstrip().startswith(("#+", "# ")) or line.strip() == "#"


def _ends_org_paragraph(line: str) -> bool:
    return _is_blank(line) or _is_org_setting(line) or _match_org_heading(line) is not None or line[:1] == "|"
