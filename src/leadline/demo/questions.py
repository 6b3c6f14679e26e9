"""Questions that the demo web can answer, for ``leadline demo`` and the examples of the UI."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class SampleQuestion:
    """A question about ``subject`` in ``language`` (an ISO 639-1 code)."""

    id: str
    text: str
    language: str = "en"
    subject: str = "quorrow"


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
    SampleQuestion(
        "tarnstone",
        "How good is the database engine Tarnstone: throughput and energy, limits, crash safety,"
        " licence change, prices, downloads and contributors, and users?",
        subject="tarnstone",
    ),
    SampleQuestion(
        "tarnstone-crash",
        "Does Tarnstone lose data in a power cut, and how fast does it recover?",
        subject="tarnstone",
    ),
    SampleQuestion(
        "tarnstone-licence",
        "What changed in the licence of Tarnstone, and who has to pay?",
        subject="tarnstone",
    ),
    SampleQuestion(
        "tarnstone-de",
        "Wie schnell schreibt die Datenbank Tarnstone, und was ist die Grenze für ihre Größe?",
        "de",
        "tarnstone",
    ),
    SampleQuestion(
        "tarnstone-es",
        "¿Cuánto duró y qué cambió con el paso de la Biblioteca de Valdeorria a Tarnstone?",
        "es",
        "tarnstone",
    ),
    SampleQuestion(
        "tarnstone-zh", "塔恩石数据库的下载量、容量上限和许可证有哪些变化？", "zh", "tarnstone"
    ),
)

DEMO_TOPIC = QUESTIONS[0].text
"""What ``leadline demo`` asks: many pages of the demo web bear on it."""
