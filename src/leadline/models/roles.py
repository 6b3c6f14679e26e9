"""The models of a run: one for all, or one of its own for a role. Opened and closed in one place.

Two roles with the same model and key share one object, and all models at one endpoint share one
limiter, so that a 429 slows down every caller of that endpoint.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator, Mapping

from pydantic import SecretStr

from leadline.domain.config import ModelConfig, ModelRole, RunConfig
from leadline.models.base import Model, OnCall
from leadline.models.factory import create_model
from leadline.models.limiter import Limiter
from leadline.models.requests import Role

OnNotice = Callable[[str], None]


class RoleModels:
    """Which model answers in which role; ``by_role`` holds those that are not the main one."""

    def __init__(self, main: Model, by_role: Mapping[ModelRole, Model] | None = None) -> None:
        self.main = main
        self._by_role = dict(by_role or {})

    def for_role(self, role: ModelRole | Role) -> Model:
        """The model that answers in this role: its own, or the main one."""
        return self._by_role.get(ModelRole(role), self.main)

    def __iter__(self) -> Iterator[Model]:
        """Each model once, the main one first."""
        return iter(dict.fromkeys((self.main, *self._by_role.values())))

    @property
    def hosts(self) -> list[str]:
        """``host:port`` of all endpoints, each once."""
        return list(dict.fromkeys(model.host for model in self if model.host))

    async def aclose(self) -> None:
        """Close all of them, each whatever becomes of the others; the first error is raised."""
        results = await asyncio.gather(*(m.aclose() for m in self), return_exceptions=True)
        for result in results:
            if isinstance(result, BaseException):
                raise result


def create_models(
    config: RunConfig,
    key_of: Callable[[ModelRole | None], SecretStr | None],
    *,
    on_call: OnCall,
    on_notice: OnNotice | None = None,
) -> RoleModels:
    """The models of a run; ``key_of(None)`` is the main one's key.

    Raises :class:`~leadline.errors.InvalidSetting` as ``create_model`` does.
    """
    limiters: dict[tuple[str, str], Limiter] = {}
    made: dict[tuple[ModelConfig, str], Model] = {}

    def model(wanted: ModelConfig, key: SecretStr | None) -> Model:
        same = (wanted, key.get_secret_value() if key else "")
        if same not in made:
            place = (wanted.provider.value, wanted.base_url)
            made[same] = create_model(
                wanted,
                key,
                limits=config.limits,
                on_call=on_call,
                on_notice=on_notice,
                limiter=limiters.setdefault(place, Limiter()),
            )
        return made[same]

    main = model(config.model, key_of(None))
    return RoleModels(main, {r: model(c, key_of(r)) for r, c in config.roles.items()})
