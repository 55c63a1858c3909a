"""Source code: the text stays as it is and is cut at its definitions."""

import itertools
from collections.abc import AsyncIterator

import pytest

from pinakes.domain.chunking import chunk_document
from pinakes.domain.parsing import ParsedDocument
from pinakes.providers.parsers.pool import ParserLimits, ParserPool
from pinakes.providers.parsers.text.code import parse_code
from pinakes.providers.parsers.text.languages import STRUCTURED

_PYTHON = '''"""What the module is for."""
import os

LIMIT = 3


# Why it is here.
@decorated
class Server:
    """Serves."""

    def start(self) -> None:
        pass


async def main() -> None:
    pass


if __name__ == "__main__":
    main()
'''
_LONG_METHOD = "        x = 'ä'\n" * 80
_SAMPLES: dict[str, tuple[str, list[tuple[str, ...]]]] = {
    "javascript": (
        (
            "// licence\nimport a from 'b';\n\n/** doc */\nexport class A { m() {} }\nexport default function f() {}\n"
            "const g = (x) => x;\nmodule.exports = { g };\n"
        ),
        [(), ("A",), ("f",), ("g",), ()],
    ),
    "typescript": (
        (
            "interface I { a: string }\ntype T = string;\nnamespace N {\n  export function q() {}\n}\n"
            "export abstract class C<T> { m(): void {} }\n"
        ),
        [("I",), ("T",), ("N",), ("N", "q"), ("C",)],
    ),
    "tsx": ("export const Page = () => <p>hi</p>;\n", [("Page",)]),
    "java": (
        "package a;\nimport b;\n/** doc */\n@X public class A { void m() {} }\nenum E { A }\n",
        [(), ("A",), ("E",)],
    ),
    "go": (
        'package a\nimport "b"\n// doc\nfunc F() {}\nfunc (s *S) M() {}\ntype S struct { a int }\nvar x = 1\n',
        [(), ("F",), ("S", "M"), ("S",), ()],
    ),
    "rust": (
        "use a;\n/// doc\n#[derive(X)]\npub struct S { a: i32 }\nimpl T for S { fn q() {} }\nfn f() {}\n",
        [(), ("S",), ("f",)],
    ),
    "c": (
        "#include <a.h>\n#define X 1\n/* doc */\nstatic char *g(void) { return 0; }\nstruct S { int a; };\n",
        [(), ("g",), ("S",)],
    ),
    "c++": (
        (
            "#ifndef G\n#define G\nnamespace n {\nclass A { void m() {} };\n}\n"
            'extern "C" {\nint zz(void) { return 1; }\n}\nint A::q() { return 1; }\n#endif\n'
        ),
        [(), ("n",), ("n", "A"), (), ("zz",), ("A::q",)],
    ),
    "csharp": ("using A;\nnamespace N {\n  public class C { void M() {} }\n}\n", [(), ("N",), ("N", "C")]),
    "ruby": ("require 'a'\n# doc\nmodule M\n  class A\n  end\nend\ndef f; end\n", [(), ("M",), ("M", "A"), ("f",)]),
    "php": (
        "<?php\nnamespace N;\nuse A;\n/** doc */\nclass C { function m() {} }\nfunction f() {}\n?>\n<p>x</p>",
        [(), ("C",), ("f",), ()],
    ),
}


@pytest.fixture
async def pool() -> AsyncIterator[ParserPool]:
    """A pool of one child."""
    pool = ParserPool(size=1, limits=ParserLimits())
    yield pool
    await pool.close()


def parts(parsed: ParsedDocument) -> list[tuple[tuple[str, ...], str]]:
    """Each section's headings and text; all texts together are the file."""
    assert "".join(parsed.text[part.start : part.end] for part in parsed.sections) == parsed.text
    assert not parsed.markdown
    return [(part.headings, parsed.text[part.start : part.end]) for part in parsed.sections]


def test_definitions_are_sections_with_their_comments_and_decorators() -> None:
    # K5
    found = parts(parse_code(_PYTHON.encode(), "text/x-python"))
    assert [headings for headings, _ in found] == [(), ("Server",), ("main",), ()]
    assert found[0][1] == '"""What the module is for."""\nimport os\n\nLIMIT = 3\n\n\n'
    assert found[1][1].startswith("# Why it is here.\n@decorated\nclass Server:")
    assert found[3][1].startswith("if __name__")


@pytest.mark.parametrize("language", _SAMPLES)
def test_every_grammar_finds_its_definitions(language: str) -> None:
    # K5
    source, headings = _SAMPLES[language]
    found = parts(parse_code(source.encode(), f"text/x-{language}"))
    assert [path for path, _ in found] == headings
    assert all(text.startswith(("/", "#")) for _, text in found if "doc" in text)


def test_every_language_with_a_grammar_has_a_sample() -> None:
    # K5
    assert {f"text/x-{language}" for language in _SAMPLES} | {"text/x-python"} == set(STRUCTURED)


def test_methods_of_a_long_class_are_sections_of_their_own_and_lines_are_exact() -> None:
    # K5
    source = (
        f'class Server:\r\n    """Serves."""\r\n    port = 1\r\n\r\n    def start(self):\r\n{_LONG_METHOD}\n'
        f"    # Ends it.\n    @final\n    def stop(self):\n{_LONG_METHOD}\n    name = 'x'\n\n\nlast = 1\n"
    )
    parsed = parse_code(source.encode("cp1252"), "text/x-python")
    found = parts(parsed)
    assert parsed.text == source
    assert [headings for headings, _ in found] == [
        ("Server",),
        ("Server", "start"),
        ("Server", "stop"),
        ("Server",),
        (),
    ]
    assert found[2][1].startswith("    # Ends it.\n    @final\n")
    chunks = chunk_document(parsed, max_tokens=200, count_tokens=lambda text: len(text) // 4)
    stop = next(chunk for chunk in chunks if chunk.headings == ("Server", "stop"))
    assert source.split("\n")[stop.start_line - 1] == "    # Ends it."


def test_broken_code_is_kept_whole() -> None:
    # K3, K5
    source = "def ok():\n    pass\n\nclass (((\n)))) def\n\ndef more():\n    pass\n"
    assert parts(parse_code(source.encode(), "text/x-python"))[0][0] == ("ok",)


@pytest.mark.parametrize(
    "source",
    [
        "(" * 100_000,
        "namespace a { " * 5_000,
        "#if 1\n" * 5_000,
        "{" * 100_000,
        "int a; // c\n" * 30_000,
        "/*" * 50_000,
    ],
)
@pytest.mark.parametrize("language", ["c++", "python"])
def test_hostile_code_is_read_as_it_is(source: str, language: str) -> None:
    # K3
    assert parse_code(source.encode(), f"text/x-{language}").text == source


async def test_a_confined_child_reads_every_language(pool: ParserPool) -> None:
    # K1
    for (language, (source, headings)), _ in itertools.product(_SAMPLES.items(), range(2)):
        parsed = await pool.parse(f"text/x-{language}", source.encode())
        assert [part.headings for part in parsed.sections] == headings
    assert (await pool.parse("text/x-yaml", b"a: 1\n")).text == "a: 1\n"
