"""What a call of a tool costs the server, in processor time of its process.

    python -m bench.tools [--calls 300] [--rounds 3]

Each way of calling takes turns with the others in one run, so that the ratios mean something on any machine. Over MCP a
call should cost at most twice what it costs over REST, and listing forty tools under 10 ms; with fewer there, what they
take counts in proportion.
"""

import argparse
import statistics
import sys
from collections.abc import Callable
from typing import Any

import httpx
import psutil

from bench.serving import Served, serving, wait_for_quiet
from bench.writing import Writer

ROUNDS = 3
CALLS = 300
MCP_TARGET = 2.0
LISTING_TARGET = 0.010
_LISTED = 40
_CHARACTERS = 4_000
_DOCUMENTS = 5
_MCP_REVISION = "2026-07-28"
_MCP_META: dict[str, Any] = {
    "io.modelcontextprotocol/protocolVersion": _MCP_REVISION,
    "io.modelcontextprotocol/clientCapabilities": {},
}
Way = Callable[[httpx.Client], httpx.Response]


def measure(rounds: int = ROUNDS, calls: int = CALLS) -> bool:
    """Print what each way costs and the ratios; whether they are good enough."""
    with serving() as server:
        catalog = _fill(server)
        agent = httpx.Client(base_url=server.client.base_url, headers=_key(server), timeout=60, trust_env=False)
        tools = len(server.data("GET", "/api/tools"))
        ways = {name: way for name, way in _ways(catalog).items() if _works(agent, name, way)}
        process = _process(server)
        costs: dict[str, list[float]] = {name: [] for name in ways}
        for _ in range(rounds):
            wait_for_quiet(10)
            for name, way in ways.items():
                costs[name].append(_cost(process, agent, way, calls))
    cost = {name: statistics.median(taken) for name, taken in costs.items()}
    for name, seconds in cost.items():
        print(f"  {name}: {seconds * 1000:.2f} ms of the server's processor time")
    return _judge(cost, tools)


def _judge(cost: dict[str, float], tools: int) -> bool:
    passed = True
    plain, called = cost["GET /api/knowledge-bases"], cost["list_catalogs over REST"]
    print(f"  A tool that lists catalogs costs {called / plain:.2f} times the plain list")
    for tool in ("list_catalogs", "list_catalog_documents"):
        over_mcp = cost.get(f"{tool} over MCP")
        if over_mcp is None:
            continue
        ratio = over_mcp / cost[f"{tool} over REST"]
        passed &= ratio <= MCP_TARGET
        print(f"{_word(ratio <= MCP_TARGET)}: {tool} over MCP is {ratio:.2f} times REST; at most {MCP_TARGET:g}")
    for name in (name for name in cost if name.startswith("listing")):
        taken = cost[name] * _LISTED / tools
        passed &= taken <= LISTING_TARGET
        print(
            f"{_word(taken <= LISTING_TARGET)}: {name}, {tools} of them, takes {cost[name] * 1000:.1f} ms, "
            f"{taken * 1000:.1f} for {_LISTED}; at most {LISTING_TARGET * 1000:g} ms"
        )
    return passed


def _word(passed: bool) -> str:
    return "PASS" if passed else "FAIL"


def _ways(catalog: str) -> dict[str, Way]:
    named = {"catalog_id": catalog}
    return {
        "GET /api/knowledge-bases": lambda client: client.get("/api/knowledge-bases"),
        "list_catalogs over REST": lambda client: client.post("/api/tools/list_catalogs", json={}),
        "list_catalogs over MCP": lambda client: _mcp(client, "tools/call", name="list_catalogs", arguments={}),
        "list_catalog_documents over REST": lambda client: client.post("/api/tools/list_catalog_documents", json=named),
        "list_catalog_documents over MCP": lambda client: _mcp(
            client, "tools/call", name="list_catalog_documents", arguments=named
        ),
        "listing tools over REST": lambda client: client.get("/api/tools"),
        "listing tools over MCP": lambda client: _mcp(client, "tools/list"),
    }


def _mcp(client: httpx.Client, method: str, **params: Any) -> httpx.Response:
    message = {"jsonrpc": "2.0", "id": 1, "method": method, "params": {**params, "_meta": _MCP_META}}
    headers = {
        "Accept": "application/json, text/event-stream",
        "MCP-Protocol-Version": _MCP_REVISION,
        "Mcp-Method": method,
    }
    if "name" in params:
        headers["Mcp-Name"] = params["name"]
    return client.post("/mcp", json=message, headers=headers)


def _works(client: httpx.Client, name: str, way: Way) -> bool:
    """Whether the server answers this way; whatever is made at the first call is made by then."""
    answer = way(client)
    if answer.is_success and 'isError":true' not in answer.text and '"status":"error"' not in answer.text:
        return True
    print(f"  {name}: not measured ({answer.status_code} {answer.text[:100]})")
    return False


def _cost(process: psutil.Process, client: httpx.Client, way: Way, calls: int) -> float:
    def used() -> float:
        times = process.cpu_times()
        return times.user + times.system

    before = used()
    for _ in range(calls):
        way(client).raise_for_status()
    return (used() - before) / calls


def _fill(server: Served) -> str:
    writer = Writer(1)
    kb = server.make_kb("Asked")
    for number in range(_DOCUMENTS):
        server.upload(kb, f"{number}.md", writer.write_document(_CHARACTERS))
    server.wait_until_indexed(kb, _DOCUMENTS)
    # Every tool is listed that there is.
    names = [tool["name"] for tool in server.data("GET", "/api/tools")]
    server.data("PATCH", "/api/tools", json={"switches": dict.fromkeys(names, True)})
    return kb


def _key(server: Served) -> dict[str, str]:
    made = server.data("POST", "/api/keys", json={"name": "bench", "scopes": ["read", "write"]})
    return {"Authorization": f"Bearer {made['key']}"}


def _process(server: Served) -> psutil.Process:
    """The one of our children that listens where the server is."""
    for child in psutil.Process().children(recursive=True):
        ports = {found.laddr.port for found in child.net_connections() if found.status == psutil.CONN_LISTEN}
        if server.client.base_url.port in ports:
            return child
    raise SystemExit("The server's process was not found.")


def main() -> None:
    """Read the command line and measure."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--calls", type=int, default=CALLS)
    parser.add_argument("--rounds", type=int, default=ROUNDS)
    given = parser.parse_args()
    sys.exit(not measure(given.rounds, given.calls))


if __name__ == "__main__":
    main()
