"""A few reusable children that parse documents, so that no document can take the program down."""

import asyncio
import contextlib
import logging
import signal
from dataclasses import asdict, dataclass

from pinakes.domain.errors import DocumentFault, ProviderFault, RetryableFault
from pinakes.domain.parsing import MediaType, ParsedDocument
from pinakes.providers.parsers.process import ChildDiedError, ChildProcess, start_child
from pinakes.providers.parsers.wire import OUT_OF_MEMORY, Frame, make_frame, read_document

_log = logging.getLogger(__name__)

_CRASH = "The reader crashed on this file."
_CLOSING = "The document reader is shutting down."
_CRASH_SIGNALS = {signal.SIGABRT, signal.SIGSEGV, signal.SIGBUS, signal.SIGILL, signal.SIGTRAP}
_GONE_SECONDS = 5
_STRUCTURE_BYTES = 64 << 20  # room in an answer for the sections, beside the text


@dataclass(frozen=True, slots=True)
class ParserLimits:
    """What one document may cost, and how many a child reads before it is replaced."""

    wall_seconds: float = 120
    memory_bytes: int = 1 << 30
    output_chars: int = 20_000_000
    documents_per_child: int = 100


class _KilledFromOutsideError(Exception):
    """Somebody, perhaps the system, killed the child: it need not be the document's fault."""


class ParserPool:
    """Parses up to `size` documents at once, each in a child of its own."""

    def __init__(self, *, size: int, limits: ParserLimits, ocr_languages: str | None = None) -> None:
        self._limits = limits
        self._ocr_languages = ocr_languages
        self._slots = asyncio.Semaphore(size)
        self._idle: list[ChildProcess] = []
        self._children: set[ChildProcess] = set()
        self._closed = False
        self._warned = False

    async def parse(self, media_type: MediaType, content: bytes) -> ParsedDocument:
        """The document's text and sections; DocumentFault, in words for a person, for what cannot be read."""
        question = make_frame({"media_type": media_type}, content)
        async with self._slots:
            try:
                answer = await self._ask(question)
            except _KilledFromOutsideError:
                try:
                    answer = await self._ask(question)
                except _KilledFromOutsideError as error:
                    raise RetryableFault("The reader was killed twice while it read this file.") from error
        return await asyncio.to_thread(_read_answer, answer)

    async def close(self) -> None:
        """Kill all children; what is being parsed ends with a ProviderFault."""
        self._closed = True
        self._idle.clear()
        for child in self._children:
            child.kill()
        # A killed process goes at once, unless the kernel holds it: closing does not wait for that.
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(_GONE_SECONDS):
                await asyncio.gather(*(child.wait_until_gone() for child in self._children))

    async def _ask(self, question: Frame) -> Frame:
        child = await self._take()
        reusable = False
        try:
            answer = await self._supervise(child, question)
            reusable = child.asked < self._limits.documents_per_child
        finally:
            if reusable and not self._closed:
                self._idle.append(child)
            else:
                child.kill()
        return answer

    async def _take(self) -> ChildProcess:
        while self._idle:
            child = self._idle.pop()
            if child.alive:
                return child
        if self._closed:
            raise ProviderFault(_CLOSING)
        limits = self._limits
        options = {**asdict(limits), "ocr_languages": self._ocr_languages}
        child = await start_child(options, largest_answer=limits.output_chars * 4 + _STRUCTURE_BYTES)
        self._children = {other for other in self._children if other.alive} | {child}
        if self._closed:
            child.kill()
            raise ProviderFault(_CLOSING)
        if not child.offline and not self._warned:
            self._warned = True
            _log.warning("Document readers could not be cut off from the network on this system.")
        return child

    async def _supervise(self, child: ChildProcess, question: Frame) -> Frame:
        watch = asyncio.create_task(child.watch_memory(self._limits.memory_bytes))
        try:
            async with asyncio.timeout(self._limits.wall_seconds):
                return await child.ask(question)
        except TimeoutError as error:
            raise _too_slow(self._limits) from error
        except ChildDiedError as error:
            raise self._explain_death(child) from error
        finally:
            watch.cancel()

    def _explain_death(self, child: ChildProcess) -> Exception:
        if self._closed:
            return ProviderFault(_CLOSING)
        if child.overflowed:
            return DocumentFault("The file has too many parts to be read.")
        code = child.exit_code or 0
        full = child.peak_bytes >= self._limits.memory_bytes
        # Native code asks for twice what it has and aborts if refused, so half the limit explains the abort.
        nearly_full = child.peak_bytes >= self._limits.memory_bytes // 2
        if code == OUT_OF_MEMORY or full or (nearly_full and -code in _CRASH_SIGNALS):
            return _too_big(self._limits)
        if code == -signal.SIGXCPU:
            return _too_slow(self._limits)
        if code == -signal.SIGKILL:
            return _KilledFromOutsideError()
        return RetryableFault(_CRASH)


def _read_answer(answer: Frame) -> ParsedDocument:
    # The child has handled hostile bytes, so its answer is only believed as far as it makes sense.
    try:
        fields = answer.fields
        if "fault" in fields:
            raise (RetryableFault if fields.get("retryable") else DocumentFault)(str(fields["fault"]))
        return read_document(fields["document"], answer.body)
    except (ValueError, TypeError, LookupError) as error:
        raise DocumentFault(_CRASH) from error


def _too_slow(limits: ParserLimits) -> RetryableFault:
    return RetryableFault(
        f"The file took longer than {limits.wall_seconds:g} s to read. PINAKES_PARSER_SECONDS can allow it more time."
    )


def _too_big(limits: ParserLimits) -> RetryableFault:
    return RetryableFault(f"The file needs more memory than the {limits.memory_bytes >> 20} MB allowed to read.")
