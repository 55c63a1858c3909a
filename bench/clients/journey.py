"""What every client does, told in the words that its model reads: a document goes in, is cited, and goes out again.

Runs in the client's environment, so it needs nothing but Python.
"""

import asyncio
import base64
import json
import re
import sys
import time
import traceback
import urllib.request
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any, Protocol, cast

TOOLS = (
    "create_catalog",
    "list_catalogs",
    "upload_to_catalog",
    "delete_catalog_document",
    "query_catalog",
    "delete_catalog",
    "get_indexing_status",
    "download_from_catalog",
    "search",
    "fetch",
)
_DEADLINE = 120.0
_URI = re.compile(r"pinakes://documents/([\w-]+)/chunks/([\w-]+)")


@dataclass(frozen=True, slots=True)
class Given:
    """Where the server and the model are, and what to take along."""

    url: str
    key: str
    model_url: str
    catalog: str
    pdf: str
    question: str
    sentence: str
    program: list[str]

    @property
    def filename(self) -> str:
        """What the file is called."""
        return Path(self.pdf).name

    def read_pdf(self) -> bytes:
        """The file itself."""
        return Path(self.pdf).read_bytes()

    @property
    def mcp_url(self) -> str:
        """Where the protocol is spoken."""
        return f"{self.url}/mcp"

    @property
    def headers(self) -> dict[str, str]:
        """Who is calling."""
        return {"Authorization": f"Bearer {self.key}"}


class Traveller(Protocol):
    """A client, connected."""

    async def list_tools(self) -> list[str]:
        """The names of the tools it sees."""
        ...

    async def call(self, tool: str, **arguments: Any) -> str:
        """What its model reads of a tool's answer, be it a success or a mistake."""
        ...

    async def read(self, uri: str) -> str:
        """What stands at the address of a citation."""
        ...


Connect = Callable[[Given], AbstractAsyncContextManager[Traveller]]


class Failed(Exception):
    """A step that did not go as it has to."""


def passage_of(uri: str) -> str:
    """What the tool `fetch` takes, for clients that know no resources."""
    match = _URI.fullmatch(uri)
    return "/".join(match.groups()) if match else uri


def run(connect: Connect, package: str, *, release: str | None = None) -> None:
    """Take a client on the journey that standard input describes; the outcome goes to standard output."""
    given = Given(**json.loads(sys.stdin.read()))
    steps: list[str] = []
    outcome: dict[str, Any] = {"version": f"{package} {release or version(package)}", "steps": steps}
    try:
        asyncio.run(_travel(connect, given, steps))
    except Exception as error:  # noqa: BLE001 -- whatever a client does is the outcome
        traceback.print_exc()
        outcome["failed"] = _name(error)
    print(json.dumps(outcome), flush=True)


def _name(error: BaseException) -> str:
    """What happened, out of the groups that task groups wrap it in."""
    if isinstance(error, BaseExceptionGroup):
        return _name(cast("BaseExceptionGroup[BaseException]", error).exceptions[0])
    return str(error) if isinstance(error, Failed) else f"{type(error).__name__}: {error}"


async def _travel(connect: Connect, given: Given, steps: list[str]) -> None:
    async with connect(given) as client:
        steps.append("connect")
        missing = set(TOOLS) - set(await client.list_tools())
        _require(not missing, f"not listed: {', '.join(sorted(missing))}")
        steps.append("list")
        catalog = await _fill(client, given, steps)
        uri = await _ask(client, given, catalog, steps)
        await _leave(client, given, catalog, uri, steps)


async def _fill(client: Traveller, given: Given, steps: list[str]) -> str:
    told = await _call(client, "create_catalog", catalog_name=given.catalog, description="Made by a client.")
    catalog = _find(r'(?:\(ID: |"catalog_id": ?")([\w-]+)', told)
    steps.append("create")
    content = base64.b64encode(given.read_pdf()).decode()
    told = await _call(client, "upload_to_catalog", catalog_id=catalog, filename=given.filename, file_content=content)
    _require(given.filename in told, told)
    steps.append("upload")
    deadline = time.monotonic() + _DEADLINE
    while not re.search(r'\*\*Overall\*\*: ready|"overall_status": ?"ready"', told):
        _require(time.monotonic() < deadline, f"never indexed: {told}")
        await asyncio.sleep(0.3)
        told = await _call(client, "get_indexing_status", catalog_id=catalog)
    steps.append("wait")
    return catalog


async def _ask(client: Traveller, given: Given, catalog: str, steps: list[str]) -> str:
    told = await _call(client, "query_catalog", query=given.question, catalog_id=catalog)
    _require(given.sentence in told, told)
    steps.append("query")
    if (cited := _URI.search(told)) is not None:
        uri = cited[0]
    else:
        # This client's model reads the words of an answer only; `search` says the ids in words.
        document, chunk = _find(r'"passage_id": ?"([^"]+)"', await _call(client, "search", query=given.question)).split(
            "/"
        )
        uri = f"pinakes://documents/{document}/chunks/{chunk}"
    opened = _plain(await client.read(uri))
    _require(given.sentence in opened, opened)
    steps.append("open the citation")
    return uri


async def _leave(client: Traveller, given: Given, catalog: str, uri: str, steps: list[str]) -> None:
    document = passage_of(uri).partition("/")[0]
    told = await _call(client, "download_from_catalog", catalog_id=catalog, document_id=document)
    link = _find(r"(https?://[^\s\"'\\)]+)", told)
    _require(_download(link) == given.read_pdf(), "the download is not what was uploaded")
    steps.append("download")
    told = await _call(client, "delete_catalog", catalog_id=catalog)
    _require("Nothing was deleted" in told, f"a mistake is not told to the model: {told}")
    steps.append("be told of a mistake")
    # By its name: that is what a model has read.
    told = await _call(client, "delete_catalog_document", catalog_id=catalog, document_id=given.filename)
    _require(re.search(r'Deleted|"vectors_removed": ?true', told) is not None, told)
    await _call(client, "delete_catalog", catalog_id=catalog, confirm=True)
    told = await _call(client, "list_catalogs")
    _require(catalog not in told, f"the catalog is still there: {told}")
    steps.append("delete")


async def _call(client: Traveller, tool: str, **arguments: Any) -> str:
    return _plain(await client.call(tool, **arguments))


def _download(link: str) -> bytes:
    """As anybody would who has the link: without a key."""
    with urllib.request.urlopen(link, timeout=_DEADLINE) as answer:
        return answer.read()


def _plain(told: str) -> str:
    """Some clients hand on JSON, or JSON within JSON: without its escapes all of them read the same."""
    for _ in range(2):
        told = told.replace("\\\\", "\\").replace('\\"', '"').replace("\\n", "\n")
    return told


def _find(pattern: str, told: str) -> str:
    found = re.search(pattern, told)
    if found is None:
        raise Failed(f"not in the answer: {pattern}: {told}")
    return found[1]


def _require(kept: bool, why: str) -> None:
    if not kept:
        raise Failed(why)
