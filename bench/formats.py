"""`python -m bench.formats FOLDER`: what becomes of every file of a folder, as a table.

A `manifest.csv` beside the files or one folder up may name, for each `file`, its `tags` and a `text_probe`: a phrase
that a search must find in that very file.
"""

import argparse
import csv
import json
import re
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path
from typing import Any

from bench.serving import Served, serving

# Files that nobody can be expected to read.
_EXCUSED = frozenset({"encrypted", "malformed", "malformed-tables", "truncated", "hostile", "scanned"})
_WANTED = 0.95
# The list of formats at the end of a refusal.
_FORMATS = re.compile(r" Supported: .*")


def main() -> int:
    """Print the table and what was found; 1 if too few are indexed, a probe is missed or a reason is missing."""
    options = _options()
    manifest = _read_manifest(options.folder)
    with serving() as served:
        began = time.monotonic()
        outcomes = _add(served, options.folder)
        seconds = time.monotonic() - began
        missed = [name for name, row in manifest.items() if row["text_probe"] and not _finds(served, name, row)]
    _print_table(outcomes, manifest)
    counts = Counter(outcome["status"] for outcome in outcomes)
    print(f"\n{len(outcomes)} files in {seconds:.0f} s: {dict(counts)}")
    silent = [o["name"] for o in outcomes if o["status"] not in {"indexed", "unchanged"} and not o["reason"]]
    share, left_out = _share(outcomes, manifest)
    probes = sum(bool(row["text_probe"]) for row in manifest.values())
    print(f"Of those that can be read, {share:.1%} are indexed (wanted: {_WANTED:.0%}); not: {left_out}")
    print(f"Probes found: {probes - len(missed)} of {probes}; missed: {missed}; without a reason: {silent}")
    return 1 if missed or silent or share < _WANTED else 0


def _add(served: Served, folder: Path) -> list[dict[str, Any]]:
    done = subprocess.run(
        [sys.executable, "-m", "pinakes", "add", str(folder), "--kb", "real", "--json"],
        env=served.environment,
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode not in {0, 1} or not done.stdout:
        raise SystemExit(done.stderr)
    return json.loads(done.stdout)


def _finds(served: Served, name: str, row: dict[str, str]) -> bool:
    body = {"query": row["text_probe"], "topK": 20, "knowledgeBaseIds": ["real"], "maxTokens": 100_000}
    results = served.data("POST", "/api/search", json=body)["results"]
    return any(
        result["documentName"] == name and _flat(row["text_probe"]) in _flat(result["content"]) for result in results
    )


def _flat(text: str) -> str:
    return "".join(character for character in text.casefold() if character.isalnum())


def _share(outcomes: list[dict[str, Any]], manifest: dict[str, dict[str, str]]) -> tuple[float, list[str]]:
    """How many of the readable files are indexed; an archive is if any file in it is."""
    indexed: dict[str, bool] = {}
    for outcome in outcomes:
        name = _file_name(outcome)
        indexed[name] = indexed.get(name, False) or outcome["status"] in {"indexed", "unchanged"}
    readable = [name for name in indexed if not _EXCUSED & set(_tags(name, manifest))]
    left_out = [name for name in readable if not indexed[name]]
    return 1 - len(left_out) / max(1, len(readable)), left_out


def _file_name(outcome: dict[str, Any]) -> str:
    """The file itself, also for what was found in an archive."""
    return Path(outcome["path"].partition(": ")[0]).name


def _tags(name: str, manifest: dict[str, dict[str, str]]) -> list[str]:
    row = manifest.get(name)
    return row["tags"].split(",") if row else []


def _print_table(outcomes: list[dict[str, Any]], manifest: dict[str, dict[str, str]]) -> None:
    print("| file | known as | outcome | passages | reason |\n|---|---|---|---|---|")
    for outcome in sorted(outcomes, key=lambda o: (Path(o["name"]).suffix, o["name"])):
        file = _file_name(outcome)
        tags = ", ".join(_tags(file, manifest))
        reason = _FORMATS.sub("", outcome["reason"] or "").replace("|", "\\|")
        shown = file if file == outcome["name"] else f"{file}: {outcome['name']}"
        print(f"| {shown} | {tags} | {outcome['status']} | {outcome['chunks'] or ''} | {reason} |")


def _read_manifest(folder: Path) -> dict[str, dict[str, str]]:
    for place in (folder, folder.parent):
        if (place / "manifest.csv").is_file():
            with (place / "manifest.csv").open(newline="", encoding="utf-8") as file:
                return {Path(row["file"]).name: row for row in csv.DictReader(file)}
    return {}


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m bench.formats", description=__doc__)
    parser.add_argument("folder", type=Path)
    return parser.parse_args()


if __name__ == "__main__":
    raise SystemExit(main())
