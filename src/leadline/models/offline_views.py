"""A plan of views by rule: the kind of question by its words, and the views that fit it.

Where the topic lists aspects, each becomes a question of the view that speaks of the same things,
or of the next one with room, so nothing that was asked for is lost to the views.
"""

from __future__ import annotations

import re

from leadline.domain.limits import Limits
from leadline.domain.plan import Category, Plan, Task
from leadline.domain.profile_plans import category_of
from leadline.domain.subject import keywords, listed_aspects, research_object
from leadline.domain.text import detect_language, shorten, terms
from leadline.domain.views import EN, VIEWS_OF, ZH, QuestionType, type_note

_VIEWS = 4
"""How many views a question gets where the limits leave a choice."""

_TELLS: tuple[tuple[QuestionType, re.Pattern[str]], ...] = (
    (QuestionType.COMPARATIVE, re.compile(
        r"\b(?:vs\.?|versus|compare[ds]?|comparison|difference|better than|rather than)\b"
        r"|\b(?:should|which)\b.*\bor\b|对比|相比|区别|差异|比较|还是", re.I)),
    (QuestionType.POLICY, re.compile(
        r"\b(?:law|legal|regulations?|policy|government|ban|tax|subsid\w+|referendum)\b"
        r"|政策|法律|法规|监管|补贴|立法", re.I)),
    (QuestionType.ACADEMIC, re.compile(
        r"\b(?:study|studies|research on|literature|theory|meta-analysis|evidence for)\b"
        r"|论文|文献|理论|学术", re.I)),
    (QuestionType.BUSINESS, re.compile(
        r"\b(?:market|company|companies|revenue|business|startup|investment|competitors?)\b"
        r"|市场|公司|企业|营收|商业|投资", re.I)),
    (QuestionType.TECHNICAL, re.compile(
        r"\bhow (?:well )?(?:do|does|to)\b.*\bwork|\b(?:architecture|algorithm|performance|"
        r"software|engine|protocol|implement\w*)\b|技术|原理|算法|架构|性能", re.I)),
)  # fmt: skip


def question_type(topic: str) -> QuestionType:
    """What kind of question a topic is, by its words; general when none tells."""
    return next((kind for kind, tells in _TELLS if tells.search(topic)), QuestionType.GENERAL)


def view_plan(topic: str, limits: Limits, *, chinese: bool) -> Plan:
    """A plan of views within ``limits`` (of the profile, narrowed)."""
    kind = question_type(topic)
    count = min(max(_VIEWS, limits.min_categories), limits.max_categories)
    table = ZH if chinese else EN
    subject = research_object(topic)
    categories = [
        category_of(table[key], subject, chinese=chinese, queries=limits.queries_per_task)
        for key in VIEWS_OF[kind][:count]
    ]
    listed = listed_aspects(topic)
    for aspect in listed[1] if listed else ():
        _place(aspect, subject, categories, limits.max_tasks_per_category)
    return Plan(categories=tuple(categories), notes=(type_note(kind, chinese=chinese),))


def _place(aspect: str, subject: str, categories: list[Category], most: int) -> None:
    """Put a question on ``aspect`` into the view that fits it best and has room."""
    free = [i for i, category in enumerate(categories) if len(category.tasks) < most]
    if not free:
        return
    wanted = terms(aspect)
    best = max(free, key=lambda i: (len(wanted & _speaks_of(categories[i])), -i))
    colon = "：" if detect_language(subject) == "zh" else ": "
    task = Task(
        text=shorten(f"{subject}{colon}{aspect}", 300),
        queries=(shorten(f"{keywords(subject)} {keywords(aspect)}", 300),),
    )
    tasks = (*categories[best].tasks, task)
    categories[best] = categories[best].model_copy(update={"tasks": tasks})


def _speaks_of(category: Category) -> set[str]:
    words = (category.name, *(f"{task.text} {' '.join(task.queries)}" for task in category.tasks))
    return terms(" ".join(words))
