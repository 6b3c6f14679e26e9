"""Models against the scripted server, with a clock that only fake sleeps move."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, field
from datetime import date
from typing import Any

import pytest
from pydantic import SecretStr

from leadline.domain.config import ModelConfig, Provider
from leadline.domain.events import ModelCalled
from leadline.domain.limits import Limits
from leadline.models.chat import LangChainModel
from leadline.models.limiter import Limiter
from leadline.models.plan_request import PlanRequest
from leadline.models.requests import ClaimView, SectionRequest
from tests.openai_server import OpenAIServer

KEY = "canary-7f3a9c51e0b24d88"


@dataclass
class FakeTime:
    """A clock for the limiter; its sleeps return at once and are written down."""

    now: float = 0.0
    slept: list[float] = field(default_factory=list)

    def clock(self) -> float:
        return self.now

    async def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self.now += seconds

    def limiter(self) -> Limiter:
        return Limiter(clock=self.clock, sleep=self.sleep, chance=lambda: 0.5)


@dataclass
class Bench:
    """Makes models for a server and keeps what they report."""

    time: FakeTime = field(default_factory=FakeTime)
    reported: list[ModelCalled] = field(default_factory=list)
    models: list[LangChainModel] = field(default_factory=list)

    def model(self, server: OpenAIServer, *, seconds: float = 20, **config: Any) -> LangChainModel:
        made = LangChainModel(
            ModelConfig(
                **{
                    "provider": Provider.CUSTOM,
                    "name": "test-model",
                    "base_url": server.base_url,
                    **config,
                }
            ),
            SecretStr(KEY),
            limits=Limits(model_seconds=seconds),
            on_call=self.reported.append,
            limiter=self.time.limiter(),
        )
        self.models.append(made)
        return made


@pytest.fixture
async def bench() -> AsyncIterator[Bench]:
    made = Bench()
    yield made
    for model in made.models:
        await model.aclose()


@pytest.fixture
def serve() -> Callable[..., OpenAIServer]:
    return OpenAIServer


def plan_request(**fields: Any) -> PlanRequest:
    given = {
        "topic": "What do {braces} and tidal power in Brixholm have in common?",
        "language": "en",
        "today": date(2025, 3, 4),
        "limits": Limits(),
        **fields,
    }
    return PlanRequest(**given)


def section_request(**fields: Any) -> SectionRequest:
    given = {
        "topic": "Tidal power",
        "language": "en",
        "heading": "Key facts",
        "claims": (
            ClaimView(
                id="c1",
                claim="The plant {x} delivers 12 MW.",
                quotes=("The plant {x} delivers 12 MW.",),
                site="power.example",
                title="Plant",
                date="2024-05-01",
            ),
            ClaimView(id="c2", claim="It opened in 2019.", quotes=("It opened in 2019.",)),
        ),
        **fields,
    }
    return SectionRequest(**given)


async def text_of(pieces: AsyncIterator[str]) -> str:
    return "".join([piece async for piece in pieces])
