"""The rules that would drift if nothing checked them."""

import ast
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from pinakes.settings import Settings

ROOT = Path(__file__).parent.parent
LONGEST_FILE = 400
LONGEST_FUNCTION = 60
LONGEST_PAGE_FILE = 250
REFUSED_NAMES = {"utils", "util", "helpers", "helper", "common", "manager", "base", "misc", "v2"}
EXPECTED_AT_ROOT = {
    *(".ci", ".dockerignore", ".gitignore", "Dockerfile", "compose.yaml"),
    *("CHANGELOG.md", "CONTRIBUTING.md", "LICENSE", "Makefile", "README.md"),
    *("bench", "docs", "pyproject.toml", "requirements-dev.txt", "requirements.txt", "src", "tests", "web"),
}


def tracked(*patterns: str) -> list[Path]:
    """Files that are in the repository, or would be with the next commit."""
    command = ["git", "-C", str(ROOT), "ls-files", "--cached", "--others", "--exclude-standard", *patterns]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        pytest.skip("not a git checkout")
    return [path for name in done.stdout.splitlines() if (path := ROOT / name).is_file()]


def functions(path: Path) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef]:
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield node


def test_no_file_and_no_function_outgrows_a_reader() -> None:
    long_files = [str(p) for p in tracked("*.py") if p.read_text().count("\n") > LONGEST_FILE]
    long_functions = [
        f"{path}:{node.lineno} {node.name}"
        for path in tracked("src/*.py")
        for node in functions(path)
        if (node.end_lineno or node.lineno) - node.lineno + 1 > LONGEST_FUNCTION
    ]
    assert not long_files + long_functions


def test_no_file_of_the_page_outgrows_a_reader() -> None:
    written = [path for path in tracked("web/src/*.ts", "web/src/*.tsx") if path.name != "schema.d.ts"]
    assert written
    assert not [str(path) for path in written if path.read_text().count("\n") > LONGEST_PAGE_FILE]


def test_no_feature_of_the_page_imports_another() -> None:
    features = ROOT / "web" / "src" / "features"
    for path in tracked("web/src/features/*.ts", "web/src/features/*.tsx"):
        for target in re.findall(r'from "(\.\./[^"]+)"', path.read_text()):
            other = (path.parent / target).resolve()
            assert not other.is_relative_to(features) or other.is_relative_to(path.parent), f"{path}: {target}"


def test_the_pages_lock_names_no_host() -> None:
    assert '"resolved"' not in (ROOT / "web" / "package-lock.json").read_text()


def test_no_module_is_a_dumping_ground() -> None:
    assert not [path for path in tracked("*.py") if path.stem in REFUSED_NAMES]


def test_the_root_holds_only_what_a_newcomer_expects() -> None:
    assert {path.relative_to(ROOT).parts[0] for path in tracked()} <= EXPECTED_AT_ROOT


def test_the_locks_pin_everything_by_hash_and_name_no_host() -> None:
    for path in tracked("requirements*.txt"):
        text = path.read_text()
        assert "://" not in text
        entries = re.findall(r"^[\w.-]+==[^\n]*\n(?:    [^\n]*\n)+", text, re.MULTILINE)
        assert len(entries) == len(re.findall(r"^[\w.-]+==", text, re.MULTILINE))
        assert all("--hash=sha256:" in entry for entry in entries)


def test_every_setting_is_documented_with_its_default() -> None:
    text = (ROOT / "docs" / "configuration.md").read_text()
    documented = dict(re.findall(r"^\| `PINAKES_(\w+)` \| (.*?) \|", text, re.MULTILINE))
    assert set(documented) == {name.upper() for name in Settings.model_fields}
    for name, field in Settings.model_fields.items():
        shown = "" if field.default in (None, []) else f"`{field.default}`"
        assert documented[name.upper()] == shown, name
    assert len(Settings.model_fields) <= 40


def test_every_link_in_the_documentation_leads_somewhere() -> None:
    for page in tracked("*.md"):
        for target in re.findall(r"\]\((?!https?:|#)([^)#]+)", page.read_text()):
            assert (page.parent / target).exists(), f"{page}: {target}"


def test_decision_records_are_numbered_without_gaps() -> None:
    numbers = sorted(int(path.name[:4]) for path in tracked("docs/decisions/*.md"))
    assert numbers == list(range(1, len(numbers) + 1))
