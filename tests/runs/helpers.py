"""What the tests of the run folder share."""

from __future__ import annotations

from collections.abc import Sequence

from leadline.domain.evidence import PageContent, Passage, Source
from leadline.domain.plan import Category, Plan, Task
from leadline.runs.session import RunSession

PLAN = Plan(
    categories=(
        Category(name="Past", tasks=(Task(text="Who built it"), Task(text="When it sailed"))),
        Category(name="Now", tasks=(Task(text="Where it lies", queries=("wreck place",)),)),
    )
)


def add_page(
    session: RunSession,
    texts: Sequence[str],
    *,
    url: str = "https://a.example/x",
    requested_url: str = "",
    task: str = "t1",
) -> Source:
    page = PageContent(
        url=url,
        passages=tuple(Passage(number=i + 1, text=text) for i, text in enumerate(texts)),
        requested_url=requested_url,
        title="A page",
        site="a.example",
        date="2026-01-02",
        language="en",
    )
    return session.add(page, task=task)
