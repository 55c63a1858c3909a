"""A virtual environment for each peer, with the newest version that could be installed in November 2026."""

import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

_ROOT = Path(__file__).parents[2]


@dataclass(frozen=True, slots=True)
class System:
    """Something that is compared: the module that drives it, what it needs, and what it ranks by."""

    name: str
    module: str
    requirements: tuple[str, ...]
    ranks_by: str


OURS = System("Pinakes", "ours", (), "both")
PEERS = (
    System("txtai", "txt", ("txtai==9.14.0", "torch==2.13.0"), "both"),
    System("LanceDB", "lance", ("lancedb==0.40.0", "numpy"), "both"),
    System("Milvus Lite", "milvus", ("milvus-lite==3.2.2", "pymilvus==3.0.2"), "both"),
    System("Haystack, in memory", "hay", ("haystack-ai==3.4.0",), "both"),
    System(
        "LlamaIndex, in memory",
        "llama",
        ("llama-index-core==0.14.25", "llama-index-retrievers-bm25==0.8.0"),
        "both",
    ),
    System("Chroma", "chroma", ("chromadb==1.5.9",), "vectors"),
    System("Qdrant, local", "qdrant", ("qdrant-client==1.20.0",), "vectors"),
)


def prepare(system: System, folder: Path) -> str | None:
    """Install a system; why it cannot be, if so."""
    if not system.requirements:
        return None
    home = folder / system.module
    done = home / "installed"
    if done.exists() and done.read_text() == "\n".join(system.requirements):
        return None
    print(f"  installing {system.name}", flush=True)
    subprocess.run([sys.executable, "-m", "venv", str(home)], check=True)
    pip = [str(home / "bin" / "python"), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    installed = subprocess.run([*pip, *system.requirements], capture_output=True, text=True, check=False)
    if installed.returncode:
        errors = [line for line in installed.stderr.splitlines() if line.startswith("ERROR")]
        return errors[-1].removeprefix("ERROR: ") if errors else "could not be installed"
    done.write_text("\n".join(system.requirements))
    return None


def start(system: System, folder: Path) -> "subprocess.Popen[str]":
    """The program that drives a system, in the system's own environment; it stands in the repository's folder."""
    python = str(folder / system.module / "bin" / "python") if system.requirements else sys.executable
    with (folder / f"{system.module}.log").open("w") as log:
        return subprocess.Popen(
            [python, "-m", f"bench.speed.peers.{system.module}"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=log,
            text=True,
            cwd=_ROOT,
        )
