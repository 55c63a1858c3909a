"""reStructuredText and Org: headings, code, links and tables in the one form."""

from collections.abc import AsyncIterator

import pytest

from pinakes.domain.errors import DocumentFault
from pinakes.domain.parsing import ParsedDocument
from pinakes.providers.parsers.pool import ParserLimits, ParserPool
from pinakes.providers.parsers.text.markup import parse_org, parse_rst

_RST = """\
=========
The Guide
=========

.. _target:
.. A comment
   of two lines

Intro with ``code``, a `link <https://example.org>`_, a :ref:`name <there>` and *stress*.

First part
----------

.. note:: Take
   care.

   Second paragraph.

Run this::

    def f():
        pass

+-----+------+
| A   | B    |
+=====+======+
| 1   | two  |
|     | more |
+-----+------+

.. code-block:: python
   :linenos:

   x = 1

Deeper
~~~~~~

===== ====
X     Y
===== ====
1     a | b
2     c
===== ====

.. image:: picture.png
   :alt: nothing

Second part
-----------

- item
- item

----

The end.
"""
_ORG = """\
#+TITLE: My Notes
#+AUTHOR: Me
* TODO [#A] First thing :tag:other:
:PROPERTIES:
:ID: 17
:END:
Text with ~code~, =words= and [[https://example.org][a link]], see [[file:notes.org]].
- item
| a | b |
|---+---|
| 1 | 2 |
** Below
#+begin_src python
* no heading
x = 1
#+end_src
# a comment
#+begin_quote
Quoted.
#+end_quote
* Second
End.
"""


@pytest.fixture
async def pool() -> AsyncIterator[ParserPool]:
    """A pool of one child."""
    pool = ParserPool(size=1, limits=ParserLimits())
    yield pool
    await pool.close()


def paths(parsed: ParsedDocument) -> list[tuple[str, ...]]:
    """The headings of each section."""
    return [part.headings for part in parsed.sections]


def test_restructured_text_is_cut_at_its_headings_without_its_markup() -> None:
    # K5
    parsed = parse_rst(_RST.encode())
    assert parsed.title == "The Guide"
    guide = ("The Guide",)
    assert paths(parsed) == [guide, (*guide, "First part"), (*guide, "First part", "Deeper"), (*guide, "Second part")]
    assert "Intro with `code`, a [link](https://example.org), a name and *stress*." in parsed.text
    assert "Note: Take care.\n\nSecond paragraph.\n\nRun this:\n\n```\ndef f():\n    pass\n```" in parsed.text
    assert "| A | B |\n| --- | --- |\n| 1 | two more |\n" in parsed.text
    assert "| X | Y |\n| --- | --- |\n| 1 | a \\| b |\n| 2 | c |\n" in parsed.text
    assert "```python\nx = 1\n```" in parsed.text
    assert "- item\n- item\n\nThe end." in parsed.text
    assert not any(noise in parsed.text for noise in ("comment", "linenos", "picture", "target", "===", "~~~"))


def test_org_is_cut_at_its_stars_without_settings_and_drawers() -> None:
    # K5
    parsed = parse_org(_ORG.encode())
    assert parsed.title == "My Notes"
    assert paths(parsed) == [(), ("First thing",), ("First thing", "Below"), ("Second",)]
    assert "Text with `code`, `words` and [a link](https://example.org), see notes.org.\n- item" in parsed.text
    assert "| a | b |\n| --- | --- |\n| 1 | 2 |\n" in parsed.text
    assert "```python\n* no heading\nx = 1\n```\n\nQuoted." in parsed.text
    assert not any(noise in parsed.text for noise in ("TODO", ":tag:", "17", "comment", "#+", "[["))


@pytest.mark.parametrize(
    "content",
    [
        b"`" + b" " * 200_000 + b"x",
        b"[[" * 100_000 + b"a",
        b":a" * 100_000,
        b"* " + b" a" * 100_000,
        b"~" * 100_000 + b"a",
    ],
)
def test_hostile_markup_ends_quickly(content: bytes) -> None:
    # K3
    assert parse_rst(content).text
    assert parse_org(content).text


def test_directives_nested_deeply_are_read_as_text() -> None:
    # K3
    assert "x" in parse_rst("\n".join(" " * depth + ".. a:: x" for depth in range(300)).encode()).text


@pytest.mark.parametrize("parse", [parse_rst, parse_org])
def test_a_file_of_comments_has_no_text(parse: object) -> None:
    # K3
    assert callable(parse)
    with pytest.raises(DocumentFault, match="no text"):
        parse(b".. hidden\n" if parse is parse_rst else b"# hidden\n")


async def test_a_confined_child_reads_both(pool: ParserPool) -> None:
    # K1
    assert (await pool.parse("text/x-rst", _RST.encode())).title == "The Guide"
    assert (await pool.parse("text/x-org", _ORG.encode())).title == "My Notes"
