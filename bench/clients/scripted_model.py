"""An OpenAI-compatible server whose model does what it is told: the tool calls of a script, really made by the client.

A message `{"tool": "…", "arguments": {…}}` is answered with that call, the answer to a call is repeated word for word,
and `tools` is answered with the names of the tools that the model was offered.
"""

import json
import threading
from collections.abc import Generator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

MODEL = "scripted"
LIST = "tools"


def order(tool: str, arguments: dict[str, Any]) -> str:
    """What a user says to have a tool called."""
    return json.dumps({"tool": tool, "arguments": arguments})


def answer(said: str, offered: list[str], *, by_tool: bool) -> dict[str, Any]:
    """The model's next message."""
    if by_tool:
        return {"role": "assistant", "content": said}
    if said == LIST:
        return {"role": "assistant", "content": json.dumps(offered)}
    asked = json.loads(said)
    if asked["tool"] not in offered:
        return {"role": "assistant", "content": f"I have no tool '{asked['tool']}'."}
    function = {"name": asked["tool"], "arguments": json.dumps(asked["arguments"])}
    return {
        "role": "assistant",
        "content": None,
        "tool_calls": [{"id": f"call_{abs(hash(said)):x}", "type": "function", "function": function}],
    }


@contextmanager
def scripted_model() -> Generator[str]:
    """The address to give to a client as its `base_url`."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/v1"
    finally:
        server.shutdown()
        server.server_close()


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        """A chat completion, whole or in parts as the client asks."""
        asked = json.loads(self.rfile.read(int(self.headers["content-length"])))
        if self.path != "/v1/chat/completions":
            self._send(404, "application/json", b'{"error": {"message": "Only chat completions are served."}}')
            return
        last = asked["messages"][-1]
        offered = [tool["function"]["name"] for tool in asked.get("tools", [])]
        message = answer(_text(last["content"]), offered, by_tool=last["role"] == "tool")
        if asked.get("stream"):
            parts = [f"data: {json.dumps(part)}\n\n" for part in _parts(message)]
            self._send(200, "text/event-stream", "".join([*parts, "data: [DONE]\n\n"]).encode())
        else:
            self._send(200, "application/json", json.dumps(_whole(message)).encode())

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 -- as it is inherited
        """Say nothing."""

    def _send(self, status: int, media_type: str, body: bytes) -> None:
        self.send_response(status)
        self.send_header("content-type", media_type)
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


def _text(content: str | list[dict[str, str]]) -> str:
    return content if isinstance(content, str) else "\n".join(part.get("text", "") for part in content)


_COMMON = {"id": "chatcmpl-1", "created": 1, "model": MODEL}
_USAGE = {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}


def _reason(message: dict[str, Any]) -> str:
    return "tool_calls" if message.get("tool_calls") else "stop"


def _whole(message: dict[str, Any]) -> dict[str, Any]:
    choice = {"index": 0, "message": message, "finish_reason": _reason(message), "logprobs": None}
    return {**_COMMON, "object": "chat.completion", "choices": [choice], "usage": _USAGE}


def _parts(message: dict[str, Any]) -> list[dict[str, Any]]:
    """The text in halves, the arguments of a call in halves: as servers stream them."""
    deltas: list[dict[str, Any]] = [{"role": "assistant", "content": None}]
    for call in message.get("tool_calls", []):
        name, arguments = call["function"]["name"], call["function"]["arguments"]
        middle = len(arguments) // 2
        begun = {**call, "index": 0, "function": {"name": name, "arguments": arguments[:middle]}}
        deltas += [
            {"tool_calls": [begun]},
            {"tool_calls": [{"index": 0, "function": {"arguments": arguments[middle:]}}]},
        ]
    if text := message["content"]:
        middle = len(text) // 2
        deltas += [{"content": text[:middle]}, {"content": text[middle:]}]
    ends = [None] * len(deltas)
    choices = [
        {"index": 0, "delta": delta, "finish_reason": end}
        for delta, end in zip([*deltas, {}], [*ends, _reason(message)], strict=True)
    ]
    common = {**_COMMON, "object": "chat.completion.chunk"}
    return [*({**common, "choices": [choice]} for choice in choices), {**common, "choices": [], "usage": _USAGE}]
