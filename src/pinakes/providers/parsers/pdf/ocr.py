"""Text in pictures of pages, recognised by the tesseract program where it is installed."""

import ctypes
import os
import re
import shutil
import signal
import subprocess
import sys
from math import sqrt
from typing import Any

from pinakes.domain.errors import RetryableFault

# Where packages put programs; a parser child knows no PATH.
_FOLDERS = "/usr/local/bin:/usr/bin:/bin:/opt/homebrew/bin:/opt/local/bin"
_DPI = 300
_POINTS_PER_INCH = 72
_MOST_PIXELS = 16_000_000
_PR_SET_PDEATHSIG = 1
_DIVIDED = re.compile(r"(?<=[^\W\d_])-\n(?=[a-zà-ÿ])")
_libc: Any = ctypes.CDLL(None) if sys.platform == "linux" else None


def recognise_page(page: Any, languages: str) -> list[str]:
    """The paragraphs that tesseract sees on a pdfium page; a fault where it cannot work."""
    program = find_tesseract()
    if program is not None:
        result = _run(program, "stdin", "stdout", "-l", languages, picture=_draw(page))
        # It goes on without a language that it lacks, and says so.
        if result.returncode == 0 and b"Failed loading language" not in result.stderr:
            text = _DIVIDED.sub("", result.stdout.decode(errors="replace").replace("\f", "\n\n"))
            return [paragraph.strip() for paragraph in re.split(r"\n\s*\n", text) if paragraph.strip()]
    if (problem := find_ocr_problem(languages)) is not None:
        raise RetryableFault(f"The PDF has pages that are pictures, and OCR cannot read them: {problem}")
    return []


def find_ocr_problem(languages: str) -> str | None:
    """Why OCR in these languages cannot work on this machine, and what to do; None if it can."""
    program = find_tesseract()
    if program is None:
        return "tesseract is not installed. Install it (on Debian: apt install tesseract-ocr), then try again."
    installed = _run(program, "--list-langs").stdout.decode(errors="replace").split()
    missing = [language for language in languages.split("+") if language not in installed]
    if missing:
        packages = " ".join(f"tesseract-ocr-{language.replace('_', '-')}" for language in missing)
        return (
            f"tesseract has no data for {', '.join(missing)}. Install it (on Debian: apt install {packages}) "
            "or change PINAKES_OCR_LANGUAGES, then try again."
        )
    return None


def find_tesseract() -> str | None:
    """The program, if it is installed where a parser child finds it."""
    return shutil.which("tesseract", path=_FOLDERS)


def _draw(page: Any) -> bytes:
    width, height = page.get_size()
    scale = min(_DPI / _POINTS_PER_INCH, sqrt(_MOST_PIXELS / max(1.0, width * height)))
    bitmap = page.render(scale=scale, grayscale=True)
    try:
        rows = memoryview(bitmap.buffer).cast("B")
        pixels = b"".join(
            rows[start : start + bitmap.width] for start in range(0, bitmap.stride * bitmap.height, bitmap.stride)
        )
        return b"P5 %d %d 255\n" % (bitmap.width, bitmap.height) + pixels
    finally:
        bitmap.close()


def _run(program: str, *arguments: str, picture: bytes = b"") -> subprocess.CompletedProcess[bytes]:
    # One thread, because the pool decides how many files are read at a time; it writes no files.
    variables = {name: os.environ[name] for name in ("TESSDATA_PREFIX",) if name in os.environ}
    return subprocess.run(  # noqa: S603 - the program was looked up in fixed folders, the languages are checked
        [program, *arguments],
        input=picture,
        capture_output=True,
        check=False,
        env={"OMP_THREAD_LIMIT": "1", **variables},
        preexec_fn=_die_with_parent if _libc is not None else None,
    )


def _die_with_parent() -> None:
    _libc.prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
