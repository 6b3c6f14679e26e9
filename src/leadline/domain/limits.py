"""All limits of a run in one typed object; prompts only ask, this decides.

``Budget`` (``domain/budget.py``) is the one place that compares use with these numbers.
"""

from __future__ import annotations

from enum import StrEnum

from pydantic import BaseModel, ConfigDict, Field


class Depth(StrEnum):
    """How thorough a run is; each one is a preset of ``Limits``."""

    QUICK = "quick"
    STANDARD = "standard"
    DEEP = "deep"


PLAN_MAX_TASKS = 500
"""The most tasks that any run may have, and so any plan that one starts from."""


class Limits(BaseModel):
    """What a run may spend. Counts are per run unless a name says otherwise."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    max_parallel_browsers: int = Field(2, ge=1, le=16, description="Browsers at work at a time.")
    max_research_loops: int = Field(
        1, ge=0, le=10, description="How often the run may look for gaps and add tasks."
    )
    min_categories: int = Field(3, ge=1, le=10, description="Fewest plan categories asked for.")
    max_categories: int = Field(5, ge=1, le=10, description="Most plan categories kept.")
    min_tasks_per_category: int = Field(2, ge=1, le=6, description="Fewest tasks asked for.")
    max_tasks_per_category: int = Field(3, ge=1, le=6, description="Most tasks kept a category.")
    max_tasks: int = Field(
        100, ge=1, le=PLAN_MAX_TASKS, description="Most tasks a run works on, edits included."
    )
    queries_per_task: int = Field(
        1, ge=1, le=4, description="Search queries a task; each is a worker."
    )
    results_per_search: int = Field(5, ge=1, le=20, description="Search results kept a query.")
    pages_per_query: int = Field(4, ge=1, le=20, description="Pages a worker may read.")
    tokens_per_source: int = Field(2000, ge=200, le=20000, description="Tokens shown of a page.")
    steps_per_worker: int = Field(10, ge=2, le=60, description="Model calls a worker may make.")
    debate_claims: int = Field(
        6, ge=1, le=40, description="Claims of each category that a debate looks at."
    )
    debate_searches: int = Field(
        2, ge=0, le=10, description="Searches for counter-evidence a category, in a debate."
    )
    minutes: float = Field(60, gt=0, le=24 * 60, description="Minutes a run may take.")
    tokens: int = Field(2_000_000, ge=1000, description="Model tokens a run may use.")
    cost_usd: float = Field(
        5.0, gt=0, description="Dollars a run may cost, where prices are known."
    )
    page_seconds: float = Field(25, gt=0, le=300, description="Seconds a page may take to load.")
    page_bytes: int = Field(10_000_000, ge=10_000, description="Bytes a page or PDF may have.")
    model_seconds: float = Field(120, gt=0, le=3600, description="Seconds a model answer may take.")
    worker_seconds: float = Field(600, gt=0, le=7200, description="Seconds a worker may take.")


PRESETS: dict[Depth, Limits] = {
    Depth.QUICK: Limits(
        min_categories=1, max_categories=3, min_tasks_per_category=1, max_tasks_per_category=2,
        max_research_loops=0, pages_per_query=3, minutes=15, tokens=300_000, cost_usd=1.0,
    ),
    Depth.STANDARD: Limits(),
    Depth.DEEP: Limits(
        min_categories=4, max_categories=8, min_tasks_per_category=2, max_tasks_per_category=5,
        max_research_loops=3, queries_per_task=2, pages_per_query=6, steps_per_worker=16,
        minutes=180, tokens=8_000_000, cost_usd=20.0, max_parallel_browsers=4,
    ),
}  # fmt: skip
