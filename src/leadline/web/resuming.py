"""What a run needs before it can go on, and what its user says to that.

Invariant: nothing is asked for that is not needed. A limit is offered when it is used up, a key
when there is none or the model's endpoint refused it; a key is read once and never handed back.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

import gradio as gr

from leadline.domain.budget import used_up
from leadline.domain.config import Provider
from leadline.domain.events import RunFailed
from leadline.domain.limits import Limits
from leadline.domain.plan import TaskState
from leadline.domain.providers import needs_key
from leadline.domain.run import RunStatus, Usage
from leadline.errors import InvalidSetting
from leadline.web.live import Look
from leadline.web.spoken import Updates
from leadline.web.texts import Texts
from leadline.web.views.ask import field_error
from leadline.web.views.html import message
from leadline.web.views.library import RESUMABLE

LIMITS = ("minutes", "tokens", "cost_usd")
_MOST: Mapping[str, float] = {"minutes": 24 * 60, "tokens": 1e12, "cost_usd": 1e6}
_LABELS = {"minutes": "minutes", "tokens": "tokens", "cost_usd": "cost"}

RESUME_OUTPUTS = (
    "resume_box", "resume_note", "raise_minutes", "raise_tokens", "raise_cost_usd", "resume_key",
    "resume_error", "resume", "retry",
)  # fmt: skip
RESUME_FIELDS = ("raise_minutes", "raise_tokens", "raise_cost_usd", "resume_key")
"""Components in the order of :class:`Said`'s fields."""


class Said(NamedTuple):
    """The fields beside Resume, as Gradio hands them over."""

    minutes: str = ""
    tokens: str = ""
    cost_usd: str = ""
    key: str = ""

    def __repr__(self) -> str:
        return "Said(…)"


class Limit(NamedTuple):
    """A limit that is used up."""

    name: str
    most: float
    """What the run may use as it stands."""
    used: float


@dataclass(frozen=True)
class Offer:
    """How a run may go on, and what it lacks for that."""

    resume: bool = False
    failed: int = 0
    """Failed tasks that may be tried again; 0 also while that is not offered."""
    limits: tuple[Limit, ...] = ()
    key: Literal["", "missing", "refused"] = ""

    @property
    def asks(self) -> bool:
        """Whether going on as it is would end at once."""
        return bool(self.limits or self.key)


@dataclass
class Answer:
    """What the fields say: limits by name and a key, or one sentence on what is wrong."""

    limits: dict[str, float] = field(default_factory=dict)
    key: str = field(default="", repr=False)


def offer_of(look: Look, *, has_key: bool) -> Offer:
    """What may be done with a run that is not at work. ``has_key``: its model's key is known."""
    status, config = look.status, look.record.config
    resume = status in RESUMABLE
    failed = look.plan.counts()[TaskState.FAILED] if look.plan and status.is_final else 0
    if not (resume or failed or status is RunStatus.PLANNED):
        return Offer()
    key: Literal["", "missing", "refused"] = ""
    last = look.view.last_event
    provider = config.model.provider
    if needs_key(provider) and not has_key:
        key = "missing"
    elif isinstance(last, RunFailed) and last.model_refused and provider is not Provider.OFFLINE:
        key = "refused"
    limits = _used_up(config.limits, look.record.usage, look.record.seconds)
    return Offer(resume=resume, failed=failed, limits=limits, key=key)


def _used_up(limits: Limits, usage: Usage, seconds: float) -> tuple[Limit, ...]:
    used = {"minutes": seconds / 60, "tokens": usage.tokens, "cost_usd": usage.cost_usd or 0}
    reached = used_up(limits, usage, seconds)
    return tuple(Limit(n, getattr(limits, n), used[n]) for n in LIMITS if n in reached)


def suggested(limit: Limit) -> float:
    """Twice the limit, or half of it above what was used already; a round number."""
    wanted = max(limit.most * 2, limit.used + limit.most / 2)
    step = {"minutes": 1.0, "tokens": 1000.0, "cost_usd": 0.01}[limit.name]
    return min(round(math.ceil(wanted / step - 1e-9) * step, 2), _MOST[limit.name])


def read_answer(said: Said, offer: Offer, texts: Texts) -> Answer:
    """What was said to an offer; fields that it does not show count for nothing.

    Raises :class:`InvalidSetting` with one sentence for the field that is wrong.
    """
    answer = Answer()
    for limit in offer.limits:
        text = str(getattr(said, limit.name) or "")
        number = _number(text)
        if not limit.used < number <= _MOST[limit.name]:
            raise InvalidSetting(
                texts(
                    "raise_more",
                    field=texts(_LABELS[limit.name]),
                    low=_shown(limit.name, limit.used),
                    high=_shown(limit.name, _MOST[limit.name]),
                )
            )
        answer.limits[limit.name] = int(number) if limit.name == "tokens" else number
    if offer.key:
        answer.key = str(said.key or "").strip()
        if not answer.key and offer.key == "missing":
            raise InvalidSetting(texts("need_resume_key"))
    return answer


def _number(text: str) -> float:
    try:
        return float(text.replace(",", "").replace("_", "").strip())
    except ValueError:
        return math.nan


def _shown(name: str, value: float) -> str:
    if name == "tokens":
        return f"{value:,.0f}"
    return f"{math.ceil(value * 10 - 1e-9) / 10:,g}" if name == "minutes" else f"{value:,.2f}"


def resume_view(offer: Offer, texts: Texts) -> Updates:
    """The buttons and the fields beside them; the key's field is always handed back empty."""
    go_on = "retry_one" if offer.failed == 1 else "retry_n"
    names = {limit.name: limit for limit in offer.limits}
    updates: Updates = {
        "resume": gr.Button(visible=offer.resume),
        "retry": gr.Button(texts(go_on, n=offer.failed), visible=offer.failed > 0),
        "resume_box": gr.Column(visible=offer.asks),
        "resume_note": message(texts(f"key_{offer.key}"), "warning") if offer.key else "",
        "resume_key": gr.Textbox(
            "",
            visible=bool(offer.key),
            placeholder=texts("key_as_before" if offer.key == "refused" else "key_in_memory"),
        ),
        "resume_error": "",
    }
    for name in LIMITS:
        limit = names.get(name)
        shown: Updates = {"visible": limit is not None}
        if limit:
            shown["label"] = texts(
                "raise_to", field=texts(_LABELS[name]), n=_shown(name, limit.most)
            )
            shown["value"] = _shown(name, suggested(limit))
        updates[f"raise_{name}"] = gr.Textbox(**shown)
    return updates


def resume_error(error: Exception) -> Updates:
    """What is wrong, beside the fields."""
    return {"resume_error": field_error(str(error))}
