"""Parsing in children: what comes out of a document, and what a hostile one cannot do."""

import asyncio
import os
import random
import signal
import subprocess
import sys
from collections.abc import AsyncIterator, Callable
from pathlib import Path

import psutil
import pytest
from pdf_files import make_bomb, make_nested, make_pdf, make_with_lost_page, make_without_pages

import pinakes
from pinakes.domain.errors import DocumentFault, ProviderFault, RetryableFault
from pinakes.domain.parsing import MediaType
from pinakes.providers.parsers.pool import ParserLimits, ParserPool

# Markdown whose many reference definitions keep the parser busy for some seconds without much memory.
_SLOW = b"[a]: b\n" * 100_000
_SLOWER = _SLOW * 8


@pytest.fixture
async def pool() -> AsyncIterator[ParserPool]:
    """A pool of one child, so that a test knows which one works."""
    pool = ParserPool(size=1, limits=ParserLimits())
    yield pool
    await pool.close()


def children() -> list[psutil.Process]:
    """The parser children of this process that are alive."""
    return [child for child in psutil.Process().children() if is_parser(child)]


def is_parser(process: psutil.Process) -> bool:
    """Whether this is a living parser child; one may vanish while it is looked at."""
    try:
        command = " ".join(process.cmdline())
        return process.status() != psutil.STATUS_ZOMBIE and "pinakes.providers.parsers.child" in command
    except psutil.NoSuchProcess:
        return False


async def fault_of(pool: ParserPool, media_type: MediaType, content: bytes, *, retryable: bool = False) -> str:
    """The words with which this document fails, for good or not."""
    with pytest.raises(DocumentFault) as caught:
        await pool.parse(media_type, content)
    assert isinstance(caught.value, RetryableFault) == retryable
    return caught.value.message


async def begin_slow_parse(pool: ParserPool, content: bytes) -> tuple[asyncio.Task[object], psutil.Process]:
    """A parse in progress and the child that is at it."""
    await pool.parse("text/plain", b"warm")
    (child,) = children()
    busy_since = child.cpu_times().user
    task: asyncio.Task[object] = asyncio.create_task(pool.parse("text/markdown", content))
    await until(lambda: child.cpu_times().user > busy_since + 0.3)
    return task, child


async def until(condition: Callable[[], object]) -> None:
    """Return once the condition holds."""
    while not condition():  # noqa: ASYNC110 - what another process does sets no event here
        await asyncio.sleep(0.02)


def proc(child: psutil.Process, name: str) -> str:
    """What the kernel says about a child: the text of a file, or where a link leads."""
    path = Path(f"/proc/{child.pid}/{name}")
    return str(path.readlink()) if path.is_symlink() else path.read_text()


def open_files(child: psutil.Process) -> set[str]:
    """Where the descriptors of a child lead."""
    return {str(path.readlink()) for path in Path(f"/proc/{child.pid}/fd").iterdir()}


@pytest.mark.parametrize(
    ("content", "text"),
    [
        ("Grüße, 世界 👋".encode(), "Grüße, 世界 👋"),
        ("with a mark".encode("utf-8-sig"), "with a mark"),
        ("sixteen bits".encode("utf-16"), "sixteen bits"),
        ("sixteen bits and no mark at all".encode("utf-16-be"), "sixteen bits and no mark at all"),
        ("thirty-two".encode("utf-32"), "thirty-two"),
        ("これは日本語のテキストです。".encode("shift_jis"), "これは日本語のテキストです。"),
        ("这是一个中文文本文件，用于测试。".encode("gb18030"), "这是一个中文文本文件，用于测试。"),
        ("Привет мир, это обычный русский текст".encode("cp1251"), "Привет мир, это обычный русский текст"),
        (("plain ascii " * 9_000 + "dann größer, schöner und weiß").encode("cp1252"), None),
        (b"line one\r\nline two\rline three\n", "line one\r\nline two\rline three\n"),
        ("naïve café, größer und schöner – ".encode() * 9 + b"\xff end", None),
        ("a\x00b".encode("utf-16"), "a\ufffdb"),
        (b"\xff\xfe" + "a".encode("utf-16-le") + b"\x00\xd8" + "b".encode("utf-16-le"), "a\ufffdb"),
    ],
)
async def test_text_is_decoded_from_its_encoding_and_kept_as_it_is(
    pool: ParserPool, content: bytes, text: str | None
) -> None:
    # K1
    parsed = await pool.parse("text/plain", content)
    (section,) = parsed.sections
    assert (section.start, section.end) == (0, len(parsed.text))
    if text is None:
        assert "größer" in parsed.text
    else:
        assert parsed.text == text


@pytest.mark.parametrize("content", [b" \r\n\t\n", "\ufeff \n".encode(), "  ".encode("utf-16")])
async def test_a_blank_file_fails_for_having_no_text(pool: ParserPool, content: bytes) -> None:
    # K3
    assert "no text" in await fault_of(pool, "text/plain", content)
    assert "no text" in await fault_of(pool, "text/markdown", content)


async def test_markdown_is_cut_at_its_headings_and_each_part_knows_its_path(pool: ParserPool) -> None:
    # K5
    text = (
        "---\ntitle: x\n# not a heading\n---\nPreface.\n\n# The *Guide* to `it`\n\n## Only a heading\n\n"
        "### Deep\n\nText.\n\n```\n# in a fence\n```\n\n> # in a quote\n\n"
        "Setext\nheading\n-------\r\nMore.\r\n# Other\r\nEnd."
    )
    parsed = await pool.parse("text/markdown", text.encode())
    assert parsed.text == text
    assert parsed.markdown
    assert parsed.title == "The Guide to it"
    sections = [(text[part.start : part.end], part.headings) for part in parsed.sections]
    assert [(part.split("\n", maxsplit=1)[0].strip(), headings) for part, headings in sections] == [
        ("---", ()),
        ("# The *Guide* to `it`", ("The Guide to it", "Only a heading", "Deep")),
        ("Setext", ("The Guide to it", "Setext heading")),
        ("# Other", ("Other",)),
    ]
    assert "".join(part for part, _ in sections) == text


async def test_markdown_without_headings_is_one_section(pool: ParserPool) -> None:
    # K5
    parsed = await pool.parse("text/markdown", b"---\n\nwords only\n\n***\n\nand more")
    assert [(part.start, part.end, part.headings) for part in parsed.sections] == [(0, len(parsed.text), ())]
    assert parsed.title is None


async def test_a_pdf_gives_one_section_a_page_with_divided_words_joined(pool: ParserPool) -> None:
    # K5
    parsed = await pool.parse("application/pdf", make_pdf("The infor-\nmation", "", "Third page", title="A Study"))
    pages = [(part.place and part.place.number, parsed.text[part.start : part.end]) for part in parsed.sections]
    assert pages == [(1, "The information\n\n"), (3, "Third page\n\n")]
    assert parsed.text == "The information\n\nThird page\n\n"
    assert parsed.title == "A Study"


@pytest.mark.parametrize("title", ["untitled", "Microsoft Word - draft.doc", "thesis_final.tex", "1234", " "])
async def test_a_title_that_nobody_chose_is_not_taken(pool: ParserPool, title: str) -> None:
    # K5
    assert (await pool.parse("application/pdf", make_pdf("Words", title=title))).title is None


async def test_a_pdf_with_only_an_owner_password_is_read(pool: ParserPool) -> None:
    # K1
    assert (await pool.parse("application/pdf", make_pdf("Readable", password=""))).text == "Readable\n\n"


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (make_pdf("Hidden", password="secret"), "protected by a password"),
        (make_pdf("", ""), "no text layer: it looks scanned and needs OCR"),
        (make_without_pages(), "no pages"),
        (b"%PDF-1.7\n" + random.Random(1).randbytes(5_000), "damaged"),
        (make_pdf("Cut", "off")[:900], "damaged"),
        (make_with_lost_page("Here")[:-8], "damaged"),
        (make_with_lost_page("Here"), r"1 of 2 pages cannot be read (page 2)"),
        (make_nested(1_000_000), "no text layer"),
    ],
    ids=["encrypted", "scanned", "no pages", "garbage", "truncated", "cut at the end", "lost page", "nested"],
)
async def test_a_pdf_that_cannot_be_read_fails_in_words_and_the_child_lives_on(
    pool: ParserPool, content: bytes, words: str
) -> None:
    # K3
    await pool.parse("text/plain", b"warm")
    before = children()
    assert words in await fault_of(pool, "application/pdf", content, retryable="text layer" in words)
    assert children() == before


async def test_a_pdf_bomb_fails_for_its_memory_and_the_next_document_is_read() -> None:
    # K3
    pool = ParserPool(size=1, limits=ParserLimits(memory_bytes=256 << 20))
    try:
        message = await fault_of(pool, "application/pdf", make_bomb(600), retryable=True)
        assert "needs more memory than the 256 MB allowed" in message
        assert (await pool.parse("text/plain", b"next")).text == "next"
    finally:
        await pool.close()


async def test_running_out_of_memory_in_python_fails_for_memory() -> None:
    # K3
    pool = ParserPool(size=1, limits=ParserLimits(memory_bytes=160 << 20))
    try:
        message = await fault_of(pool, "text/plain", "ж".encode("cp1251") * 40_000_000, retryable=True)
        assert "needs more memory than the 160 MB allowed" in message
        assert "160 MB" in await fault_of(pool, "text/plain", b"a" * 200_000_000, retryable=True)
        assert (await pool.parse("text/plain", b"next")).text == "next"
    finally:
        await pool.close()


async def test_a_document_that_takes_too_long_is_killed_and_the_next_is_read() -> None:
    # K3
    pool = ParserPool(size=1, limits=ParserLimits(wall_seconds=1))
    try:
        assert "took longer than 1 s to read" in await fault_of(pool, "text/markdown", _SLOWER, retryable=True)
        assert (await pool.parse("text/plain", b"next")).text == "next"
        assert len(children()) == 1
    finally:
        await pool.close()


async def test_too_much_text_fails_with_the_limit_named() -> None:
    # K2, K3
    pool = ParserPool(size=1, limits=ParserLimits(output_chars=1_000))
    try:
        assert "1,000 characters" in await fault_of(pool, "text/plain", b"word " * 1_000)
    finally:
        await pool.close()


async def test_a_child_killed_from_outside_once_does_not_fail_its_document(pool: ParserPool) -> None:
    # K3
    task, child = await begin_slow_parse(pool, _SLOW + b"\nwords\n")
    child.kill()
    await task
    assert [other.pid for other in children()] != [child.pid]


async def test_a_document_whose_child_is_killed_twice_fails(pool: ParserPool) -> None:
    # K3
    task, first = await begin_slow_parse(pool, _SLOWER)
    first.kill()
    await until(lambda: any(child.pid != first.pid for child in children()))
    (second,) = (child for child in children() if child.pid != first.pid)
    await until(lambda: second.cpu_times().user > 0.5)
    second.kill()
    with pytest.raises(RetryableFault, match="killed twice"):
        await task


async def test_an_idle_child_that_was_killed_is_replaced(pool: ParserPool) -> None:
    # K3
    await pool.parse("text/plain", b"one")
    (child,) = children()
    child.kill()
    assert (await pool.parse("text/plain", b"two")).text == "two"


async def test_a_crash_in_a_library_fails_the_document_only(pool: ParserPool) -> None:
    # K3
    task, child = await begin_slow_parse(pool, _SLOWER)
    child.send_signal(signal.SIGSEGV)
    with pytest.raises(DocumentFault, match="reader crashed on this file"):
        await task
    assert (await pool.parse("text/plain", b"next")).text == "next"


async def test_a_stop_signal_to_all_processes_lets_the_document_be_finished(pool: ParserPool) -> None:
    # K3
    task, child = await begin_slow_parse(pool, _SLOW + b"\nwords\n")
    child.send_signal(signal.SIGTERM)
    child.send_signal(signal.SIGINT)
    await task
    assert [other.pid for other in children()] == [child.pid]


async def test_cancelling_the_wait_kills_the_child(pool: ParserPool) -> None:
    # K3
    task, child = await begin_slow_parse(pool, _SLOWER)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    await until(lambda: child not in children())
    assert (await pool.parse("text/plain", b"next")).text == "next"


async def test_closing_kills_all_and_what_was_waiting_may_be_tried_again() -> None:
    # K3
    pool = ParserPool(size=1, limits=ParserLimits())
    task, _ = await begin_slow_parse(pool, _SLOWER)
    await pool.close()
    with pytest.raises(ProviderFault, match="shutting down"):
        await task
    with pytest.raises(ProviderFault, match="shutting down"):
        await pool.parse("text/plain", b"late")
    assert children() == []


async def test_a_child_is_reused_and_replaced_in_time() -> None:
    # K3
    pool = ParserPool(size=1, limits=ParserLimits(documents_per_child=3))
    try:
        seen: list[int] = []
        for _ in range(2):
            await pool.parse("text/plain", b"words")
            seen.extend(child.pid for child in children())
        await pool.parse("text/plain", b"the last of this child")
        await pool.parse("text/plain", b"the first of the next")
        await until(lambda: len(children()) == 1)
        assert seen[0] == seen[1] != children()[0].pid
    finally:
        await pool.close()


async def test_many_documents_at_once_get_their_own_answers() -> None:
    # K3
    pool = ParserPool(size=2, limits=ParserLimits())
    try:
        texts = [f"document {number} " * (number * 50 + 1) for number in range(60)]
        parsed = await asyncio.gather(*(pool.parse("text/plain", text.encode()) for text in texts))
        assert [document.text for document in parsed] == texts
        assert len(children()) == 2
    finally:
        await pool.close()


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
async def test_a_child_has_no_network_no_secrets_no_descriptors_and_no_privileges(
    pool: ParserPool, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    # K3
    monkeypatch.setenv("PINAKES_SECRET", "hush")
    with (tmp_path / "ours").open("w") as ours:
        os.set_inheritable(ours.fileno(), True)
        await pool.parse("text/plain", b"words")
        (child,) = children()
        files = open_files(child)
    assert set(child.environ()) <= {"MALLOC_ARENA_MAX", "TOKIO_WORKER_THREADS"}
    assert len(files) == 3
    assert not any("ours" in file for file in files)
    assert child.uids().effective != 0
    assert f"Max address space         {1 << 30}" in proc(child, "limits")
    assert "CapEff:\t0000000000000000" in proc(child, "status")
    offline = proc(child, "ns/net") != proc(psutil.Process(), "ns/net")
    assert offline or os.geteuid() != 0


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells a busy child of its parent's death")
async def test_a_busy_child_dies_with_its_parent() -> None:
    # K3
    program = """
import asyncio, psutil
from pinakes.providers.parsers.pool import ParserLimits, ParserPool
async def main():
    pool = ParserPool(size=1, limits=ParserLimits())
    await pool.parse("text/plain", b"warm")
    print(psutil.Process().children()[0].pid, flush=True)
    await pool.parse("text/markdown", b"[a]: b\\n" * 800_000)
asyncio.run(main())
"""
    source = str(Path(pinakes.__file__).parents[1])
    parent = await asyncio.create_subprocess_exec(
        sys.executable, "-c", program, env={"PYTHONPATH": source}, stdout=subprocess.PIPE
    )
    assert parent.stdout
    child = psutil.Process(int(await parent.stdout.readline()))
    await asyncio.sleep(0.5)
    assert child.is_running()
    parent.kill()
    await parent.wait()
    _, alive = await asyncio.to_thread(psutil.wait_procs, [child], 5)
    assert alive == []
