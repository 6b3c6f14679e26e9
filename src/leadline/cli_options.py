"""The arguments and options of the command line that several commands share.

Options that belong together are a dataclass, named once. A command under :func:`grouped` takes
such a group as one value; the command line shows its fields.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from dataclasses import dataclass, fields, is_dataclass
from pathlib import Path
from typing import Annotated, Any, get_type_hints

import typer
from typer.core import TyperCommand
from typing_extensions import override

from leadline.domain.claims import Verification
from leadline.domain.config import Profile, Provider, ReportLength, ReportTemplate, SearchEngine
from leadline.domain.limits import Depth
from leadline.settings import Settings

_TABLE = Settings.table()


def option(key: str, *names: str, **more: Any) -> Any:
    """An option for a setting, described where the setting is."""
    return typer.Option(*names, help=_TABLE[key].description, show_default=False, **more)


class NameIsOptional(TyperCommand):
    """A command whose ``--model`` may stand without a name: then it is the configured one."""

    @override
    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        for place, word in enumerate(args):
            if word == "--model" and (place + 1 == len(args) or args[place + 1].startswith("-")):
                args = [*args[: place + 1], "", *args[place + 1 :]]
                break
        return super().parse_args(ctx, args)


TopicArgument = Annotated[
    str | None, typer.Argument(help="The question; '-' reads it from standard input.")
]
TaskId = Annotated[
    str,
    typer.Argument(
        metavar="ID",
        help="The run: its id as 'leadline list' shows it, the beginning of one (4 characters or "
        "more), or 'last' for the newest.",
    ),
]
AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON object for machines.")]
Root = Annotated[Path | None, option("runs_dir", "--root")]
DepthOption = Annotated[Depth | None, option("depth", "--depth")]
Browsers = Annotated[int | None, option("limits.max_parallel_browsers", "--browsers", "-b")]
Loops = Annotated[int | None, option("limits.max_research_loops", "--loops")]
ProviderOption = Annotated[Provider | None, option("model.provider", "--provider")]
ModelName = Annotated[str | None, option("model.name", "--model")]
BaseUrl = Annotated[str | None, option("model.base_url", "--base-url")]
Engines = Annotated[list[SearchEngine] | None, option("search.engines", "--engine")]
ProfileOption = Annotated[Profile | None, option("profile", "--profile")]
Verify = Annotated[Verification | None, option("verification", "--verification")]
Template = Annotated[ReportTemplate | None, option("report_template", "--template")]
Length = Annotated[ReportLength | None, option("report_length", "--length")]
Language = Annotated[str | None, option("report_language", "--language")]
PlanFrom = Annotated[
    str | None,
    typer.Option("--plan", help="Start from this plan: a file (web-ui's too), or that of a run."),
]
TopicFile = Annotated[
    Path | None, typer.Option("--topic-file", help="Read the question from a file.")
]
Further = Annotated[
    list[str] | None,
    typer.Option("--set", metavar="NAME=VALUE", help="Any other setting (docs/settings.md)."),
]


@dataclass(frozen=True)
class WorkOptions:
    """How thorough a run is and where it looks."""

    depth: DepthOption = None
    browsers: Browsers = None
    loops: Loops = None
    engine: Engines = None
    profile: ProfileOption = None
    verification: Verify = None
    template: Template = None
    length: Length = None
    language: Language = None

    def overrides(self) -> dict[str, Any]:
        """As ``Settings.run_config`` takes them; None is unset."""
        return {
            "depth": self.depth, "browsers": self.browsers, "loops": self.loops,
            "engines": tuple(self.engine or ()) or None, "language": self.language,
            "profile": self.profile, "verification": self.verification,
            "report_template": self.template, "report_length": self.length,
        }  # fmt: skip


@dataclass(frozen=True)
class ModelOptions:
    """Which model answers."""

    provider: ProviderOption = None
    model: ModelName = None
    base_url: BaseUrl = None

    def overrides(self, *, unset: Provider | None = None) -> dict[str, Any]:
        """As ``Settings.run_config`` takes them; ``unset`` is the provider when none is named."""
        named = self.provider or self.model or self.base_url
        provider = self.provider if named else unset
        return {"provider": provider, "model_name": self.model, "base_url": self.base_url}


def grouped(command: Callable[..., None]) -> Callable[..., None]:
    """Show the fields of a command's groups as options of their own, where the group stands."""
    hints = get_type_hints(command, include_extras=True)
    groups: dict[str, Any] = {name: kind for name, kind in hints.items() if is_dataclass(kind)}
    parameters: list[inspect.Parameter] = []
    for parameter in inspect.signature(command).parameters.values():
        group = groups.get(parameter.name)
        if group is None:
            shown = [(parameter.name, parameter.default, hints[parameter.name])]
        else:
            kinds = get_type_hints(group, include_extras=True)
            shown = [(f.name, f.default, kinds[f.name]) for f in fields(group)]
        parameters += [
            inspect.Parameter(
                name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=kind
            )
            for name, default, kind in shown
        ]

    @functools.wraps(command)
    def call(**given: Any) -> None:
        for name, group in groups.items():
            given[name] = group(**{f.name: given.pop(f.name) for f in fields(group)})
        command(**given)

    call.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
    call.__dict__["__signature__"] = inspect.Signature(parameters)
    return call
