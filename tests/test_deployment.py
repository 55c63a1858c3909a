"""The container files: what they name exists, and where a container engine runs, the image builds."""

import re
import shlex
import shutil
import subprocess
from pathlib import Path
from typing import Any, cast

import pytest
import yaml
from typer.main import get_command

from pinakes.cli.commands import app
from pinakes.settings import Settings

ROOT = Path(__file__).parent.parent
DOCKERFILE = (ROOT / "Dockerfile").read_text()
COMPOSE: dict[str, Any] = yaml.safe_load((ROOT / "compose.yaml").read_text())
SERVICES: dict[str, dict[str, Any]] = COMPOSE["services"]
VARIABLES = {f"PINAKES_{name.upper()}" for name in Settings.model_fields}
TEXTS = {name: (ROOT / name).read_text() for name in ("Dockerfile", "compose.yaml", "docs/deploy.md")}


def instructions() -> list[tuple[str, str]]:
    """The Dockerfile's instructions, continued lines joined."""
    joined = re.sub(r"\\\n\s*", " ", re.sub(r"(?m)^\s*#.*\n", "", DOCKERFILE))
    return [(line.split(" ", 1)[0], line.split(" ", 1)[1]) for line in joined.splitlines() if line.strip()]


@pytest.mark.parametrize("name", TEXTS)
def test_every_setting_that_is_named_exists(name: str) -> None:
    named = set(re.findall(r"PINAKES_[A-Z0-9_]*[A-Z0-9]", TEXTS[name])) - {"PINAKES_S3"}
    assert named
    assert named <= VARIABLES


def test_the_image_is_pinned_runs_as_nobody_special_and_brings_the_model() -> None:
    found = instructions()
    assert all(re.fullmatch(r"\S+:[\w.-]*\d[\w.-]*(?: AS \w+)?", rest) for word, rest in found if word == "FROM")
    assert [rest for word, rest in found if word == "USER"] == ["pinakes"]
    runs = [rest for word, rest in found if word == "RUN"]
    assert any("--require-hashes" in run for run in runs)
    assert any("pinakes model install" in run for run in runs)
    assert not any("curl" in run or "wget" in run for run in runs)


def test_what_the_image_copies_is_there_and_is_not_ignored() -> None:
    allowed = {line[1:] for line in (ROOT / ".dockerignore").read_text().splitlines() if line.startswith("!")}
    for word, rest in instructions():
        if word == "COPY" and not rest.startswith("--from"):
            for source in shlex.split(rest)[:-1]:
                assert (ROOT / source).exists()
                assert source in allowed


@pytest.mark.parametrize("name", [name for name, service in SERVICES.items() if "build" in service])
def test_every_command_that_a_container_runs_exists(name: str) -> None:
    command, *options = shlex.split(SERVICES[name]["command"])
    known = cast("Any", get_command(app)).commands[command]
    flags: set[str] = {flag for parameter in known.params for flag in (*parameter.opts, *parameter.secondary_opts)}
    assert set(options) <= flags


def test_services_configurations_and_volumes_refer_to_each_other() -> None:
    for service in SERVICES.values():
        assert set(service.get("depends_on", {})) <= set(SERVICES)
        assert {entry["source"] for entry in service.get("configs", [])} <= set(COMPOSE["configs"])
        named = {entry.split(":")[0] for entry in service.get("volumes", [])}
        assert named <= set(COMPOSE["volumes"])
        if "build" not in service:
            assert re.search(r":[\w.-]*\d", service["image"]), service["image"]
    for dependent in SERVICES.values():
        for name, terms in dependent.get("depends_on", {}).items():
            if terms["condition"] == "service_healthy":
                assert "healthcheck" in SERVICES[name] or "build" in SERVICES[name]


def test_no_secret_is_written_down_and_the_application_is_not_the_owner() -> None:
    environment = SERVICES["api"]["environment"]
    for name, value in environment.items():
        if re.search(r"SECRET|PASSWORD|_URL$", name) and "://valkey" not in value and name != "PINAKES_PUBLIC_URL":
            assert re.search(r"\$\{[A-Z0-9_]+:\?", value), name
    assert "pinakes_app:" in environment["PINAKES_DATABASE_URL"]
    assert "pinakes_owner:" in environment["PINAKES_MIGRATE_URL"]
    given = set(re.findall(r"\$\{([A-Z0-9_]+):\?", TEXTS["compose.yaml"]))
    made = set(re.search(r"for name in ([A-Z0-9_ ]+);", TEXTS["docs/deploy.md"])[1].split())  # type: ignore[index]
    assert given == made


def test_the_image_builds_and_knows_its_commands() -> None:
    if (
        shutil.which("docker") is None
        or subprocess.run(["docker", "info"], capture_output=True, check=False).returncode
    ):
        pytest.skip("no container engine runs here")
    subprocess.run(["docker", "build", "-t", "pinakes:test", str(ROOT)], check=True, timeout=1800)
    done = subprocess.run(
        ["docker", "run", "--rm", "pinakes:test", "--help"], capture_output=True, text=True, check=True
    )
    assert "serve" in done.stdout
