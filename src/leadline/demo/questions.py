"""Questions that the demo web can answer, for ``leadline demo`` and the examples of the UI."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class SampleQuestion:
    """A question in ``language`` (an ISO 639-1 code)."""

    id: str
    text: str
    language: str = "en"


QUESTIONS = (
    SampleQuestion(
        "tidal-ferry",
        "How well does the electric tidal ferry of Quorrow work: ridership and punctuality,"
        " cost and funding, charging quays and energy, noise and seals, and the bridge debate?",
    ),
    SampleQuestion(
        "bridge-or-ferry", "Should Quorrow build a bridge over the Sunder or keep the tidal ferry?"
    ),
    SampleQuestion("ridership", "How many passengers did the Quorrow ferry carry in 2025?"),
    SampleQuestion(
        "fares", "What does a crossing to Quorrow cost, and when does the last boat leave?"
    ),
    SampleQuestion(
        "zh-overview", "阔罗岛潮汐渡轮的客流量、票价和建设费用是多少，对海豹有什么影响？", "zh"
    ),
)

DEMO_TOPIC = QUESTIONS[0].text
"""What ``leadline demo`` asks: many pages of the demo web bear on it."""
