"""A research plan by rule: the questions of the topic itself, then the aspects any topic has.

Deterministic, without a model. English and Chinese have their own wording; other languages get the
English frame around their own words.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import date

from leadline.domain.limits import Limits
from leadline.domain.plan import Category, Plan, Task
from leadline.domain.text import detect_language, shorten, words

_SUBJECT_CHARS = 120
_QUERY_WORDS = 10
_DEFAULT_CATEGORIES = 4

_QUESTION_EN = r"what|how|why|which|who|when|where|is|are|do|does|did|can|should"
_ASKS = re.compile(
    rf"^(?:{_QUESTION_EN})\b|[?？]\s*$|什么|如何|怎么|怎样|为何|为什么|哪些|哪个|多少|是否|吗[？?]?$",
    re.IGNORECASE,
)
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
_SPLIT = re.compile(
    rf"[\n;；?？]+|,?\s+(?:and|as well as)\s+(?=(?:{_QUESTION_EN})\b)"
    r"|[，,]\s*(?:以及|并且|还有)(?=.{4})",
    re.IGNORECASE,
)
_COMPARED = (
    re.compile(r"(?P<a>.{2,80}?)\s+(?:vs\.?|versus|compared (?:to|with))\s+(?P<b>.{2,80})", re.I),
    re.compile(
        r"(?:compare|comparison (?:of|between)|differences? between)\s+(?P<a>.{2,80}?)\s+"
        r"(?:and|with|to)\s+(?P<b>.{2,80})",
        re.I,
    ),
    re.compile(r"(?P<a>.{1,40}?)(?:和|与|跟|同|对比|相比)(?P<b>.{1,40}?)(?:的)?(?:区别|差异|不同|对比|比较|相比|哪个)"),
)  # fmt: skip


_LISTED = (
    re.compile(r"^(?P<s>[^:：]{3,200})[:：]\s*(?P<list>[^:：]+)$"),
    re.compile(r"^(?P<s>[^，。、]{2,40})的(?P<list>[^。]*、[^。]+)$"),
)
"""A subject and the list of its aspects: after a colon, or in Chinese after 的."""
_ITEMS = re.compile(r"\s*(?:[,，、;；]\s*(?:and\b|以及|和)?|\s(?=and\s+the\b))\s*")
_LISTED_MOST = 9


@dataclass(frozen=True)
class _Wording:
    """The frame of a plan in one language; ``{s}`` is the subject."""

    asked: str
    compared: str
    one_side: str
    difference: str
    aspects: tuple[tuple[str, tuple[tuple[str, str], ...]], ...]


_EN = _Wording(
    asked="What is asked",
    compared="Comparison",
    one_side="{s}: what it is and what it does",
    difference="Differences between {a} and {b}",
    aspects=(
        ("Background", (
            ("{s}: what it is and how it works", "overview"),
            ("{s}: history and origin", "history"),
            ("{s}: who stands behind it", "organisations people"),
        )),
        ("Key facts and numbers", (
            ("{s}: key facts and numbers", "facts numbers"),
            ("{s}: measurements and results", "results data"),
            ("{s}: costs and scale", "cost size"),
        )),
        ("Viewpoints", (
            ("{s}: benefits and risks", "benefits risks"),
            ("{s}: criticism and differing views", "criticism debate"),
            ("{s}: comparison with alternatives", "alternatives comparison"),
        )),
        ("Recent developments", (
            ("{s}: recent developments", "latest {year}"),
            ("{s}: plans and outlook", "future plans"),
            ("{s}: open questions", "open questions"),
        )),
    ),
)  # fmt: skip

_ZH = _Wording(
    asked="所提问题",
    compared="对比",
    one_side="{s}：是什么，有什么特点",
    difference="{a}与{b}的差异",
    aspects=(
        ("背景概览", (
            ("{s}：是什么，如何运作", "介绍"),
            ("{s}：历史与由来", "历史"),
            ("{s}：相关机构与人物", "机构 人物"),
        )),
        ("关键事实与数据", (
            ("{s}：关键事实与数据", "数据"),
            ("{s}：测量与结果", "结果"),
            ("{s}：成本与规模", "成本 规模"),
        )),
        ("不同观点", (
            ("{s}：益处与风险", "优点 风险"),
            ("{s}：批评与争议", "争议"),
            ("{s}：与其他方案的比较", "比较"),
        )),
        ("最新进展", (
            ("{s}：最新进展", "最新进展 {year}"),
            ("{s}：计划与前景", "前景"),
            ("{s}：尚未解决的问题", "问题"),
        )),
    ),
)  # fmt: skip


def offline_plan(topic: str, limits: Limits, *, language: str, today: date) -> Plan:
    """A plan within ``limits``; never empty."""
    topic = " ".join(topic.split())
    chinese = (language or detect_language(topic)).lower().startswith("zh")
    wording = _ZH if chinese else _EN
    most = limits.max_tasks_per_category
    listed = _listed(topic)
    subject = subject_of(listed[0]) if listed else subject_of(topic)
    if listed:
        categories = _aspects_named(subject, listed[1], wording, limits)
    else:
        categories = [*_asked(topic, wording, most), *_compared(topic, wording, most)]
    target = min(max(_DEFAULT_CATEGORIES, limits.min_categories), limits.max_categories)
    tasks_each = min(max(limits.min_tasks_per_category, 1), most)
    for name, aspects in wording.aspects:
        tasks = tuple(
            Task(
                text=text.format(s=subject),
                queries=_queries(subject, suffix.format(year=today.year), limits),
            )
            for text, suffix in aspects[:tasks_each]
        )
        categories.append(Category(name=name, tasks=tasks))
    return Plan(categories=tuple(categories[:target]))


def subject_of(topic: str) -> str:
    """What a topic is about: the question's lead and its question mark are gone."""
    bare = _LEAD.sub("", topic, count=1)
    if detect_language(topic) == "zh":
        bare = _TAIL_ZH.sub("", _LEAD_ZH.sub("", topic, count=1))
    bare = bare.strip(" \t?？.。!！,，:：;；")
    # A lead that was the whole topic, or nearly, is no lead.
    chosen = bare if len(words(bare)) >= 2 or (words(bare) and len(words(topic)) < 2) else topic
    return shorten(chosen.strip(" ?？") or topic, _SUBJECT_CHARS)


def keywords(text: str) -> str:
    """The words of ``text`` that a search engine needs, in their order."""
    if detect_language(text) in ("zh", "ja"):
        return shorten(_TAIL_ZH.sub("", _LEAD_ZH.sub("", text, count=1)), 60)
    tokens = re.findall(r"[^\s,;:?!\"“”()\[\]{}]+", text)
    kept = [token.strip(".'’") for token in tokens if words(token)]
    return " ".join(dict.fromkeys(kept[:_QUERY_WORDS])) or shorten(text, 80)


def _listed(topic: str) -> tuple[str, list[str]] | None:
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


def _aspects_named(
    subject: str, aspects: list[str], wording: _Wording, limits: Limits
) -> list[Category]:
    """One task an aspect, spread evenly over as few categories as hold them."""
    most = limits.max_tasks_per_category
    aspects = aspects[: most * limits.max_categories]
    groups = -(-len(aspects) // most)
    size = -(-len(aspects) // groups)
    colon, comma = ("：", "、") if wording is _ZH else (": ", "; ")
    categories: list[Category] = []
    for start in range(0, len(aspects), size):
        group = aspects[start : start + size]
        name = shorten(comma.join(group), _SUBJECT_CHARS)
        tasks = tuple(
            Task(
                text=shorten(f"{subject}{colon}{aspect}", 300),
                queries=(shorten(f"{keywords(subject)} {keywords(aspect)}", 300),),
            )
            for aspect in group
        )
        categories.append(Category(name=name[:1].upper() + name[1:], tasks=tasks))
    return categories


def _asked(topic: str, wording: _Wording, most: int) -> list[Category]:
    """The questions that the topic asks, one task each."""
    parts = [part.strip(" ,，.。") for part in _SPLIT.split(topic)]
    questions = [part for part in parts if len(words(part)) >= 2]
    if len(questions) < 2 and not _ASKS.search(topic):
        return []
    kept = dict.fromkeys(shorten(question, 300) for question in questions[:most])
    tasks = tuple(Task(text=question, queries=(keywords(question),)) for question in kept)
    return [Category(name=wording.asked, tasks=tasks)] if tasks else []


def _compared(topic: str, wording: _Wording, most: int) -> list[Category]:
    """Both sides of a comparison and what sets them apart."""
    for pattern in _COMPARED:
        if match := pattern.search(topic):
            sides = [subject_of(match[side].strip(" ?？.。,，:：")) for side in "ab"]
            break
    else:
        return []
    first, second = sides
    tasks = (
        Task(
            text=wording.difference.format(a=first, b=second),
            queries=(f"{keywords(first)} {keywords(second)}",),
        ),
        *(Task(text=wording.one_side.format(s=s), queries=(keywords(s),)) for s in sides),
    )
    return [Category(name=wording.compared, tasks=tasks[:most])]


def _queries(subject: str, suffix: str, limits: Limits) -> tuple[str, ...]:
    base = keywords(subject)
    variants = [f"{base} {suffix}", base, *(f"{base} {word}" for word in suffix.split())]
    return tuple(dict.fromkeys(variants))[: limits.queries_per_task]
