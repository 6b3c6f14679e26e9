"""The arguments and options of the command line that several commands share."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from leadline.domain.config import Provider, SearchEngine
from leadline.domain.limits import Depth
from leadline.settings import Settings

_TABLE = Settings.table()


def option(key: str, *names: str, **more: Any) -> Any:
    """An option for a setting, described where the setting is."""
    return typer.Option(*names, help=_TABLE[key].description, show_default=False, **more)


TopicArgument = Annotated[
    str | None, typer.Argument(help="The question; '-' reads it from standard input.")
]
TaskId = Annotated[str, typer.Argument(help="Id of the run, as 'leadline list' shows it.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON object for machines.")]
Root = Annotated[Path | None, option("runs_dir", "--root")]
DepthOption = Annotated[Depth | None, option("depth", "--depth")]
Browsers = Annotated[int | None, option("limits.max_parallel_browsers", "--browsers", "-b")]
Loops = Annotated[int | None, option("limits.max_research_loops", "--loops")]
ProviderOption = Annotated[Provider | None, option("model.provider", "--provider")]
ModelName = Annotated[str | None, option("model.name", "--model")]
BaseUrl = Annotated[str | None, option("model.base_url", "--base-url")]
Engines = Annotated[list[SearchEngine] | None, option("search.engines", "--engine")]
Language = Annotated[str | None, option("report_language", "--language")]
PlanFrom = Annotated[
    str | None,
    typer.Option("--plan", help="Start from this plan: a file (web-ui's too) or the id of a run."),
]
TopicFile = Annotated[
    Path | None, typer.Option("--topic-file", help="Read the question from a file.")
]
Further = Annotated[
    list[str] | None,
    typer.Option("--set", metavar="NAME=VALUE", help="Any other setting (docs/settings.md)."),
]
