"""Which model the nodes ask: that of their role, the main one where a role has none."""

from __future__ import annotations

from pathlib import Path

from leadline.domain.config import ModelRole
from leadline.engine.graph import run_graph
from leadline.models.offline import OfflineModel
from tests.engine.rig import Bench, a_config


class Named(OfflineModel):
    """The offline model under a name of its own."""

    def __init__(self, name: str) -> None:
        super().__init__()
        self._named = name
        self.roles: list[str] = []

    @property
    def name(self) -> str:
        return self._named

    def _report(self, role: str, started: float) -> None:
        self.roles.append(role)


async def test_each_node_asks_the_model_of_its_role(tmp_path: Path) -> None:
    bench = Bench(tmp_path)
    main, planner, writer = Named("main"), Named("drafts"), Named("prose")
    with bench.session(bench.run(a_config(max_research_loops=1)), model=main) as rig:
        rig.by_role = {ModelRole.PLANNER: planner, ModelRole.WRITER: writer}
        await run_graph(rig.context)
        assert planner.roles == ["planner"]
        assert set(main.roles) == {"reflector", "verifier"}
        assert set(writer.roles) == {"writer"}
        assert "prose" in rig.folder.report()
