"""A model for each role: shared where it is the same, closed whatever happens."""

from __future__ import annotations

import pytest
from pydantic import SecretStr

from leadline.domain.config import ModelConfig, ModelRole, Provider, RunConfig
from leadline.domain.events import ModelCalled
from leadline.errors import ModelUnavailable
from leadline.models.offline import OfflineModel
from leadline.models.roles import RoleModels, create_models
from tests.models.conftest import plan_request, section_request, text_of
from tests.openai_server import OpenAIServer


def config(server: OpenAIServer, name: str = "big") -> ModelConfig:
    return ModelConfig(provider=Provider.CUSTOM, name=name, base_url=server.base_url)


async def test_each_role_asks_its_own_model_with_its_own_key() -> None:
    """Use is counted for each role."""
    reported: list[ModelCalled] = []
    keys = {None: SecretStr("main-key"), ModelRole.WRITER: SecretStr("writer-key")}
    with OpenAIServer(key="main-key") as main, OpenAIServer(key="writer-key") as other:
        run = RunConfig(model=config(main), roles={ModelRole.WRITER: config(other, "prose")})
        models = create_models(run, keys.get, on_call=reported.append)
        try:
            await models.for_role("planner").ask(plan_request())
            assert await text_of(models.for_role(ModelRole.WRITER).write(section_request()))
        finally:
            await models.aclose()
        assert [call.body["model"] for call in main.requests] == ["big"]
        assert [call.body["model"] for call in other.requests] == ["prose"]
        assert len(models.hosts) == 2
    assert [call.role for call in reported] == ["planner", "writer"]


async def test_roles_with_the_same_model_share_it() -> None:
    with OpenAIServer() as server:
        small = config(server, "small")
        roles = {ModelRole.VERIFIER: small, ModelRole.REFUTER: small}
        run = RunConfig(model=config(server), roles=roles)
        models = create_models(run, lambda role: None, on_call=lambda call: None)
        assert models.for_role("verifier") is models.for_role("refuter")
        assert models.for_role("verifier") is not models.main
        assert models.for_role("planner") is models.main
        assert len(list(models)) == 2
        assert len(models.hosts) == 1
        await models.aclose()


async def test_all_are_closed_though_one_cannot_be() -> None:
    class Stuck(OfflineModel):
        async def aclose(self) -> None:
            raise OSError("the line is gone")

    last = OfflineModel()
    models = RoleModels(Stuck(), {ModelRole.WRITER: last})
    with pytest.raises(OSError, match="the line is gone"):
        await models.aclose()
    with pytest.raises(ModelUnavailable):
        await last.check()
