"""What a run is, seen from outside: its status, its record in ``run.json``, its use."""

from __future__ import annotations

import re
from datetime import datetime
from enum import StrEnum

from pydantic import BaseModel, ConfigDict, Field, field_validator

from leadline.domain.config import RunConfig
from leadline.errors import InvalidTaskId, InvalidTopic

RUN_FORMAT = 1
"""Version of the folder's layout; a newer one is refused, never guessed at."""

TOPIC_MAX_CHARS = 10_000

_TASK_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9-]{0,63}", re.ASCII)


class RunStatus(StrEnum):
    """Where a run stands. Stopped, failed, empty and done are four different ends."""

    QUEUED = "queued"
    PLANNING = "planning"
    PLANNED = "planned"
    """Halted after the plan, waiting for its user."""
    RESEARCHING = "researching"
    VERIFYING = "verifying"
    WRITING = "writing"
    STOPPING = "stopping"
    DONE = "done"
    EMPTY = "empty"
    """Ran to its end and found nothing that it could cite."""
    STOPPED = "stopped"
    FAILED = "failed"
    INTERRUPTED = "interrupted"
    """Its process is gone without a last event (never stored: seen by who looks)."""

    @property
    def is_active(self) -> bool:
        """Whether a process should be at work on it (or is about to be)."""
        return self in _ACTIVE

    @property
    def is_final(self) -> bool:
        """Whether the run ended by itself or was ended."""
        return not self.is_active and self is not RunStatus.PLANNED


_ACTIVE = frozenset(
    {
        RunStatus.QUEUED,
        RunStatus.PLANNING,
        RunStatus.RESEARCHING,
        RunStatus.VERIFYING,
        RunStatus.WRITING,
        RunStatus.STOPPING,
    }
)


class Usage(BaseModel):
    """Model calls and what they cost, in total or of one role."""

    model_config = ConfigDict(frozen=True)

    calls: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    cost_usd: float | None = Field(None, description="None: no price is known for the model.")

    @property
    def tokens(self) -> int:
        """Input and output tokens together."""
        return self.input_tokens + self.output_tokens

    def __add__(self, other: Usage) -> Usage:
        costs = [c for c in (self.cost_usd, other.cost_usd) if c is not None]
        return Usage(
            calls=self.calls + other.calls,
            input_tokens=self.input_tokens + other.input_tokens,
            output_tokens=self.output_tokens + other.output_tokens,
            cost_usd=sum(costs) if costs else None,
        )


class RunRecord(BaseModel):
    """The content of ``run.json``."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    format: int = RUN_FORMAT
    task_id: str
    topic: str
    status: RunStatus = RunStatus.QUEUED
    reason: str = Field("", description="Why it stands so, in one sentence; empty when obvious.")
    created_at: datetime
    started_at: datetime | None = None
    ended_at: datetime | None = None
    seconds: float = Field(0, description="Time at work, over all its sessions.")
    usage: Usage = Field(default_factory=Usage)
    usage_by_role: dict[str, Usage] = Field(default_factory=dict)
    tasks_done: int = 0
    tasks_failed: int = 0
    tasks_open: int = 0
    sources: int = Field(0, description="Pages stored as sources.")
    findings: int = 0
    config: RunConfig = Field(default_factory=RunConfig)

    @field_validator("config", mode="before")
    @classmethod
    def _without_former_settings(cls, value: object) -> object:
        """A setting that there is no more must not make a folder unreadable."""
        return _known_fields(RunConfig, value)


def _known_fields(model: type[BaseModel], value: object) -> object:
    if not isinstance(value, dict):
        return value
    known: dict[str, object] = {}
    for name, content in value.items():
        field = model.model_fields.get(name)
        if field is not None:
            kind = field.annotation
            if isinstance(kind, type) and issubclass(kind, BaseModel):
                content = _known_fields(kind, content)
            known[name] = content
    return known


def check_task_id(value: str) -> str:
    """Return ``value`` if it is a task id, or raise :class:`InvalidTaskId`."""
    if not _TASK_ID.fullmatch(value):
        raise InvalidTaskId(
            "That is not the id of a run: use 1 to 64 letters, digits and hyphens, "
            "starting with a letter or digit."
        )
    return value


def check_topic(value: str) -> str:
    """Return the topic, cleaned of control characters and outer blanks.

    Raises :class:`InvalidTopic` when nothing is left or it is longer than
    ``TOPIC_MAX_CHARS``. Lone surrogates are replaced, so that the topic can be stored as UTF-8.
    """
    text = value.encode("utf-8", "replace").decode("utf-8")
    text = "".join(c for c in text if c in "\n\t" or (ord(c) >= 32 and ord(c) != 127)).strip()
    if not text:
        raise InvalidTopic("Type a question or a topic first.")
    if len(text) > TOPIC_MAX_CHARS:
        raise InvalidTopic(
            f"The topic has {len(text):,} characters; keep it under {TOPIC_MAX_CHARS:,} "
            "and put longer material elsewhere."
        )
    return text
