"""What a topic is about, by rule: its subject, the aspects it lists, the words to search for.

Pure and deterministic; English and Chinese have rules of their own, other languages keep their
words. A question that lost the subject on its way through a model gets it back here.
"""

from __future__ import annotations

import re

from leadline.domain.text import detect_language, shorten, terms, words
from leadline.domain.text_tables import FUNCTION_WORDS

SUBJECT_CHARS = 120
QUESTION_WORDS = r"what|how|why|which|who|when|where|is|are|do|does|did|can|should"

_ASPECTS_MOST = 9
_ASPECT_CHARS = 120
_QUERY_WORDS = 10
_QUERY_SUBJECT_WORDS = 3
_QUESTION_IN_QUERY = 7
_AMOUNTS = ("many", "much", "often", "long")

_LEAD = re.compile(
    r"^(?:please\s+|can you\s+|could you\s+)?(?:tell me (?:about|more about)?|give (?:me )?an? "
    r"(?:overview|summary) of|(?:explain|describe|research|investigate|analy[sz]e|summari[sz]e|"
    r"find out(?: about)?|look into|compare)\b|(?:what|who)\s+(?:is|are|was|were)\b)\s*",
    re.IGNORECASE,
)
_FRAME = re.compile(
    r"^(?:how(?:\s+(?!is|are|was|were|do|does|did|can|could|should|will|would|has|have)\w+)?|why|when|where)?"
    r"\s*(?:is|are|was|were|do|does|did|can|could|should|will|would|has|have)\s+",
    re.IGNORECASE,
)  # fmt: skip
"""``How well does``, ``Should``, ``How good is``: a question's words before its subject."""
_QUESTION = re.compile(rf"^(?:{QUESTION_WORDS})\b", re.IGNORECASE)
_VERB_TAIL = re.compile(
    r"\s+(?:works?|performs?|compares?|functions?|operates?|fares?|looks?|stands?|doing|going)$",
    re.IGNORECASE,
)
_ARTICLE = re.compile(r"^(?:the|an?)\s+", re.IGNORECASE)
_LEAD_ZH = re.compile(
    r"^(?:请|帮我|麻烦)*(?:介绍|分析|研究|调查|说明|解释|比较|对比|总结|了解)?(?:一下)?"
    r"(?:什么是|如何|怎么|怎样|为什么|为何|关于)?"
)
_TAIL_ZH = re.compile(
    r"(?:(?:分别)?(?:是什么|有哪些|是多少|有多少|怎么样|怎样|如何)|吗|呢)?[？?。！!]*$"
)
_SPLIT = re.compile(
    rf"[\n;；?？]+|,?\s+(?:and|as well as)\s+(?=(?:{QUESTION_WORDS})\b)"
    rf"|,\s+(?=(?:what|how|why|which|who|when|where)\b)"
    r"|[，,]\s*(?:以及|并且|还有)(?=.{4})",
    re.IGNORECASE,
)
_LISTED = (
    re.compile(r"^(?P<s>[^:：]{3,200})[:：]\s*(?P<list>[^:：]+)$"),
    re.compile(r"^(?P<s>[^，。、]{2,40})的(?P<list>[^。]*、[^。]+)$"),
    re.compile(
        r"^(?:(?:what|which)\s+(?:is|are|was|were)\s+|(?:describe|explain|compare|research)\s+)?"
        r"the\s+(?P<list>[^:]+,[^:]+?)\s+(?:of|for)\s+(?P<s>[^,:]{3,120})$",
        re.IGNORECASE,
    ),
)
"""A subject and its aspects: after a colon, in Chinese after 的, in English before ``of``."""
_ITEMS = re.compile(r"\s*(?:[,，、;；]\s*(?:and\b|以及|和)?|\s(?=and\s+the\b))\s*")
_ITEMS_ZH = re.compile(r"(?<=.{2})(?:以及|和|与|及)(?=.{2})")


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


def query_subject(subject: str) -> str:
    """A subject as part of a query: its names and its noun, so that they leave room for the rest.

    ``Electric tidal ferry of Quorrow`` → ``ferry Quorrow``.
    """
    found = keywords(subject).split()
    language = detect_language(subject)
    if language != "en":
        small = FUNCTION_WORDS.get(language, frozenset())
        content = [w for w in found if w.strip("¿¡").casefold() not in small | {"y", "und", "et"}]
        return " ".join(content) or keywords(subject)
    if _QUESTION.match(subject):
        asked = [word for word in found if word not in _AMOUNTS]
        return " ".join(asked[:_QUESTION_IN_QUERY]) or keywords(subject)
    if len(found) <= _QUERY_SUBJECT_WORDS:
        return " ".join(found)
    names = [word for word in found[1:] if _is_name(word)]
    if not names:
        return " ".join(found)
    before = re.split(r"\s(?:of|in|at|from|on|for)\s", subject)[0]
    common = [word for word in keywords(before).split() if word not in names]
    return " ".join(dict.fromkeys([*common[-1:], *names]))


def parts_of(aspect: str) -> list[str]:
    """``cost and funding`` → its two halves; an aspect of one part is none."""
    parts = [part.strip() for part in re.split(r"\s+and\s+|\s+or\s+|和|与|以及", aspect)]
    return parts if len(parts) > 1 and all(words(part) for part in parts) else []


def listed_aspects(topic: str) -> tuple[str, list[str]] | None:
    """The subject of a topic and the aspects that it lists, when it lists any."""
    for pattern in _LISTED:
        match = pattern.match(topic.strip(" ?？.。!！"))
        if match is None:
            continue
        items = [item.strip(" ,，.。?？") for item in _ITEMS.split(match["list"])]
        items = [re.sub(r"^and\s+", "", item) for item in items]
        if detect_language(match["list"]) == "zh":
            items = [_TAIL_ZH.sub("", part) for item in items for part in _ITEMS_ZH.split(item)]
        elif pattern is not _LISTED[0]:
            items = [part for item in items for part in re.split(r"\s+and\s+", item)]
        items = [item for item in dict.fromkeys(items) if words(item)]
        fitting = [item for item in items if len(item) <= _ASPECT_CHARS]
        if len(fitting) >= 2 and words(match["s"]):
            return _subject_of_list(match["s"]), fitting[:_ASPECTS_MOST]
    return None


def _subject_of_list(text: str) -> str:
    """``How well does the harbour of Mol work`` → ``Harbour of Mol``."""
    bare = _VERB_TAIL.sub("", _FRAME.sub("", subject_of(text), count=1))
    bare = _ARTICLE.sub("", bare).strip() if words(bare) else text
    return bare[:1].upper() + bare[1:]


def questions_in(topic: str) -> tuple[str, ...]:
    """The questions that a topic asks one after the other; the whole topic when it is one."""
    parts = [part.strip(" ,，.。") for part in _SPLIT.split(topic)]
    asked = [part for part in parts if len(words(part)) >= (1 if _QUESTION.match(part) else 2)]
    return tuple(dict.fromkeys(part for part in asked if len(part.split()) > 1 or len(part) > 5))


def named_subject(question: str) -> str:
    """The first name in a question, with the noun that it stands before: what it is about.

    ``How many people did the Mol ferry carry`` → ``Mol ferry``; without a name, as `subject_of`.
    """
    tokens = subject_of(question).split()
    for position, token in enumerate(tokens):
        if position == 0 or not _is_name(token):
            continue
        last = position + 1
        while last < len(tokens) and _is_name(tokens[last]):
            last += 1
        is_attribute = tokens[position - 1].casefold() in ("the", "a", "an")
        if is_attribute and last < len(tokens) and tokens[last - 1][-1].isalnum():
            last += 1
        return " ".join(tokens[position:last]).strip(" ,.;:?!")
    return subject_of(question)


def _is_name(word: str) -> bool:
    bare = word.strip("\"'“”‘’()[],.:;!?…")
    return len(bare) > 1 and bare[:1].isupper() and bool(words(bare))


_NAME = re.compile(r"(?<=[^\W\d_]\s)[A-ZÀ-Þ][\w-]+")


def research_object(topic: str) -> str:
    """What all questions of a plan must be about: the subject, without the aspects it lists."""
    listed = listed_aspects(topic)
    return listed[0] if listed else subject_of(topic)


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
