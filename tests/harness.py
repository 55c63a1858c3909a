"""A real server in a process of its own, and workspaces to test in."""

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx

DEADLINE = 60.0


@dataclass
class Server:
    """`pinakes serve` on a data folder, reached over HTTP."""

    home: Path
    environment: dict[str, str] = field(default_factory=dict[str, str])
    arguments: tuple[str, ...] = ("--no-sample",)
    process: "subprocess.Popen[bytes] | None" = None
    url: str = ""

    def start(self) -> "Server":
        """Start and wait until it answers."""
        self.home.mkdir(parents=True, exist_ok=True)
        (self.home / "server.json").unlink(missing_ok=True)
        with (self.home / "server.log").open("ab") as log:
            self.process = subprocess.Popen(
                [sys.executable, "-m", "pinakes", "serve", "--port", "0", *self.arguments],
                env=self.variables(),
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
            )
        self.url = wait_for(self._announced_url, f"{self.home}/server.log tells why the server did not start")
        return self

    def stop(self, number: int = signal.SIGTERM) -> None:
        """Send a signal and wait for the end."""
        if self.process is not None:
            self.process.send_signal(number)
            self.process.wait(DEADLINE)
            self.process = None

    def variables(self) -> dict[str, str]:
        """The environment a command on the same data folder needs."""
        clean = {name: value for name, value in os.environ.items() if not name.startswith(("PINAKES_", "OTEL_"))}
        # Beside browsers and other servers a worker that steps back would hardly get to work.
        return clean | {"PINAKES_HOME": str(self.home), "PINAKES_WORKER_NICENESS": "0"} | self.environment

    def run(
        self, *arguments: str, check: bool = True, environment: dict[str, str] | None = None
    ) -> "subprocess.CompletedProcess[str]":
        """Run a `pinakes` command on the same data folder."""
        done = subprocess.run(
            [sys.executable, "-m", "pinakes", *arguments],
            env=self.variables() | {"COLUMNS": "200"} | (environment or {}),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=DEADLINE * 2,
            check=False,
        )
        if check and done.returncode:
            raise AssertionError(f"pinakes {' '.join(arguments)}: {done.returncode}\n{done.stdout}\n{done.stderr}")
        return done

    @property
    def owner(self) -> httpx.Client:
        """A client signed in as the local owner."""
        token = (self.home / "owner.token").read_text().strip()
        return httpx.Client(base_url=self.url, headers={"Authorization": f"Bearer {token}"}, timeout=DEADLINE)

    def new_workspace(self, name: str = "Test") -> "Workspace":
        """A workspace nobody else uses, with a key that may do everything in it."""
        with self.owner as owner:
            workspace_id = data_of(owner.post("/api/workspaces", json={"name": name}))["id"]
            made = owner.post(
                "/api/keys",
                json={"name": "test", "scopes": ["read", "write", "admin"]},
                headers={"X-Pinakes-Workspace": workspace_id},
            )
        return Workspace(workspace_id, data_of(made)["key"], self.url)

    def _announced_url(self) -> str | None:
        if self.process is not None and self.process.poll() is not None:
            raise AssertionError((self.home / "server.log").read_text()[-3000:])
        try:
            url = json.loads((self.home / "server.json").read_text())["url"]
            return url if httpx.get(f"{url}/readyz", timeout=2).status_code == 200 else None
        except (OSError, ValueError, httpx.HTTPError):
            return None


class Workspace:
    """One workspace through its API key."""

    def __init__(self, workspace_id: str, key: str, url: str) -> None:
        self.id = workspace_id
        self.key = key
        self.client = httpx.Client(base_url=url, headers={"Authorization": f"Bearer {key}"}, timeout=DEADLINE)

    def make_kb(self, name: str = "Papers", **fields: Any) -> str:
        """A new knowledge base's id."""
        return data_of(self.client.post("/api/knowledge-bases", json={"name": name, **fields}))["id"]

    def upload(self, kb: str, name: str, content: bytes | str, **form: Any) -> httpx.Response:
        """Upload a file; the raw answer."""
        body = content.encode() if isinstance(content, str) else content
        return self.client.post(f"/api/knowledge-bases/{kb}/documents", files={"file": (name, body)}, data=form)

    def add(self, kb: str, name: str, content: bytes | str, **form: Any) -> dict[str, Any]:
        """Upload a file and wait until it is indexed or failed; the document."""
        return self.settle(data_of(self.upload(kb, name, content, **form))["document"]["id"])

    def settle(self, document_id: str) -> dict[str, Any]:
        """The document once it is indexed or failed."""

        def done() -> dict[str, Any] | None:
            document = data_of(self.client.get(f"/api/documents/{document_id}"))
            return document if document["status"] in {"indexed", "failed"} else None

        return wait_for(done, f"{document_id} neither indexed nor failed")

    def search(self, query: str, **options: Any) -> list[dict[str, Any]]:
        """The results of a search."""
        return data_of(self.client.post("/api/search", json={"query": query, **options}))["results"]


def data_of(response: httpx.Response) -> Any:
    """What a successful answer holds."""
    body = response.json()
    assert response.is_success, f"{response.status_code}: {body}"
    assert body["success"] is True
    return body["data"]


def failure_of(response: httpx.Response, status: int, code: str | None = None) -> str:
    """The words of a failure, once its status and envelope are as they should be."""
    body = response.json()
    assert response.status_code == status, f"{response.status_code}: {body}"
    assert body["success"] is False
    assert body["error"]
    assert code is None or body["errorCode"] == code, body
    return body["error"]


def wait_for(probe: Callable[[], Any], what: str, seconds: float = DEADLINE) -> Any:
    """The first value a probe gives that is not None or False."""
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        value = probe()
        if value is not None and value is not False:
            return value
        time.sleep(0.05)
    raise AssertionError(f"Waited {seconds:g} s in vain: {what}")


def remove_home(home: Path) -> None:
    """Remove a data folder, with its database where that lies elsewhere."""
    engine = home / "postgres"
    if engine.is_symlink():
        shutil.rmtree(engine.resolve(), ignore_errors=True)
    shutil.rmtree(home, ignore_errors=True)
