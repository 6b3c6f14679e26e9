"""Questions to begin with: those of the demo web, or some for the real one."""

from __future__ import annotations

from collections.abc import Sequence

from leadline.demo.questions import QUESTIONS
from leadline.web.texts import Texts

_WEB = {
    "en": (
        "How do heat pumps perform in cold climates, and what do field studies measure?",
        "What changed in Python between 3.11 and 3.13 for async programs?",
        "Which cities have cut car traffic in their centres, and what happened to shops there?",
    ),
    "zh": (
        "热泵在寒冷地区的实际表现如何？有哪些实测数据？",
        "Python 3.11 到 3.13 在异步编程方面有哪些变化？",
        "哪些城市减少了市中心的汽车交通？对当地商店有何影响？",
    ),
}


def sample_questions(source: str, texts: Texts) -> Sequence[str]:
    """Sample questions for ``source`` (``web`` or ``demo``) in the language of the page."""
    if source != "demo":
        return _WEB[texts.language]
    own = [q.text for q in QUESTIONS if q.language == texts.language]
    others = [q.text for q in QUESTIONS if q.language != texts.language]
    return [*own, *others][:4]
