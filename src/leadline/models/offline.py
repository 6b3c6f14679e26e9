"""The offline model: no network, no key, deterministic, extractive.

It plans by rule, turns gaps into tasks by rule, and composes quotes: it never writes a
sentence of its own, so nothing in its text can be wrong about a source.
"""

from __future__ import annotations

import time
from collections.abc import AsyncIterator, Iterator
from typing import TypeVar, cast

from leadline.domain.claims import Conflict
from leadline.domain.events import ModelCalled
from leadline.domain.ranking import rank
from leadline.domain.run import Usage
from leadline.domain.text import shorten, terms, words
from leadline.errors import ModelAnswerInvalid, ModelUnavailable
from leadline.models.base import OnCall
from leadline.models.debate_requests import AdjudicateRequest, ChallengeRequest, RefuteRequest
from leadline.models.offline_plan import offline_plan
from leadline.models.offline_reflect import tasks_for_gaps
from leadline.models.offline_verify import verdicts_by_rule
from leadline.models.plan_request import PlanDraft, PlanRequest
from leadline.models.reflect_request import ReflectAnswer, ReflectRequest
from leadline.models.requests import ClaimView, ModelRequest, SectionRequest, TextRequest
from leadline.models.verification_requests import VerifyAnswer, VerifyRequest

R = TypeVar("R")

_QUOTE_CHARS = 320
_SAME = 0.8


class OfflineModel:
    """The ``Model`` protocol by rule; see the module."""

    def __init__(self, *, on_call: OnCall | None = None) -> None:
        self._on_call = on_call
        self._closed = False

    @property
    def name(self) -> str:
        """``offline``."""
        return "offline"

    @property
    def host(self) -> str:
        """Empty: it contacts nobody."""
        return ""

    async def ask(self, request: ModelRequest[R]) -> R:
        """Answer a plan, a reflection or a question about claims by rule."""
        started = self._begin()
        answer: PlanDraft | ReflectAnswer | VerifyAnswer | Conflict | tuple[()]
        if isinstance(request, PlanRequest):
            plan = offline_plan(
                request.topic,
                request.limits,
                language=request.language,
                today=request.today,
                profile=request.profile,
            )
            answer = PlanDraft(plan=plan)
        elif isinstance(request, ReflectRequest):
            answer = tasks_for_gaps(request)
        elif isinstance(request, VerifyRequest):
            answer = verdicts_by_rule(request)
        elif isinstance(request, RefuteRequest | ChallengeRequest):
            answer = ()  # it judges no paraphrase, so it objects to none
        elif isinstance(request, AdjudicateRequest):
            answer = request.conflict
        else:
            raise ModelAnswerInvalid("The offline model has no rule for this question.")
        self._report(request.role, started)
        return cast("R", answer)

    async def write(self, request: TextRequest) -> AsyncIterator[str]:
        """Stream a digest of quotes, a line at a time."""
        started = self._begin()
        section = request if isinstance(request, SectionRequest) else None
        lines = list(digest_lines(section)) if section else []
        self._report(request.role, started)
        if not lines and not (section and section.judged):
            raise ModelAnswerInvalid("The offline model has nothing to quote here.")
        for line in lines:
            yield f"{line}\n"

    async def check(self) -> None:
        """It always answers."""
        self._begin()

    async def aclose(self) -> None:
        """Later calls are refused, as those of any closed model."""
        self._closed = True

    def _begin(self) -> float:
        if self._closed:
            raise ModelUnavailable("The connection to the model is closed.")
        return time.monotonic()

    def _report(self, role: str, started: float) -> None:
        if self._on_call:
            usage = Usage(calls=1, cost_usd=0.0)
            seconds = round(time.monotonic() - started, 3)
            self._on_call(ModelCalled(role=role, usage=usage, seconds=seconds, ok=True))


def digest_lines(request: SectionRequest) -> Iterator[str]:
    """The claims that fit the heading best, as quotes with their ids, none twice.

    Where only some are needed, the order in which they come (the strongest of each part first)
    counts as much as how they fit.
    What needs judgement (advice, conclusions) gets no line: a quote is no answer to it.
    """
    if request.judged:
        return
    ranked = ranked_claims(request)
    if request.most:
        places = {claim.id: place for place, claim in enumerate(ranked)}
        come = sorted(enumerate(request.claims), key=lambda c: c[0] + places[c[1].id])
        ranked = [claim for _, claim in come]
    room = request.words
    said: list[set[str]] = []
    for claim in ranked:
        quote = _quote(claim)
        mine = terms(quote)
        if not quote or any(_alike(mine, other) for other in said):
            continue
        cost = max(1, len(words(quote)))
        if said and cost > room:
            continue
        room -= cost
        said.append(mine)
        origin = ", ".join(part for part in (claim.site, claim.date) if part)
        yield f"- “{quote}”{f' — {origin}' if origin else ''} [{claim.id}]."
        if len(said) == request.most:
            return


def ranked_claims(request: SectionRequest) -> list[ClaimView]:
    """Best first by heading and topic; those that share no word come last, in their order."""
    texts = [f"{claim.claim} {' '.join(claim.quotes)}" for claim in request.claims]
    order = [index for index, _ in rank(f"{request.heading} {request.topic}", texts)]
    order += [index for index in range(len(texts)) if index not in order]
    return [request.claims[index] for index in order]


def _quote(view: ClaimView) -> str:
    """The words of the source: the claim where it is a verbatim part of a quote."""
    claim = " ".join(view.claim.split())
    quotes = [" ".join(quote.split()) for quote in view.quotes if quote.strip()]
    verbatim = any(claim in quote for quote in quotes)
    text = claim if verbatim or not quotes else quotes[0]
    text = text.replace("“", "‘").replace("”", "’").strip()
    return shorten(text, _QUOTE_CHARS).rstrip(" .。")


def _alike(one: set[str], other: set[str]) -> bool:
    both = one | other
    return not both or len(one & other) / len(both) >= _SAME
