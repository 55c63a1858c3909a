"""Documents are indexed while everything is killed at random; afterwards nothing may be missing or left over."""

import random
import signal
import time
from collections import Counter
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import httpx
import psutil

from bench.installation import Installation, Violation

_SETTLE_SECONDS = 150.0
_UPLOADS_AT_ONCE = 4
_FIND_SECONDS = 5.0
_LONGEST_OUTAGE = 3.0


@dataclass(frozen=True, slots=True)
class Cycle:
    """What one cycle did."""

    workspace_id: str
    kills: Mapping[str, int]
    seconds: float
    settled_after: float


def run_cycle(
    installation: Installation,
    documents: Mapping[str, bytes],
    *,
    dice: random.Random,
    kills: int,
    pause: tuple[float, float] = (0.0, 1.5),
) -> Cycle:
    """Upload documents into a new workspace, kill so many times meanwhile, and wait until nothing is in the works."""
    installation.ensure_running()
    began = time.monotonic()
    workspace_id = _patiently(installation, "POST", "/api/workspaces", None, json={"name": "Recovery"})["id"]
    kb = _patiently(installation, "POST", "/api/knowledge-bases", workspace_id, json={"name": "Papers"})["id"]

    def upload(name: str) -> None:
        path, file = f"/api/knowledge-bases/{kb}/documents", {"file": (name, documents[name])}
        _patiently(installation, "POST", path, workspace_id, files=file, data={"replace": "true"})

    killed: Counter[str] = Counter()
    waiting: list[str] = []
    with ThreadPoolExecutor(_UPLOADS_AT_ONCE) as pool:
        # A share of the documents before each kill, so that every kill meets work.
        names, share = list(documents), -(-len(documents) // (kills + 1))
        uploads = [pool.submit(upload, name) for name in names[:share]]
        for number in range(1, kills + 1):
            uploads += [pool.submit(upload, name) for name in names[number * share : (number + 1) * share]]
            time.sleep(dice.uniform(*pause))
            # Each kind once before any a second time, in an order that is never the same.
            waiting = waiting or dice.sample(installation.victims, len(installation.victims))
            killed += _kill_one(installation, waiting.pop(), dice)
            installation.ensure_running()
        for done in uploads:
            done.result()
    quiet = time.monotonic()
    _wait_until_settled(installation, workspace_id, len(documents))
    return Cycle(workspace_id, killed, time.monotonic() - began, time.monotonic() - quiet)


def _kill_one(installation: Installation, victim: str, dice: random.Random) -> Counter[str]:
    if victim in installation.outside:
        installation.outside[victim].kill()
        time.sleep(dice.uniform(0, _LONGEST_OUTAGE))
        installation.outside[victim].start()
        return Counter([victim])
    deadline = time.monotonic() + _FIND_SECONDS
    while (process := installation.find(victim)) is None:
        if time.monotonic() > deadline:
            return Counter()
        time.sleep(0.01)
    try:
        process.send_signal(signal.SIGKILL)
        if victim == "server":
            process.wait(10)
    except psutil.NoSuchProcess:
        return Counter()
    return Counter([victim])


def _patiently(installation: Installation, method: str, path: str, workspace_id: str | None, **request: Any) -> Any:
    """What a call gives once it succeeds; what is away is asked again, what is refused is a violation."""
    headers = {"X-Pinakes-Workspace": workspace_id} if workspace_id else {}
    deadline = time.monotonic() + _SETTLE_SECONDS
    problem = "never asked"
    while time.monotonic() < deadline:
        try:
            with installation.client() as client:
                response = client.request(method, path, headers=headers, **request)
            if response.is_success:
                return response.json()["data"]
            problem = f"{response.status_code} {response.text}"
            if response.status_code < 500 or response.json()["errorCode"] == "INTERNAL_ERROR":
                raise Violation(f"{method} {path}: {problem}")
        except (OSError, httpx.HTTPError) as error:
            problem = repr(error)
        time.sleep(0.2)
    raise Violation(f"{method} {path} did not succeed in {_SETTLE_SECONDS:g} s: {problem}")


def _wait_until_settled(installation: Installation, workspace_id: str, count: int) -> None:
    """Until every document is indexed and no operation is left that waits or runs; slow is not stuck."""
    deadline, best = time.monotonic() + _SETTLE_SECONDS, -1
    while True:
        totals = {
            status: _patiently(installation, "GET", f"/api/operations?status={status}&limit=1", workspace_id)["total"]
            for status in ("pending", "running", "completed", "failed", "terminated")
        }
        open_jobs = _count_open_jobs(installation)
        if totals["completed"] >= count and not totals["pending"] and not totals["running"] and not open_jobs:
            return
        if totals["completed"] > best:
            deadline, best = time.monotonic() + _SETTLE_SECONDS, totals["completed"]
        if time.monotonic() > deadline:
            raise Violation(f"Stuck: {totals}, {open_jobs} jobs, and nothing done for {_SETTLE_SECONDS:g} s")
        time.sleep(0.2)


def _count_open_jobs(installation: Installation) -> int:
    lines = httpx.get(f"{installation.url}/metrics", timeout=30, trust_env=False).text.splitlines()
    counts = dict(line.rsplit(" ", 1) for line in lines if line.startswith("pinakes_jobs{"))
    return sum(int(float(counts.get(f'pinakes_jobs{{status="{status}"}}', 0))) for status in ("todo", "doing"))
