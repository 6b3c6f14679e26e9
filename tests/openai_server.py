"""A scripted OpenAI-compatible HTTP server on 127.0.0.1, honest or faulty in one chosen way.

    with OpenAIServer(mode="competent", latency=0.0) as server:
        server.base_url, server.calls, server.requests

``mode`` is one of :data:`MODES`; ``faults`` limits it to the first calls (then it is competent).
``python -m tests.openai_server --port 8001 --mode think`` serves until it is interrupted.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import json
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from types import TracebackType
from typing import Any

from tests import openai_brain as brain

MODES = (
    "competent", "429", "500", "hang", "cut", "malformed", "sloppy", "fenced", "think",
    "wrong-tool", "wrong-types", "empty", "huge", "endless-tools", "inventing", "parts",
    "loop", "text", "html", "401", "404", "quota", "lying",
)  # fmt: skip

HUGE = 20_000_000
_THOUGHT = '<think>The secret plan of the model. {"categories": []} [TOOL_CALL:x:{}]</think>'


@dataclass
class ChatCall:
    """One request as it came."""

    body: dict[str, Any]
    headers: dict[str, str]
    number: int

    @property
    def system(self) -> str:
        return "\n".join(
            _text(m) for m in self.body["messages"] if m["role"] in ("system", "developer")
        )

    @property
    def user(self) -> str:
        """The first user message: a question asked again has more of them."""
        return next((_text(m) for m in self.body["messages"] if m["role"] == "user"), "")

    @property
    def kind(self) -> str:
        return brain.kind_of(self.system)

    @property
    def stream(self) -> bool:
        return bool(self.body.get("stream"))

    @property
    def tool(self) -> str:
        tools = self.body.get("tools")
        return tools[0]["function"]["name"] if tools else ""


@dataclass
class Answer:
    """What is sent back as the assistant's message."""

    content: Any = ""
    tool_calls: list[tuple[str, str]] = field(default_factory=list)
    finish: str = "stop"


Behaviour = Callable[[ChatCall], Answer]


@dataclass
class OpenAIServer:
    """The server; a context manager. ``behaviour`` replaces what ``mode`` would answer."""

    mode: str = "competent"
    latency: float = 0.0
    faults: int | None = None
    retry_after: str = ""
    refuse: tuple[str, ...] = ()
    """Parameters that get a 400 (``temperature``, ``response_format``, ``tools`` …)."""
    key: str = ""
    """The bearer key that is wanted; empty: none."""
    behaviour: Behaviour | None = None
    usage: bool = True
    port: int = 0
    requests: list[ChatCall] = field(default_factory=list)
    refused: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        if self.mode not in MODES:
            raise ValueError(f"mode is one of {', '.join(MODES)}")
        self._ready = threading.Event()
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._serve, name="openai-server", daemon=True)
        self._at_work = 0
        self.peak = 0

    def __enter__(self) -> OpenAIServer:
        self._thread.start()
        assert self._ready.wait(10)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._loop.call_soon_threadsafe(self._stop.set)
        self._thread.join(10)

    @property
    def base_url(self) -> str:
        return f"http://127.0.0.1:{self.port}/v1"

    @property
    def calls(self) -> int:
        """Chat requests, refused parameters not counted."""
        return len(self.requests)

    def of(self, kind: str) -> list[ChatCall]:
        """The requests of one kind (``planner``, ``reflector``, ``writer``, ``worker``)."""
        return [call for call in self.requests if call.kind == kind]

    def _serve(self) -> None:
        asyncio.set_event_loop(self._loop)
        self._loop.run_until_complete(self._main())
        self._loop.close()

    async def _main(self) -> None:
        self._stop = asyncio.Event()
        tasks: set[asyncio.Task[None]] = set()

        async def connected(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            task = asyncio.current_task()
            assert task is not None
            tasks.add(task)
            try:
                with contextlib.suppress(
                    ConnectionError, asyncio.IncompleteReadError, asyncio.CancelledError
                ):
                    await self._connection(reader, writer)
            finally:
                tasks.discard(task)
                writer.transport.abort() if self._stop.is_set() else writer.close()
                with contextlib.suppress(ConnectionError):
                    await writer.wait_closed()

        server = await asyncio.start_server(connected, "127.0.0.1", self.port)
        self.port = server.sockets[0].getsockname()[1]
        self._ready.set()
        await self._stop.wait()
        server.close()
        for task in list(tasks):
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        await server.wait_closed()

    async def _connection(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
        request, *lines = head.split("\r\n")
        headers = {
            k.strip().lower(): v.strip() for k, _, v in (line.partition(":") for line in lines)
        }
        body = await reader.readexactly(int(headers.get("content-length") or 0))
        path = request.split(" ")[1].partition("?")[0]
        if path.endswith("/models"):
            return await _json(
                writer, 200, {"object": "list", "data": [{"id": "test", "object": "model"}]}
            )
        if not path.endswith("/chat/completions"):
            return await _error(writer, 404, "no such address")
        if self.key and headers.get("authorization") != f"Bearer {self.key}":
            return await _error(writer, 401, "the key is wrong")
        call = ChatCall(json.loads(body), headers, len(self.requests) + 1)
        if refused := next((name for name in self.refuse if _has(call.body, name)), ""):
            self.refused.append(refused)
            return await _error(writer, 400, f"Unsupported parameter: '{refused}'", param=refused)
        self.requests.append(call)
        self._at_work += 1
        self.peak = max(self.peak, self._at_work)
        try:
            await asyncio.sleep(self.latency)
            await self._answer(call, writer)
        finally:
            self._at_work -= 1

    async def _answer(self, call: ChatCall, writer: asyncio.StreamWriter) -> None:
        faulty = self.faults is None or call.number <= self.faults
        mode = self.mode if faulty else "competent"
        if self.behaviour is None and mode in _HTTP_FAULTS:
            await _HTTP_FAULTS[mode](self, call, writer)
            return
        answer = self.behaviour(call) if self.behaviour else _answer_of(mode, call)
        send = _stream if call.stream else _whole
        await send(writer, call, answer, usage=self.usage, cut=mode == "cut")


def _answer_of(mode: str, call: ChatCall) -> Answer:
    makers = {"inventing": brain.invented, "lying": brain.lying}
    make = makers.get(mode, brain.answer)
    honest = make(call.kind, call.system, call.user)
    if mode in _CONTENT_FAULTS:
        return _CONTENT_FAULTS[mode](call, honest)
    return as_asked(call, honest)


def as_asked(call: ChatCall, value: Any) -> Answer:
    if isinstance(value, str):
        return Answer(value)
    text = json.dumps(value, ensure_ascii=False)
    return Answer(tool_calls=[(call.tool, text)]) if call.tool else Answer(text)


def _dumped(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _wrong_types(call: ChatCall, honest: Any) -> Answer:
    wrong: dict[str, Any] = {
        "planner": {"categories": 7, "tasks": {"a": None}},
        "reflector": {"new_tasks": 3},
        "worker": {"memory": 5, "action": [{"read": {"results": {"x": [None]}}}, 7, "go"]},
    }
    return Answer(_dumped(wrong.get(call.kind, honest)))


def _endless_tools(call: ChatCall, honest: Any) -> Answer:
    if call.kind == "worker":
        step = {"memory": "on", "action": [{"search": {"query": f"more {call.number}"}}]}
        return Answer(tool_calls=[("agent_output", json.dumps(step))])
    return Answer(tool_calls=[("search", json.dumps({"page": n})) for n in range(200)])


def _wrong_tool(call: ChatCall, honest: Any) -> Answer:
    step = {"action": [{"teleport": {"to": "moon"}}]} if call.kind == "worker" else {"spell": 1}
    return Answer(tool_calls=[("do_magic", json.dumps(step))])


_CONTENT_FAULTS: dict[str, Callable[[ChatCall, Any], Answer]] = {
    "malformed": lambda call, honest: Answer('Sure: {"categories" [[["x"; }} ' + "]" * 9),
    "sloppy": lambda call, honest: Answer(
        honest if isinstance(honest, str) else "Here: " + _dumped(honest)[:-1] + ",} // done"
    ),
    "fenced": lambda call, honest: Answer(
        honest if isinstance(honest, str) else f"Here:\n```json\n{_dumped(honest)}\n```\nBye."
    ),
    "think": lambda call, honest: Answer(_THOUGHT + _dumped(honest)),
    "wrong-tool": _wrong_tool,
    "wrong-types": _wrong_types,
    "empty": lambda call, honest: Answer(""),
    "endless-tools": _endless_tools,
    "text": lambda call, honest: Answer("I think the answer is probably forty-two."),
    "parts": lambda call, honest: Answer(
        [{"type": "thinking", "thinking": "x"}, {"type": "text", "text": _dumped(honest)}]
    ),
}  # fmt: skip


async def _hang(server: OpenAIServer, call: ChatCall, writer: asyncio.StreamWriter) -> None:
    await asyncio.sleep(3600)


async def _status_429(server: OpenAIServer, call: ChatCall, writer: asyncio.StreamWriter) -> None:
    headers = {"retry-after": server.retry_after} if server.retry_after else {}
    await _error(writer, 429, "too many requests", headers=headers)


async def _status_500(server: OpenAIServer, call: ChatCall, writer: asyncio.StreamWriter) -> None:
    await _error(writer, 500, "a fault of the server")


async def _status_401(server: OpenAIServer, call: ChatCall, writer: asyncio.StreamWriter) -> None:
    sent = call.headers.get("authorization", "").removeprefix("Bearer ")
    await _error(writer, 401, f"Incorrect API key provided: {sent}. Find yours elsewhere.")


async def _status_404(server: OpenAIServer, call: ChatCall, writer: asyncio.StreamWriter) -> None:
    await _error(
        writer, 404, f"The model {call.body['model']} does not exist", code="model_not_found"
    )


async def _quota(server: OpenAIServer, call: ChatCall, writer: asyncio.StreamWriter) -> None:
    await _error(writer, 429, "You exceeded your current quota", code="insufficient_quota")


async def _html(server: OpenAIServer, call: ChatCall, writer: asyncio.StreamWriter) -> None:
    await _raw(writer, 200, "text/html", b"<html><body>Welcome</body></html>")


async def _huge(server: OpenAIServer, call: ChatCall, writer: asyncio.StreamWriter) -> None:
    answer = Answer("word " * (HUGE // 5))
    send = _stream if call.stream else _whole
    await send(writer, call, answer, usage=True, cut=False)


async def _loop(server: OpenAIServer, call: ChatCall, writer: asyncio.StreamWriter) -> None:
    await _start(writer, 200, "text/event-stream", {"transfer-encoding": "chunked"})
    while True:
        delta = {"content": "And so it goes on and on. " * 4}
        await _chunk(writer, _event(call, {"choices": [{"index": 0, "delta": delta}]}))


_HTTP_FAULTS = {
    "hang": _hang, "429": _status_429, "500": _status_500, "401": _status_401, "404": _status_404,
    "quota": _quota, "html": _html, "huge": _huge, "loop": _loop,
}  # fmt: skip


def _has(body: dict[str, Any], name: str) -> bool:
    if name == "images":
        return "image_url" in json.dumps(body["messages"])
    return name in body


def _text(message: dict[str, Any]) -> str:
    content = message.get("content") or ""
    if isinstance(content, str):
        return content
    return "".join(part.get("text", "") for part in content)


def _usage(call: ChatCall, answer: Answer) -> dict[str, int]:
    sent = sum(len(_text(m)) for m in call.body["messages"]) // 4
    made = (len(_dumped(answer.content)) + sum(len(a) for _, a in answer.tool_calls)) // 4
    return {"prompt_tokens": sent, "completion_tokens": made, "total_tokens": sent + made}


async def _whole(
    writer: asyncio.StreamWriter, call: ChatCall, answer: Answer, *, usage: bool, cut: bool
) -> None:
    message: dict[str, Any] = {"role": "assistant", "content": answer.content or None}
    if answer.content == "":
        message["content"] = ""
    if answer.tool_calls:
        message["tool_calls"] = [
            {"id": f"c{n}", "type": "function", "function": {"name": name, "arguments": given}}
            for n, (name, given) in enumerate(answer.tool_calls)
        ]
    body = {
        "id": "x", "object": "chat.completion", "created": int(time.time()), "model": "test",
        "choices": [{"index": 0, "message": message, "finish_reason": answer.finish}],
    }  # fmt: skip
    if usage:
        body["usage"] = _usage(call, answer)
    await _json(writer, 200, body, cut=cut)


async def _stream(
    writer: asyncio.StreamWriter, call: ChatCall, answer: Answer, *, usage: bool, cut: bool
) -> None:
    await _start(writer, 200, "text/event-stream", {"transfer-encoding": "chunked"})
    pieces = _pieces(answer.content)
    for number, piece in enumerate(pieces):
        if cut and number >= max(1, len(pieces) // 2):
            return
        delta = {"role": "assistant", "content": piece}
        await _chunk(writer, _event(call, {"choices": [{"index": 0, "delta": delta}]}))
    end: dict[str, Any] = {"choices": [{"index": 0, "delta": {}, "finish_reason": answer.finish}]}
    await _chunk(writer, _event(call, end))
    if usage and (call.body.get("stream_options") or {}).get("include_usage"):
        await _chunk(writer, _event(call, {"choices": [], "usage": _usage(call, answer)}))
    await _chunk(writer, b"data: [DONE]\n\n")
    writer.write(b"0\r\n\r\n")
    await writer.drain()


def _pieces(content: Any) -> list[Any]:
    if not isinstance(content, str):
        return [content]
    size = 7 if len(content) < 20_000 else 50_000
    return [content[at : at + size] for at in range(0, len(content), size)]


def _event(call: ChatCall, fields: dict[str, Any]) -> bytes:
    event = {"id": "x", "object": "chat.completion.chunk", "created": 1, "model": "test", **fields}
    return f"data: {json.dumps(event, ensure_ascii=False)}\n\n".encode()


async def _chunk(writer: asyncio.StreamWriter, data: bytes) -> None:
    writer.write(f"{len(data):x}\r\n".encode() + data + b"\r\n")
    await writer.drain()


async def _json(
    writer: asyncio.StreamWriter,
    status: int,
    body: Any,
    *,
    headers: dict[str, str] | None = None,
    cut: bool = False,
) -> None:
    data = json.dumps(body, ensure_ascii=False).encode()
    await _raw(writer, status, "application/json", data, headers=headers, cut=cut)


async def _error(
    writer: asyncio.StreamWriter,
    status: int,
    message: str,
    *,
    param: str | None = None,
    code: str | None = None,
    headers: dict[str, str] | None = None,
) -> None:
    error = {"message": message, "type": "invalid_request_error", "param": param, "code": code}
    await _json(writer, status, {"error": error}, headers=headers)


async def _raw(
    writer: asyncio.StreamWriter,
    status: int,
    content_type: str,
    data: bytes,
    *,
    headers: dict[str, str] | None = None,
    cut: bool = False,
) -> None:
    await _start(
        writer, status, content_type, {"content-length": str(len(data)), **(headers or {})}
    )
    end = len(data) // 2 if cut else len(data)
    for at in range(0, end, 65_536):
        writer.write(data[at : min(end, at + 65_536)])
        await writer.drain()


async def _start(
    writer: asyncio.StreamWriter, status: int, content_type: str, headers: dict[str, str]
) -> None:
    lines = [f"HTTP/1.1 {status} X", f"content-type: {content_type}", "connection: close"]
    lines += [f"{name}: {value}" for name, value in headers.items()]
    writer.write(("\r\n".join(lines) + "\r\n\r\n").encode())
    await writer.drain()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--mode", choices=MODES, default="competent")
    parser.add_argument("--latency", type=float, default=0.0)
    options = parser.parse_args()
    server = OpenAIServer(mode=options.mode, latency=options.latency, port=options.port)
    with server, contextlib.suppress(KeyboardInterrupt):
        print(server.base_url, flush=True)  # noqa: T201  # it is how one learns the port
        threading.Event().wait()


if __name__ == "__main__":
    main()
