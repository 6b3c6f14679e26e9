"""Builds the LangChain client of a provider, and the arguments of each call to it.

What an endpoint refuses is kept in a :class:`Wire` for its life: a parameter is dropped once and
never sent again. Chat completions get their parameters by ``extra_body``, so that no client
renames or reinterprets them; clients of other protocols get them when they are built.
"""

from __future__ import annotations

import importlib
import os
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

import httpx
from langchain_core.language_models.chat_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, SystemMessage
from pydantic import SecretStr

from leadline.domain.config import ModelConfig, Provider
from leadline.errors import InvalidSetting
from leadline.models.content import text_of
from leadline.models.ladder import LadderMemory, Reply, Step, StepRefused, without_images
from leadline.models.prompts import Message
from leadline.models.providers import PRESETS, endpoint_of
from leadline.models.transport import http_client

AZURE_API_VERSION = "2024-10-21"
_TOKEN_FIELDS = ("max_tokens", "max_completion_tokens")


@dataclass(frozen=True)
class Shape:
    """How the answer of a call is asked for; plain text when there is no schema."""

    step: Step = Step.TEXT
    name: str = ""
    schema: dict[str, Any] = field(default_factory=dict)


@dataclass
class Wire:
    """A client and what is known of its endpoint."""

    chat: BaseChatModel
    config: ModelConfig
    family: Literal["completions", "responses", "other"]
    token_field: str = "max_tokens"
    refused: set[str] = field(default_factory=set)
    memory: LadderMemory = field(default_factory=LadderMemory)
    http: httpx.AsyncClient | None = None

    def __post_init__(self) -> None:
        if self.family == "responses":
            self.memory.without.add(Step.TOOL)
        elif self.family == "other":
            self.memory.without.add(Step.SCHEMA)
        if not self.config.vision:
            self.refused.add("images")

    def sent(self, messages: Sequence[Message], shape: Shape, *, stream: bool) -> frozenset[str]:
        """Names of what this call sends beyond its text, as refusals name them."""
        names = {self.token_field, "temperature"}
        if stream:
            names.add("stream_options")
        if shape.step is Step.SCHEMA:
            names.add("response_format")
        elif shape.step is Step.TOOL:
            names |= {"tools", "tool_choice"}
        if any(message.images for message in messages):
            names.add("images")
        return frozenset(names - self.refused - {""})

    def refuse(self, parameter: str) -> None:
        """Never send this again. Raises :class:`StepRefused` when the step rests on it."""
        if parameter in ("response_format", "tools"):
            raise StepRefused
        self.refused.add(parameter)
        if parameter == self.token_field:
            left = [name for name in _TOKEN_FIELDS if name not in self.refused]
            self.token_field = left[0] if left else ""
        if self.family == "other" and parameter == "temperature":
            self.chat = self.chat.model_copy(update={"temperature": None})

    def client(self, sent: frozenset[str], shape: Shape) -> Any:
        """What to call ``ainvoke`` or ``astream`` on."""
        if self.family != "other" or shape.step is not Step.TOOL:
            return self.chat
        choice = {"tool_choice": shape.name} if "tool_choice" in sent else {}
        return self.chat.bind_tools([_tool(shape)], **choice)

    def arguments(self, sent: frozenset[str], shape: Shape, *, stream: bool) -> dict[str, Any]:
        """Keyword arguments of the call."""
        if self.family == "other":
            return {}
        body: dict[str, Any] = {}
        if "temperature" in sent and self.config.temperature is not None:
            body["temperature"] = self.config.temperature
        if self.token_field in sent:
            body[self.token_field] = self.config.max_output_tokens
        if "response_format" in sent:
            schema = {"name": shape.name, "strict": True, "schema": shape.schema}
            body["response_format"] = {"type": "json_schema", "json_schema": schema}
        if "tools" in sent:
            body["tools"] = [_tool(shape)]
            if "tool_choice" in sent:
                body["tool_choice"] = {"type": "function", "function": {"name": shape.name}}
        if self.family == "responses":
            return body
        arguments: dict[str, Any] = {"extra_body": body}
        if stream:
            arguments["stream_usage"] = "stream_options" in sent
        return arguments

    def messages(self, messages: Sequence[Message]) -> list[BaseMessage]:
        """The messages as LangChain has them; images only when the model is shown any."""
        shown = without_images(tuple(messages)) if "images" in self.refused else messages
        return [_to_langchain(message) for message in shown]

    async def aclose(self) -> None:
        """Close the connections."""
        if self.http is not None:
            await self.http.aclose()


def build_wire(config: ModelConfig, api_key: SecretStr | None, *, seconds: float) -> Wire:
    """The wire of a configuration. Raises :class:`InvalidSetting` when it cannot be built."""
    preset = PRESETS[config.provider]
    key = api_key or SecretStr(preset.stand_in_key)
    if preset.extra:
        return Wire(_other_client(config, key, seconds), config, "other", token_field="")
    url = endpoint_of(config)
    http = http_client(url, seconds=seconds, max_bytes=1_000_000 + 16 * config.max_output_tokens)
    chat = _openai_client(config, key, url, http, seconds)
    responses = bool(getattr(chat, "use_responses_api", False))
    newer = config.provider in (Provider.OPENAI, Provider.AZURE)
    return Wire(
        chat,
        config,
        "responses" if responses else "completions",
        token_field="max_completion_tokens" if newer and not responses else "max_tokens",
        http=http,
    )


def _openai_client(
    config: ModelConfig, key: SecretStr, url: str, http: httpx.AsyncClient, seconds: float
) -> BaseChatModel:
    # Its import takes two seconds, and the offline model never needs it.
    from langchain_openai import AzureChatOpenAI, ChatOpenAI

    common: dict[str, Any] = {
        "model": config.name,
        "api_key": key,
        "http_async_client": http,
        "max_retries": 0,
        "timeout": http.timeout,
        "stream_chunk_timeout": seconds,
        # The proxy variable of its own would clash with our client.
        "openai_proxy": "",
    }
    if config.provider is Provider.AZURE and "/openai/v1" not in url:
        return AzureChatOpenAI(
            azure_endpoint=url,
            azure_deployment=config.name,
            api_version=os.environ.get("OPENAI_API_VERSION") or AZURE_API_VERSION,
            **common,
        )
    official = None if config.provider is Provider.OPENAI and not config.base_url else False
    return ChatOpenAI(base_url=url, use_responses_api=official, **common)


def _other_client(config: ModelConfig, key: SecretStr, seconds: float) -> BaseChatModel:
    """The client of an optional extra."""
    preset = PRESETS[config.provider]
    tokens = config.max_output_tokens
    common: dict[str, Any] = {"model": config.name, "temperature": config.temperature}
    own_url = {"base_url": endpoint_of(config)} if config.base_url else {}
    match config.provider:
        case Provider.ANTHROPIC:
            module, name = "langchain_anthropic", "ChatAnthropic"
            given = {"api_key": key, "max_tokens": tokens, "timeout": seconds, "max_retries": 0}
            given |= own_url
        case Provider.GOOGLE:
            module, name = "langchain_google_genai", "ChatGoogleGenerativeAI"
            given = {"google_api_key": key, "max_output_tokens": tokens, "timeout": seconds}
            given |= {"max_retries": 1, **own_url}
        case Provider.MISTRAL:
            module, name = "langchain_mistralai", "ChatMistralAI"
            given = {"api_key": key, "max_tokens": tokens, "timeout": int(seconds) or 1}
            given |= {"max_retries": 0}
            given |= {"endpoint": endpoint_of(config)} if config.base_url else {}
        case Provider.OLLAMA_NATIVE:
            module, name = "langchain_ollama", "ChatOllama"
            given = {"base_url": endpoint_of(config), "num_ctx": config.context_tokens}
            given |= {"num_predict": tokens, "client_kwargs": {"timeout": seconds}}
        case _:
            raise InvalidSetting(f"{preset.label} is no provider of an optional extra.")
    try:
        client = getattr(importlib.import_module(module), name)
    except ImportError:
        raise InvalidSetting(
            f"{preset.label} needs an optional package: install leadline[{preset.extra}]."
        ) from None
    chat: BaseChatModel = client(**common, **given)
    return chat


def reply_of(message: AIMessage, *, max_chars: int) -> Reply:
    """What came back, in one shape; a text past ``max_chars`` is cut."""
    text = text_of(message.content)
    invalid = [call.get("args") or "" for call in message.invalid_tool_calls]
    finish = str(
        message.response_metadata.get("finish_reason")
        or message.response_metadata.get("stop_reason")
        or message.response_metadata.get("done_reason")
        or ""
    )
    cut = finish in ("length", "max_tokens", "MAX_TOKENS") or len(text) > max_chars
    problem = "the endpoint filtered the answer out" if finish == "content_filter" else ""
    return Reply(
        text=text[:max_chars],
        tool_args=(*(call["args"] for call in message.tool_calls), *invalid),
        cut=cut,
        problem=problem,
    )


def _tool(shape: Shape) -> dict[str, Any]:
    function = {
        "name": shape.name,
        "description": "Hand in the answer.",
        "parameters": shape.schema,
    }
    return {"type": "function", "function": function}


def _to_langchain(message: Message) -> BaseMessage:
    if message.role == "system":
        return SystemMessage(message.text)
    if message.role == "assistant":
        return AIMessage(message.text)
    if not message.images:
        return HumanMessage(message.text)
    pictures = [{"type": "image_url", "image_url": {"url": image}} for image in message.images]
    return HumanMessage([{"type": "text", "text": message.text}, *pictures])
