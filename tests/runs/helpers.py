"""What the tests of the run folder share."""

from __future__ import annotations

from collections.abc import Sequence

from leadline.domain.evidence import Passage, Source, SourceKind
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
    return session.add(
        url=url,
        requested_url=requested_url,
        title="A page",
        site="a.example",
        author="",
        date="2026-01-02",
        language="en",
        kind=SourceKind.HTML,
        passages=[Passage(number=i + 1, text=text) for i, text in enumerate(texts)],
        truncated=False,
        task=task,
    )
