"""The program of a parser child: confine itself, then turn documents into text until the pipe closes."""

import contextlib
import json
import os
import re
import sys
from collections.abc import Mapping
from dataclasses import replace
from importlib.machinery import BuiltinImporter, FrozenImporter
from typing import Any, BinaryIO, overload

from pinakes.domain.errors import DocumentFault, RetryableFault
from pinakes.domain.parsing import MediaType, ParsedDocument, Section
from pinakes.providers.parsers.confinement import allow_cpu, confine, load_codecs
from pinakes.providers.parsers.registry import Parser, make_parsers
from pinakes.providers.parsers.wire import LENGTHS, OUT_OF_MEMORY, Frame, frame_document, make_frame

_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f]+")
_UNSTORABLE = re.compile("[\x00\ud800-\udfff]")


def main() -> None:
    """Serve the parent on stdin and stdout, then leave without running any library's exit code."""
    options: dict[str, Any] = json.loads(sys.argv[-1])
    questions, answers = _take_pipes()
    parsers = make_parsers(ocr_languages=options["ocr_languages"])
    parsers["text/plain"]("naïve café, so the tables of the detector are loaded".encode("cp1252"))
    load_codecs()
    # From here on files may be out of reach: an import that comes too late fails everywhere, not only where they are.
    sys.meta_path[:] = [BuiltinImporter, FrozenImporter]
    offline = confine(memory_bytes=options["memory_bytes"], parent=options["parent"])
    _send(answers, make_frame({"ready": True, "offline": offline}))
    _silence()
    try:
        _serve(questions, answers, options, parsers)
    except MemoryError:
        os._exit(OUT_OF_MEMORY)
    os._exit(0)


def _take_pipes() -> tuple[BinaryIO, BinaryIO]:
    # Not every event loop closes all of its own before it starts a program.
    for name in os.listdir("/dev/fd"):  # noqa: PTH208 - names of descriptors, not files
        with contextlib.suppress(OSError):
            if int(name) > 2:
                os.close(int(name))
    # Native libraries may print to stdout, which would break the frames: only our copy of it still leads out.
    questions, answers = os.dup(0), os.dup(1)
    nothing = os.open(os.devnull, os.O_RDWR)
    os.dup2(nothing, 0)
    os.dup2(2, 1)
    os.close(nothing)
    return os.fdopen(questions, "rb"), os.fdopen(answers, "wb")


def _silence() -> None:
    # Up to here stderr tells the parent why a child could not start; later it could only repeat documents.
    os.dup2(0, 2)
    os.dup2(0, 1)


def _serve(
    questions: BinaryIO, answers: BinaryIO, options: dict[str, Any], parsers: Mapping[MediaType, Parser]
) -> None:
    while len(lengths := questions.read(LENGTHS.size)) == LENGTHS.size:
        header, body = LENGTHS.unpack(lengths)
        question = Frame(questions.read(header), questions.read(body))
        allow_cpu(options["wall_seconds"])
        _send(answers, _answer(parsers[question.fields["media_type"]], question.body, options["output_chars"]))


def _answer(parse: Parser, content: bytes, output_chars: int) -> Frame:
    try:
        parsed = parse(content)
        if len(parsed.text) > output_chars:
            raise DocumentFault(
                f"The file holds more text than the {output_chars:,} characters allowed. Split it and upload its parts."
            )
        return frame_document(_make_storable(parsed))
    except DocumentFault as fault:
        return make_frame({"fault": fault.message, "retryable": isinstance(fault, RetryableFault)})
    except MemoryError:
        raise
    except RecursionError:
        return make_frame({"fault": "The file is nested too deeply to be read."})
    except Exception as error:  # noqa: BLE001 - the edge: whatever a library raises is this document's fault
        return make_frame({"fault": f"The reader failed on this file ({type(error).__name__})."})


def _make_storable(parsed: ParsedDocument) -> ParsedDocument:
    # PostgreSQL stores neither NUL nor half a surrogate pair; one character for one keeps the offsets.
    return ParsedDocument(
        text=_replace_unstorable(parsed.text),
        sections=tuple(map(_make_section_storable, parsed.sections)),
        markdown=parsed.markdown,
        title=parsed.title and _CONTROL.sub(" ", _replace_unstorable(parsed.title)).strip(),
        remarks=tuple(map(_replace_unstorable, parsed.remarks)),
        pages=parsed.pages,
    )


def _make_section_storable(section: Section) -> Section:
    return replace(
        section,
        place=section.place and replace(section.place, name=_replace_unstorable(section.place.name)),
        headings=tuple(map(_replace_unstorable, section.headings)),
        header=_replace_unstorable(section.header),
        inside=_replace_unstorable(section.inside),
    )


@overload
def _replace_unstorable(text: str) -> str: ...
@overload
def _replace_unstorable(text: None) -> None: ...
def _replace_unstorable(text: str | None) -> str | None:
    return text and _UNSTORABLE.sub("\ufffd", text)


def _send(answers: BinaryIO, answer: Frame) -> None:
    answers.write(answer.head)
    answers.write(answer.body)
    answers.flush()
