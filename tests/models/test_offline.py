"""The offline model: deterministic, within limits, never a sentence of its own."""

from __future__ import annotations

from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from leadline.domain.claims import Claim
from leadline.domain.config import Profile
from leadline.domain.events import ModelCalled
from leadline.domain.evidence import PassageRef
from leadline.domain.gaps import Gap, GapKind
from leadline.domain.limits import PRESETS, Depth, Limits
from leadline.domain.plan import TaskState
from leadline.domain.plan_markdown import parse_plan, render_plan
from leadline.domain.profiles import PROFILES
from leadline.domain.subject import keywords, subject_of
from leadline.domain.views import role_of
from leadline.errors import ModelAnswerInvalid
from leadline.models.offline import OfflineModel
from leadline.models.offline_plan import offline_plan
from leadline.models.reflect_request import ReflectRequest
from leadline.models.requests import ClaimView, TaskOutcome
from leadline.reports.citations import check_section
from tests.models.conftest import plan_request, section_request, text_of

TODAY = date(2025, 3, 4)


def texts(topic: str, limits: Limits | None = None) -> list[str]:
    plan = offline_plan(topic, limits or Limits(), language="", today=TODAY)
    return [task.text for task in plan.tasks()]


@given(
    st.text(min_size=1, max_size=200), st.sampled_from(list(Depth)), st.sampled_from(list(Profile))
)
def test_any_topic_gives_a_plan_within_limits(topic: str, depth: Depth, profile: Profile) -> None:
    limits = PROFILES[profile].narrowed(PRESETS[depth])
    plan = offline_plan(topic, PRESETS[depth], language="", today=TODAY, profile=profile)
    assert 1 <= len(plan.categories) <= limits.max_categories
    for category in plan.categories:
        assert 1 <= len(category.tasks) <= limits.max_tasks_per_category
        assert all(task.text for task in category.tasks)
        assert all(len(task.queries) <= limits.queries_per_task for task in category.tasks)
    assert plan == offline_plan(topic, limits, language="", today=TODAY, profile=profile)
    shown = parse_plan(render_plan(plan))
    assert parse_plan(render_plan(shown)) == shown


def test_compound_questions_are_split() -> None:
    found = texts("What is tidal power in Brixholm and how much does it cost?")
    assert found[:2] == ["What is tidal power in Brixholm", "Brixholm: how much does it cost"]


@pytest.mark.parametrize(
    "topic", ["tidal power vs wind power", "Compare tidal power with wind power"]
)
def test_comparisons_have_both_sides(topic: str) -> None:
    found = texts(topic)
    assert found[0] == "Differences between tidal power and wind power"
    assert any(text.startswith("tidal power:") for text in found)


def test_a_chinese_topic_gets_a_chinese_plan() -> None:
    plan = offline_plan("潮汐发电是什么？", Limits(), language="", today=TODAY)
    assert [c.name for c in plan.categories] == [
        "所提问题",
        "背景概览",
        "关键事实与数据",
        "不同观点",
    ]
    assert "潮汐发电：关键事实与数据" in [t.text for t in plan.tasks()]
    assert texts("潮汐能和风能的区别")[0] == "潮汐能与风能的差异"


@pytest.mark.parametrize(
    ("topic", "subject"),
    [
        ("What are the effects of {x} on birds?", "the effects of {x} on birds"),
        ("Explain tidal power", "tidal power"),
        ("tidal power", "tidal power"),
        ("why?", "why"),
    ],
)
def test_subjects(topic: str, subject: str) -> None:
    assert subject_of(topic) == subject


def test_queries_are_keywords() -> None:
    assert keywords("What are the effects of tidal power on birds?") == "effects tidal power birds"


async def test_calls_are_reported_at_no_cost() -> None:
    reported: list[ModelCalled] = []
    model = OfflineModel(on_call=reported.append)
    assert (await model.ask(plan_request())).plan.categories
    await text_of(model.write(section_request()))
    assert [(c.role, c.usage.calls, c.usage.cost_usd) for c in reported] == [
        ("planner", 1, 0.0),
        ("writer", 1, 0.0),
    ]


COSTS = Gap(
    kind=GapKind.FAILED,
    about=("Costs of tidal power in Brixholm",),
    detail="No page answered.",
    category="Money",
)
CARRIED = Gap(
    kind=GapKind.CONTRADICTION,
    about=(
        "The ferry carried 412,000 passengers in 2025.",
        "The audit counts 389,000 ferry passengers in 2025.",
    ),
    category="Ridership",
)
UNDATED = Gap(kind=GapKind.WEAK, about=("票价为7.2元。",), category="价格")
THIN = Gap(kind=GapKind.VIEW, about=("What is criticised?",), category="Critics")


def reflection(*gaps: Gap, most: int = 3, tasks: tuple[str, ...] = ()) -> ReflectRequest:
    outcomes = tuple(TaskOutcome(text=text, state=TaskState.FAILED) for text in tasks)
    return ReflectRequest(topic="Tidal power", tasks=outcomes, gaps=gaps, max_new_tasks=most)


async def test_failed_tasks_are_asked_again_once_in_other_words() -> None:
    (new,) = (await OfflineModel().ask(reflection(COSTS))).new_tasks
    assert new.text == "In other words: Costs of tidal power in Brixholm"
    assert new.category == "Money"
    assert new.queries == ("Costs Brixholm Tidal power",)
    again = COSTS.model_copy(update={"about": (new.text,)})
    assert not (await OfflineModel().ask(reflection(COSTS, again, tasks=(new.text,)))).new_tasks


async def test_a_contradiction_is_searched_for_by_what_is_measured_not_by_a_value() -> None:
    (new,) = (await OfflineModel().ask(reflection(CARRIED))).new_tasks
    assert new.queries == ("ferry carried passengers 2025",)
    assert new.text.startswith("Which is right: The ferry carried 412,000 passengers in 2025, or")
    assert new.category == "Ridership"


async def test_gaps_become_tasks_the_most_telling_first_and_no_more_than_allowed() -> None:
    """S3-32; a thin view alone gives no rule for what to ask."""
    gaps = (UNDATED, THIN, COSTS, CARRIED)
    new = (await OfflineModel().ask(reflection(*gaps))).new_tasks
    assert [task.category for task in new] == ["Ridership", "Money", "价格"]
    assert new[2].text == "另一个来源：票价为7.2元"
    assert len((await OfflineModel().ask(reflection(*gaps, most=1))).new_tasks) == 1
    assert not (await OfflineModel().ask(reflection(*gaps, most=0))).new_tasks
    assert not (await OfflineModel().ask(reflection(THIN))).new_tasks


async def test_a_digest_is_quotes_that_pass_the_check_of_the_report() -> None:
    quotes = {
        "c1": "The plant delivers 12 MW of tidal power.",
        "c2": "The plant delivers 12 MW of tidal power!",
        "c3": "Birds avoid “the barrage” in winter.",
        "c4": "潮汐电站于2019年投产。",
    }
    views = tuple(ClaimView(id=i, claim=q, quotes=(q,)) for i, q in quotes.items())
    text = await text_of(OfflineModel().write(section_request(claims=views)))
    assert text.splitlines()[0] == "- “The plant delivers 12 MW of tidal power” [c1]."
    assert "[c2]" not in text, "the same sentence from two sources is said once"
    claims = [
        Claim(
            id=i,
            text=q,
            findings=(f"f{i[1:]}",),
            passages=(PassageRef(source=1, passage=1),),
            quotes=(q,),
        )
        for i, q in quotes.items()
    ]
    checked = check_section(text, claims)
    assert set(checked.cited) == {"c1", "c3", "c4"}
    assert checked.dropped.sentences == 0


async def test_a_quote_names_its_site_and_date() -> None:
    view = ClaimView(id="c1", claim="C.", quotes=("Q is.",), site="power.example", date="2024")
    text = await text_of(OfflineModel().write(section_request(claims=(view,))))
    assert text == "- “Q is” — power.example, 2024 [c1].\n"


async def test_a_summary_is_short_and_nothing_is_nothing() -> None:
    views = tuple(
        ClaimView(id=f"c{n}", claim=f"Fact {n} on topic{n}.", quotes=()) for n in range(1, 20)
    )
    summary = await text_of(OfflineModel().write(section_request(claims=views, most=5, words=500)))
    assert len(summary.splitlines()) == 5
    with pytest.raises(ModelAnswerInvalid):
        await text_of(OfflineModel().write(section_request(claims=())))


async def test_what_needs_judgement_is_not_answered_by_quotes() -> None:
    """A quote is no advice: such a section stays empty, and that is no failure."""
    assert await text_of(OfflineModel().write(section_request(judged=True))) == ""


def test_the_aspects_that_a_topic_lists_are_its_first_tasks() -> None:
    topic = "How well do tidal ferries work: ridership, cost and funding, and the bridge debate?"
    plan = offline_plan(topic, Limits(), language="", today=TODAY)
    assert plan.categories[0].name == "Ridership; cost and funding; the bridge debate"
    assert [t.text for t in plan.categories[0].tasks] == [
        "Tidal ferries: ridership",
        "Tidal ferries: cost and funding",
        "Tidal ferries: the bridge debate",
    ]
    assert plan.categories[1].name == "Background"


def test_queries_are_the_subject_in_short_and_the_aspect_then_its_halves() -> None:
    topic = "How well does the electric tidal ferry of Quorrow work: cost and funding, noise?"
    limits = Limits(queries_per_task=3)
    plan = offline_plan(topic, limits, language="", today=TODAY)
    assert plan.categories[0].tasks[0].queries == (
        "ferry Quorrow cost funding",
        "ferry Quorrow cost",
        "ferry Quorrow funding",
    )
    assert plan.categories[0].tasks[1].queries == ("ferry Quorrow noise",)


def test_where_room_is_left_for_one_category_it_holds_a_little_of_each_kind() -> None:
    plan = offline_plan(
        "Heat pumps: price, noise, power, lifetime, repair, size, law, taxes, safety",
        Limits(),
        language="",
        today=TODAY,
    )
    assert len(plan.categories) == 4
    assert [task.text for task in plan.categories[3].tasks] == [
        "Heat pumps: what it is and how it works",
        "Heat pumps: criticism and differing views",
        "Heat pumps: recent developments",
    ]


def test_many_aspects_spread_over_categories_within_the_limits() -> None:
    """W0-9: counts are clamped in code."""
    topic = "Tidal ferries: " + ", ".join(f"aspect {n}" for n in range(30))
    plan = offline_plan(topic, Limits(), language="", today=TODAY)
    assert len(plan.categories) <= Limits().max_categories
    assert all(len(c.tasks) <= Limits().max_tasks_per_category for c in plan.categories)


LISTED = "Tidal ferries: ridership, cost and funding, noise"
LISTED_ZH = "潮汐渡轮的客流量、票价和建设费用"


@pytest.mark.parametrize(
    ("topic", "questions"),
    [(LISTED, ["ridership", "cost and funding", "noise"]), (LISTED_ZH, ["客流量", "票价"])],
)
def test_a_todo_plan_is_one_list_of_three_to_five(topic: str, questions: list[str]) -> None:
    """S0-7: what the topic lists stands first."""
    plan = offline_plan(topic, Limits(), language="", today=TODAY, profile=Profile.TODO)
    (category,) = plan.categories
    assert 3 <= len(category.tasks) <= 5
    for question, task in zip(questions, category.tasks, strict=False):
        assert question in task.text
        assert task.queries


@pytest.mark.parametrize(
    ("topic", "kind", "first"),
    [
        ("Tidal power vs wind power", "comparative", "Differences"),
        ("How do tidal turbines work?", "technical", "Technical view"),
        ("Regulation of drones in Norway", "policy", "Legal view"),
        ("The market for e-bikes", "business", "Industry view"),
        ("Studies on sleep and memory", "academic", "Evidence view"),
        ("The island of Quorrow", "general", "Background"),
        ("潮汐能和风能的区别", "比较", "差异"),
        ("阔罗岛", "一般", "背景"),
    ],
)
def test_views_follow_from_the_kind_of_question(topic: str, kind: str, first: str) -> None:
    """W3-15, S3-24: in English and Chinese."""
    plan = offline_plan(topic, Limits(), language="", today=TODAY, profile=Profile.PERSPECTIVES)
    assert kind in plan.notes[0]
    assert plan.categories[0].name == first
    assert 3 <= len(plan.categories) <= 6
    assert all(role_of(category) for category in plan.categories)
    names = [category.name for category in plan.categories]
    assert "Critical view" in names or "批判视角" in names


def test_what_a_topic_lists_is_asked_by_the_view_that_it_fits() -> None:
    plan = offline_plan(LISTED, Limits(), language="", today=TODAY, profile=Profile.PERSPECTIVES)
    texts_of = {c.name: " | ".join(t.text for t in c.tasks) for c in plan.categories}
    for aspect in ("ridership", "cost and funding", "noise"):
        assert any(aspect in text for text in texts_of.values())
    assert "cost and funding" in texts_of["Economic view"]
