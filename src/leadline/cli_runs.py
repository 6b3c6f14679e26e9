"""What the commands that start or follow a run have in common: input, watching, exit code."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import typer
from rich.console import Console
from rich.text import Text

from leadline.cli_output import complain, ending, plan_lines, print_json, progress_on, result
from leadline.domain.config import Provider, RunConfig, SearchEngine
from leadline.domain.run import RunRecord, RunStatus
from leadline.errors import InvalidSetting, UserError
from leadline.following import Launcher, StopRequest, stopped_by_signals
from leadline.runs.folder import RunFolder
from leadline.settings import Settings
from leadline.settings_table import key_of

EXIT_CODES = {
    RunStatus.DONE: 0,
    RunStatus.PLANNED: 0,
    RunStatus.EMPTY: 1,
    RunStatus.FAILED: 1,
    RunStatus.INTERRUPTED: 1,
    RunStatus.STOPPED: 3,
}
TOPIC_MAX_BYTES = 1_000_000


def say_what_is_missing(settings: Settings, config: RunConfig) -> None:
    """What a person would wonder about later: no model, no internet."""
    if config.search.engines == (SearchEngine.DEMO,):
        complain("This run reads the bundled demo web, not the internet.")
    if config.model.provider is Provider.OFFLINE and settings.model_hint():
        complain(settings.model_hint())


def follow_run(
    launcher: Launcher, begin: Callable[[], tuple[RunFolder, int]], as_json: bool
) -> None:
    """Begin a run and show it until it ends; leaves with the exit code of its status.

    ``begin`` starts it and returns its folder and where its log is read from. Signals are held
    from before that, so that none falls between the start and the watching.
    """
    stop = StopRequest()
    with stopped_by_signals(stop):
        folder, cursor = begin()
        progress = progress_on(Console(stderr=True))
        progress.say(f"Run {folder.task_id}")
        try:
            record = launcher.follow(
                folder,
                watch=progress.show,
                stop=stop,
                on_stopping=lambda: progress.say("Stopping; what was found is kept."),
                cursor=cursor,
            )
        finally:
            progress.close()
    if as_json:
        more = {"reason": record.reason} if record.reason else {}
        print_json({**result(record, folder), **more})
    else:
        _report_to_person(record, folder)
    raise typer.Exit(EXIT_CODES.get(record.status, 1))


def _report_to_person(record: RunRecord, folder: RunFolder) -> None:
    console = Console()
    plan = folder.plan()
    if record.status is RunStatus.PLANNED and plan:
        for line in plan_lines(plan):
            console.print(line)
    for sentence in ending(record, folder):
        console.print(Text(sentence), soft_wrap=True)


def read_topic(argument: str | None, file: Path | None) -> str:
    """The topic from its argument, from standard input or from a file; empty when none is given."""
    if file is not None:
        if argument:
            raise UserError("Give the topic once: as an argument or with --topic-file.")
        try:
            with file.open("rb") as stream:
                data = stream.read(TOPIC_MAX_BYTES + 1)
        except OSError as error:
            raise UserError(f"{file} cannot be read ({error.strerror}).") from None
    elif argument == "-":
        data = sys.stdin.buffer.read(TOPIC_MAX_BYTES + 1)
    else:
        return argument or ""
    return data.decode("utf-8", "replace")


def read_pairs(further: list[str] | None) -> dict[str, Any]:
    """``--set limits.minutes=5`` as an override."""
    pairs: dict[str, Any] = {}
    table = Settings.table()
    for pair in further or []:
        name, equals, value = pair.partition("=")
        if not equals:
            raise InvalidSetting(f"--set takes NAME=VALUE, not {pair[:60]!r}.")
        pairs[key_of(name.strip(), table)] = value.strip()
    return pairs
