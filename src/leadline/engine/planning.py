"""The ``plan`` node: a plan for the topic, unless the run has one.

A resumed run keeps its plan (and whatever its user made of it): it is never planned again.
"""

from __future__ import annotations

from leadline.domain.profile_plans import fallback_plan
from leadline.domain.run import RunStatus
from leadline.engine.context import RunContext
from leadline.errors import ModelAnswerInvalid
from leadline.models.plan_request import PlanRequest


async def make_plan(context: RunContext) -> bool:
    """Make sure that the run has a plan; True when it was made just now by the model."""
    if list(context.sync_plan().tasks()):
        return False
    context.session.set_status(RunStatus.PLANNING)
    context.budget.check()
    request = PlanRequest(
        topic=context.topic,
        language=context.language,
        today=context.today,
        limits=context.config.limits,
        profile=context.config.profile,
    )
    try:
        draft = await context.model_for(request.role).ask(request)
    except ModelAnswerInvalid as error:
        context.notice(
            f"The model gave no usable plan ({error}) A basic plan is used; edit it as you like.",
            warning=True,
        )
        plan = fallback_plan(context.topic, context.config.profile, context.config.limits)
        context.session.write_plan(plan.numbered(), "fallback")
        return True
    for notice in draft.notices:
        context.notice(notice)
    context.session.write_plan(draft.plan.numbered(), "model")
    return True
