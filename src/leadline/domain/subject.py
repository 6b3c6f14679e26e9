"""What a topic is about, by rule: its subject, the aspects it lists, the words to search for.

Pure and deterministic; English and Chinese have rules of their own, other languages keep their
words. A question that lost the subject on its way through a model gets it back here.
"""

from __future__ import annotations

import re

from leadline.domain.text import detect_language, shorten, terms, words

SUBJECT_CHARS = 120
_QUERY_WORDS = 10

_LEAD = re.compile(
    r"^(?:please\s+|can you\s+|could you\s+)?(?:tell me (?:about|more about)?|give (?:me )?an? "
    r"(?:overview|summary) of|(?:explain|describe|research|investigate|analy[sz]e|summari[sz]e|"
    r"find out(?: about)?|look into|compare)\b|(?:what|who)\s+(?:is|are|was|were)\b)\s*",
    re.IGNORECASE,
)
_LEAD_ZH = re.compile(
    r"^(?:请|帮我|麻烦)*(?:介绍|分析|研究|调查|说明|解释|比较|对比|总结|了解)?(?:一下)?"
    r"(?:什么是|如何|怎么|怎样|为什么|为何|关于)?"
)
_TAIL_ZH = re.compile(r"(?:是什么|有哪些|是多少|怎么样|如何|吗|呢)?[？?。！!]*$")

_LISTED = (
    re.compile(r"^(?P<s>[^:：]{3,200})[:：]\s*(?P<list>[^:：]+)$"),
    re.compile(r"^(?P<s>[^，。、]{2,40})的(?P<list>[^。]*、[^。]+)$"),
)
"""A subject and the list of its aspects: after a colon, or in Chinese after 的."""
_ITEMS = re.compile(r"\s*(?:[,，、;；]\s*(?:and\b|以及|和)?|\s(?=and\s+the\b))\s*")
_LISTED_MOST = 9


def subject_of(topic: str) -> str:
    """What a topic is about: the question's lead and its question mark are gone."""
    bare = _LEAD.sub("", topic, count=1)
    if detect_language(topic) == "zh":
        bare = _TAIL_ZH.sub("", _LEAD_ZH.sub("", topic, count=1))
    bare = bare.strip(" \t?？.。!！,，:：;；")
    # A lead that was the whole topic, or nearly, is no lead.
    chosen = bare if len(words(bare)) >= 2 or (words(bare) and len(words(topic)) < 2) else topic
    return shorten(chosen.strip(" ?？") or topic, SUBJECT_CHARS)


def keywords(text: str) -> str:
    """The words of ``text`` that a search engine needs, in their order."""
    if detect_language(text) in ("zh", "ja"):
        return shorten(_TAIL_ZH.sub("", _LEAD_ZH.sub("", text, count=1)), 60)
    tokens = re.findall(r"[^\s,;:?!\"“”()\[\]{}]+", text)
    kept = [token.strip(".'’") for token in tokens if words(token)]
    return " ".join(dict.fromkeys(kept[:_QUERY_WORDS])) or shorten(text, 80)


def listed_aspects(topic: str) -> tuple[str, list[str]] | None:
    """The subject of a topic and the aspects that it lists, when it lists any."""
    for pattern in _LISTED:
        match = pattern.match(topic.strip(" ?？.。!！"))
        if match is None:
            continue
        items = [item.strip(" ,，.。?？") for item in _ITEMS.split(match["list"])]
        items = [item for item in dict.fromkeys(items) if words(item) and len(item) <= 120]
        if len(items) >= 2 and words(match["s"]):
            return match["s"], items[:_LISTED_MOST]
    return None


_NAME = re.compile(r"(?<=[^\W\d_]\s)[A-ZÀ-Þ][\w-]+")


def research_object(topic: str) -> str:
    """What all questions of a plan must be about: the subject, without the aspects it lists."""
    listed = listed_aspects(topic)
    return subject_of(listed[0] if listed else topic)


def names_object(text: str, topic: str) -> bool:
    """Whether a text still speaks of the topic's research object.

    A name of the object is enough, or two of its words, or half of them. A text in another
    language cannot be compared and counts as speaking of it.
    """
    about = research_object(topic)
    wanted, own = terms(about), terms(text)
    if not wanted or detect_language(text) != detect_language(topic):
        return True
    if terms(" ".join(_NAME.findall(about))) & own:
        return True
    return len(wanted & own) >= min(2, -(-len(wanted) // 2))


def with_object(text: str, topic: str) -> str:
    """The question, with the topic's research object before it when it has lost it (S3-31)."""
    if names_object(text, topic):
        return text
    colon = "：" if detect_language(topic) in ("zh", "ja") else ": "
    return f"{research_object(topic)}{colon}{text}"
