"""The graph of a run, put together in one place.

    plan ─▶ research ⟲ ─▶ reflect ─▶ verify ─▶ write
      └▶ (halt)    ▲──────────┘

The state of the graph only routes; everything that matters is in the run folder, so a resume
starts the same graph anew and each node does what is still to be done.
"""

from __future__ import annotations

from typing import TypedDict

from langgraph.graph import END, START, StateGraph
from langgraph.graph.state import CompiledStateGraph

from leadline.domain.events import RunFinished
from leadline.domain.plan import TaskState
from leadline.domain.run import RunStatus
from leadline.engine.context import RunContext
from leadline.engine.planning import make_plan
from leadline.engine.reflection import reflect
from leadline.engine.research import research_stage
from leadline.engine.scoring import score_evidence
from leadline.engine.stages import steps_needed
from leadline.engine.verification import verify
from leadline.engine.writing import write_report


class ResearchState(TypedDict, total=False):
    """Where the graph goes next."""

    halt: bool
    more_stages: bool
    more_tasks: bool
    cited: bool


_Compiled = CompiledStateGraph[ResearchState, None, ResearchState, ResearchState]


async def run_graph(context: RunContext) -> RunFinished:
    """Work the run from where it stands to its end, or to the halt after its plan.

    Raises the error that ended it (:class:`LeadlineError`); the folder then holds what was found.
    """
    limits = context.config.limits
    graph = _assemble(context)
    steps = steps_needed(context.plan, limits.max_tasks, limits.max_research_loops)
    state = await graph.ainvoke({}, {"recursion_limit": steps})
    if state.get("halt"):
        return RunFinished(status=RunStatus.PLANNED)
    if not state.get("cited"):
        return RunFinished(status=RunStatus.EMPTY, reason=_why_empty(context))
    return RunFinished(status=RunStatus.DONE, reason=_unanswered(context))


def _why_empty(context: RunContext) -> str:
    if context.session.view.tasks and not context.session.view.searches:
        return "No search engine could be reached: are you online? Resume tries again."
    return "Nothing was found that could be cited."


def _unanswered(context: RunContext) -> str:
    counts = context.plan.counts()
    total, done = sum(counts.values()), counts[TaskState.DONE]
    return "" if done == total else f"{total - done} of {total} tasks are not answered."


def _assemble(context: RunContext) -> _Compiled:
    async def plan(state: ResearchState) -> ResearchState:
        made_now = await make_plan(context)
        # A plan that was given is shown first as well, once: a resume is its user's go-ahead.
        unseen = made_now or context.session.view.session <= 1
        return {"halt": unseen and context.config.plan_first}

    async def research(state: ResearchState) -> ResearchState:
        return {"more_stages": await research_stage(context)}

    async def look_back(state: ResearchState) -> ResearchState:
        return {"more_tasks": await reflect(context)}

    async def check(state: ResearchState) -> ResearchState:
        await verify(context)
        score_evidence(context)
        return {}

    async def write(state: ResearchState) -> ResearchState:
        return {"cited": await write_report(context)}

    graph = StateGraph(ResearchState)
    graph.add_node("plan", plan)
    graph.add_node("research", research)
    graph.add_node("reflect", look_back)
    graph.add_node("verify", check)
    graph.add_node("write", write)
    graph.add_edge(START, "plan")
    graph.add_conditional_edges("plan", lambda s: END if s.get("halt") else "research")
    graph.add_conditional_edges(
        "research", lambda s: "research" if s.get("more_stages") else "reflect"
    )
    graph.add_conditional_edges(
        "reflect", lambda s: "research" if s.get("more_tasks") else "verify"
    )
    graph.add_edge("verify", "write")
    graph.add_edge("write", END)
    return graph.compile()
