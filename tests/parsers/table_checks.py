"""What the tests of tables ask of a parsed document."""

import re
from collections.abc import Callable

import pytest

from pinakes.domain.chunk import Chunk
from pinakes.domain.chunking import chunk_document
from pinakes.domain.errors import DocumentFault
from pinakes.domain.parsing import ParsedDocument


def chunk(parsed: ParsedDocument, max_tokens: int = 64) -> list[Chunk]:
    """The chunks of a document, counting words as tokens."""
    return chunk_document(parsed, max_tokens=max_tokens, count_tokens=lambda text: len(re.findall(r"\w+|\S", text)))


def cited_rows(parsed: ParsedDocument, words: str) -> tuple[int | None, int | None]:
    """The rows that are cited for the passage with these words."""
    (found,) = (one for one in chunk(parsed) if words in one.content)
    assert found.place
    assert found.place.kind == "sheet"
    return found.place.first_row, found.place.last_row


def cells_of(parsed: ParsedDocument) -> list[list[str]]:
    """The cells of every line of every table."""
    lines = [line for line in parsed.text.split("\n") if line.startswith("|") and not line.startswith("| --- ")]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]


def fault_of(parse: Callable[[bytes], ParsedDocument], content: bytes) -> str:
    """The words with which this document fails."""
    with pytest.raises(DocumentFault) as caught:
        parse(content)
    return caught.value.message
