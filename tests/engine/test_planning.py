"""A run has a plan whatever the model says, and of the kind that its profile asks for."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from leadline.domain.config import Profile
from leadline.domain.views import role_of
from leadline.engine.planning import make_plan
from leadline.errors import ModelAnswerInvalid, ModelUnavailable
from leadline.models.offline import OfflineModel
from tests.engine.rig import TOPIC, Bench, a_config


class Mute(OfflineModel):
    """A model that never gives a plan."""

    def __init__(self, error: Exception) -> None:
        super().__init__()
        self.error = error

    async def ask(self, request: Any) -> Any:
        raise self.error


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    return Bench(tmp_path / "runs")


@pytest.mark.parametrize(
    ("profile", "names"),
    [
        (Profile.TODO, ["Background"]),
        (Profile.HIERARCHICAL, ["Background"]),
        (
            Profile.PERSPECTIVES,
            ["Technical view", "Industry view", "Critical view", "Future view"],
        ),
    ],
)
async def test_without_a_readable_answer_the_profiles_fallback_is_the_plan(
    bench: Bench, profile: Profile, names: list[str]
) -> None:
    """S0-13, S3-25: said in a notice, and the run goes on."""
    folder = bench.run(a_config().model_copy(update={"profile": profile}))
    with bench.session(folder, model=Mute(ModelAnswerInvalid("It held no JSON."))) as rig:
        assert await make_plan(rig.context)
        plan = rig.context.plan
        assert [category.name for category in plan.categories] == names
        assert all(TOPIC in task.text and task.id for task in plan.tasks())
        (notice,) = rig.of("notice")
        assert "basic plan" in notice.event.message  # type: ignore[union-attr]


async def test_a_model_that_is_gone_ends_the_run_at_its_plan(bench: Bench) -> None:
    with (
        bench.session(bench.run(a_config()), model=Mute(ModelUnavailable("Gone."))) as rig,
        pytest.raises(ModelUnavailable),
    ):
        await make_plan(rig.context)


async def test_a_plan_of_views_keeps_its_roles_in_the_file(bench: Bench) -> None:
    """S3-24: and the file is read back as the same plan."""
    folder = bench.run(a_config().model_copy(update={"profile": Profile.PERSPECTIVES}))
    with bench.session(folder) as rig:
        assert await make_plan(rig.context)
        assert "> Role: " in folder.file("research_plan.md").read_text("utf-8")
        assert all(role_of(category) for category in rig.context.sync_plan().categories)
        assert not [e for e in rig.of("plan.written") if e.event.origin == "user"]  # type: ignore[union-attr]
