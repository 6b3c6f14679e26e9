"""A research plan by rule: the questions of the topic itself, then the aspects any topic has;
for the profile of views, the views that fit the kind of question (``offline_views``).

Deterministic, without a model. English and Chinese have their own wording; other languages get the
English frame around their own words.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import date

from leadline.domain.config import Profile
from leadline.domain.limits import Limits
from leadline.domain.plan import Category, Plan, Task
from leadline.domain.profiles import PROFILES, AnswerShape
from leadline.domain.subject import (
    QUESTION_WORDS,
    SUBJECT_CHARS,
    keywords,
    listed_aspects,
    named_subject,
    parts_of,
    query_subject,
    questions_in,
    research_object,
    subject_of,
)
from leadline.domain.text import detect_language, shorten, terms
from leadline.models.offline_views import view_plan

_DEFAULT_CATEGORIES = 4

_ASKS = re.compile(
    rf"^(?:{QUESTION_WORDS})\b|[?？]\s*$|什么|如何|怎么|怎样|为何|为什么|哪些|哪个|多少|是否|吗[？?]?$",
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


@dataclass(frozen=True)
class _Wording:
    """The frame of a plan in one language; ``{s}`` is the subject."""

    asked: str
    compared: str
    one_side: str
    difference: str
    rest: str
    """Name of the category that holds a little of each kind."""
    aspects: tuple[tuple[str, tuple[tuple[str, str], ...]], ...]


_EN = _Wording(
    asked="What is asked",
    compared="Comparison",
    one_side="{s}: what it is and what it does",
    difference="Differences between {a} and {b}",
    rest="Background and views",
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
            ("{s}: criticism and differing views", "criticism debate opinion"),
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
    rest="背景与观点",
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


def offline_plan(
    topic: str,
    limits: Limits,
    *,
    language: str,
    today: date,
    profile: Profile = Profile.HIERARCHICAL,
) -> Plan:
    """A plan within ``limits`` as ``profile`` wants it; never empty."""
    topic = " ".join(topic.split())
    spec = PROFILES[profile]
    chinese = (language or detect_language(topic)).lower().startswith("zh")
    return _BUILDERS[spec.answer](_Question(topic, chinese, today, spec.narrowed(limits)))


@dataclass(frozen=True)
class _Question:
    """What a plan is drawn for; the limits are those of the profile."""

    topic: str
    chinese: bool
    today: date
    limits: Limits

    @property
    def wording(self) -> _Wording:
        return _ZH if self.chinese else _EN


def _in_categories(question: _Question) -> Plan:
    """The topic's own questions or aspects first, then what any topic has."""
    limits, topic = question.limits, question.topic
    asks_more = listed_aspects(topic) is None and len(questions_in(topic)) > 1
    subject = named_subject(topic) if asks_more else research_object(topic)
    own = _own_questions(question, subject)
    target = min(max(_DEFAULT_CATEGORIES, limits.min_categories), limits.max_categories)
    categories = [*own, *_frame(question, subject, target - len(own))]
    return Plan(categories=tuple(categories[: limits.max_categories]))


def _frame(question: _Question, subject: str, room: int) -> list[Category]:
    """What is asked of any subject, in as many categories as there is room for.

    Where there is room for one alone, it holds a little of each kind.
    """
    limits, frames = question.limits, question.wording.aspects
    most = limits.max_tasks_per_category
    tasks_each = min(max(limits.min_tasks_per_category, 1), most)
    if room == 1:
        background, _, views, recent = (aspects for _, aspects in frames)
        mixed = (background[0], views[1], recent[0])[:most]
        frames, tasks_each = ((question.wording.rest, mixed),), len(mixed)
    return [
        Category(
            name=name,
            tasks=tuple(_aspect(question, subject, aspect) for aspect in aspects[:tasks_each]),
        )
        for name, aspects in frames[: max(0, room)]
    ]


def _in_one_list(question: _Question) -> Plan:
    """The topic's own questions or aspects, filled up with the first aspect of each kind."""
    limits, topic = question.limits, question.topic
    subject = research_object(topic)
    tasks = [task for category in _own_questions(question, subject) for task in category.tasks]
    for turn in range(len(question.wording.aspects[0][1])):
        for _, aspects in question.wording.aspects:
            if len(tasks) < limits.min_tasks_per_category:
                tasks.append(_aspect(question, subject, aspects[turn]))
    kept = tuple(tasks[: limits.max_tasks_per_category])
    return Plan(categories=(Category(name=shorten(topic, SUBJECT_CHARS), tasks=kept),))


def _in_views(question: _Question) -> Plan:
    return view_plan(question.topic, question.limits, chinese=question.chinese)


_BUILDERS: Mapping[AnswerShape, Callable[[_Question], Plan]] = {
    "categories": _in_categories,
    "tasks": _in_one_list,
    "views": _in_views,
}


def _own_questions(question: _Question, subject: str) -> list[Category]:
    """What the topic itself asks: the aspects it lists, or its questions and comparisons."""
    listed = listed_aspects(question.topic)
    if listed:
        return _aspects_named(subject, listed[1], question.wording, question.limits)
    return [*_asked(question), *_compared(question)]


def _aspect(question: _Question, subject: str, aspect: tuple[str, str]) -> Task:
    text, suffix = aspect
    words_to_add = suffix.format(year=question.today.year)
    return Task(
        text=text.replace("{s}", subject),
        queries=_queries(subject, words_to_add, question.limits),
    )


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
        name = shorten(comma.join(group), SUBJECT_CHARS)
        tasks = tuple(
            Task(
                text=shorten(f"{subject}{colon}{aspect}", 300),
                queries=_aspect_queries(subject, aspect, limits),
            )
            for aspect in group
        )
        categories.append(Category(name=name[:1].upper() + name[1:], tasks=tasks))
    return categories


def _aspect_queries(subject: str, aspect: str, limits: Limits) -> tuple[str, ...]:
    """Subject and aspect, then its parts one by one where more queries are allowed."""
    base = query_subject(subject)
    asked = [aspect, *parts_of(aspect)]
    queries = [shorten(f"{base} {keywords(text)}", 300) for text in asked]
    return tuple(dict.fromkeys(queries))[: limits.queries_per_task]


def _asked(question: _Question) -> list[Category]:
    """The questions that the topic asks, one task each; each says what it is about."""
    asked = questions_in(question.topic)
    if len(asked) < 2 and not _ASKS.search(question.topic):
        return []
    subject = named_subject(question.topic)
    colon = "：" if question.chinese else ": "
    tasks: list[Task] = []
    for text in asked[: question.limits.max_tasks_per_category]:
        query = query_subject(text)
        if tasks and not terms(text) & terms(subject):
            text, query = f"{subject}{colon}{text}", f"{query_subject(subject)} {query}"
        tasks.append(Task(text=shorten(text, 300), queries=(shorten(query, 300),)))
    return [Category(name=question.wording.asked, tasks=tuple(tasks))] if tasks else []


def _compared(question: _Question) -> list[Category]:
    """Both sides of a comparison and what sets them apart."""
    topic, wording = question.topic, question.wording
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
    return [Category(name=wording.compared, tasks=tasks[: question.limits.max_tasks_per_category])]


def _queries(subject: str, suffix: str, limits: Limits) -> tuple[str, ...]:
    base = query_subject(subject)
    variants = [f"{base} {suffix}", base, *(f"{base} {word}" for word in suffix.split())]
    return tuple(dict.fromkeys(variants))[: limits.queries_per_task]
