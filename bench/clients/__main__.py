"""Whether agents that others wrote can use the tools: each client in an environment of its own, with a real server.

    python -m bench.clients [names] [--environments FOLDER] [--write docs/clients.md]

A name is a module of `bench/clients/drivers`; without names, all of them. Ends with 1 when a client fails.
"""

import argparse
import io
import sys
import tempfile
from pathlib import Path
from typing import Any

from reportlab.pdfgen.canvas import Canvas  # pyright: ignore[reportMissingTypeStubs]

from bench.clients.environments import CLIENTS, Client, drive, prepare
from bench.clients.scripted_model import scripted_model
from bench.serving import Served, serving
from bench.speed.figures import Finding, write

_QUESTION = "How deep does the grey heron wade?"
_SENTENCE = "The grey heron wades no deeper than 40 centimetres."
_PAGES = ("Notes of the wardens on the birds of the estuary.", _SENTENCE, "The white stork nests on chimneys.")
_MOST_WORDS = 160


def main() -> None:
    """Take the clients on the journey, one after the other."""
    parser = argparse.ArgumentParser(prog="python -m bench.clients")
    parser.add_argument("names", nargs="*", choices=[[], *(client.module for client in CLIENTS)], metavar="names")
    parser.add_argument("--environments", type=Path, help="folder to keep the environments in")
    parser.add_argument("--write", type=Path, help="document to put the outcome into")
    asked = parser.parse_args()
    chosen = [client for client in CLIENTS if not asked.names or client.module in asked.names]
    with tempfile.TemporaryDirectory(prefix="pinakes-clients-") as made:
        folder = (asked.environments or Path(made)).absolute()
        folder.mkdir(parents=True, exist_ok=True)
        finding = _travel(chosen, folder, Path(made))
    if asked.write:
        write(finding, asked.write)
    sys.exit(not all(finding.passed))


def _travel(chosen: list[Client], folder: Path, made: Path) -> Finding:
    finding = Finding("outcome")
    rows: list[list[str]] = []
    pdf = made / "herons.pdf"
    pdf.write_bytes(_make_pdf())
    with serving() as served, scripted_model() as model_url:
        given = {
            "url": str(served.client.base_url).rstrip("/"),
            "model_url": model_url,
            "catalog": "Wading birds",
            "pdf": str(pdf),
            "question": _QUESTION,
            "sentence": _SENTENCE,
            "program": [sys.executable, "-m", "pinakes", "mcp"],
        }
        for client in chosen:
            failed = prepare(client, folder)
            outcome = {"failed": failed} if failed else drive(client, folder, {**given, "key": _make_key(served)})
            finding.passed.append("failed" not in outcome)
            rows.append([client.name, outcome.get("version", "–"), client.transport, _tell(outcome)])
            print(f"  {client.module}: {rows[-1][-1]}", flush=True)
    head = ["client", "version", "through", "outcome"]
    finding.say("\n".join(f"| {' | '.join(cells)} |" for cells in [head, ["---"] * len(head), *rows]))
    return finding


def _tell(outcome: dict[str, Any]) -> str:
    """Passed; or how far it came, and why no further."""
    if "failed" not in outcome:
        return "passed"
    after = outcome.get("steps") or ["nothing"]
    words = " ".join(str(outcome["failed"]).split()).replace("|", "\\|")
    return f"FAILED after *{after[-1]}*: {words[:_MOST_WORDS]}"


def _make_key(served: Served) -> str:
    """A key of an agent, in a workspace of its own with every tool on: a client has to take each one's schema."""
    workspace = served.data("POST", "/api/workspaces", json={"name": "Clients"})["id"]
    there = {"X-Pinakes-Workspace": workspace}
    for tool in served.data("GET", "/api/tools", headers=there):
        served.data("PATCH", f"/api/tools/{tool['name']}", json={"isOn": True}, headers=there)
    made = served.data("POST", "/api/keys", json={"name": "clients", "scopes": ["read", "write"]}, headers=there)
    return made["key"]


def _make_pdf() -> bytes:
    file = io.BytesIO()
    canvas: Any = Canvas(file, invariant=1)
    for page in _PAGES:
        canvas.drawString(72, 720, page)
        canvas.showPage()
    canvas.save()
    return file.getvalue()


if __name__ == "__main__":
    main()
