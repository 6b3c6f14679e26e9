"""The command line. It talks to runs through their folders and never imports the engine.

Exit codes: 0 done (also a plan that is ready), 1 failed or nothing found, 2 wrong usage or input,
3 stopped. An error is one sentence on standard error; with ``--json`` it is an object too.
"""

from __future__ import annotations

import json
import logging
import os
import sys
import time
import traceback
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Annotated, Any, NoReturn

import typer
from dotenv import dotenv_values
from rich.console import Console
from rich.table import Table
from rich.text import Text

from leadline.cli_output import ending, plan_lines, printable, progress_on, result
from leadline.domain.config import Provider, RunConfig, SearchEngine
from leadline.domain.events import Entry
from leadline.domain.limits import Depth
from leadline.domain.plan import Plan
from leadline.domain.projection import RunView
from leadline.domain.run import RunRecord, RunStatus, check_topic
from leadline.errors import InvalidSetting, LeadlineError, UserError
from leadline.following import Launcher, StopRequest, plan_from, stopped_by_signals
from leadline.provider_keys import without_secrets
from leadline.runs.folder import RunFolder
from leadline.runs.store import RunStore
from leadline.settings import ENV_FILE, Settings

EXIT_CODES = {
    RunStatus.DONE: 0,
    RunStatus.PLANNED: 0,
    RunStatus.EMPTY: 1,
    RunStatus.FAILED: 1,
    RunStatus.INTERRUPTED: 1,
    RunStatus.STOPPED: 3,
}
TOPIC_MAX_BYTES = 1_000_000
_TABLE = Settings.table()

app = typer.Typer(
    name="leadline",
    help="Deep research with real browsers; every sentence leads to the passage that proves it.",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
)


def _option(key: str, *names: str, **more: Any) -> Any:
    """An option for a setting, described where the setting is."""
    return typer.Option(*names, help=_TABLE[key].description, show_default=False, **more)


TopicArgument = Annotated[
    str | None, typer.Argument(help="The question; '-' reads it from standard input.")
]
TaskId = Annotated[str, typer.Argument(help="Id of the run, as 'leadline list' shows it.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON object for machines.")]
Root = Annotated[Path | None, _option("runs_dir", "--root")]
DepthOption = Annotated[Depth | None, _option("depth", "--depth")]
Browsers = Annotated[int | None, _option("limits.max_parallel_browsers", "--browsers", "-b")]
Loops = Annotated[int | None, _option("limits.max_research_loops", "--loops")]
ProviderOption = Annotated[Provider | None, _option("model.provider", "--provider")]
ModelName = Annotated[str | None, _option("model.name", "--model")]
BaseUrl = Annotated[str | None, _option("model.base_url", "--base-url")]
Engines = Annotated[list[SearchEngine] | None, _option("search.engines", "--engine")]
Language = Annotated[str | None, _option("report_language", "--language")]
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


@app.command("run")
def run_command(
    topic: TopicArgument = None,
    depth: DepthOption = None,
    browsers: Browsers = None,
    loops: Loops = None,
    provider: ProviderOption = None,
    model: ModelName = None,
    base_url: BaseUrl = None,
    engine: Engines = None,
    language: Language = None,
    plan: PlanFrom = None,
    plan_first: Annotated[bool, _option("plan_first", "--plan-first")] = False,
    topic_file: TopicFile = None,
    further: Further = None,
    root: Root = None,
    as_json: AsJson = False,
) -> None:
    """Research a topic to its report."""
    overrides: dict[str, Any] = {
        "depth": depth, "browsers": browsers, "loops": loops, "provider": provider,
        "model_name": model, "base_url": base_url, "engines": tuple(engine or ()) or None,
        "language": language, "plan_first": plan_first or None, **_pairs(further),
    }  # fmt: skip
    launcher = Launcher(Settings(), root)
    given, topic_of_plan = plan_from(launcher.store, plan) if plan else (None, "")
    text = _topic(topic, topic_file) or topic_of_plan
    check_topic(text)
    config = launcher.settings.run_config(**overrides)
    _say_what_is_missing(launcher.settings, config)
    _start(launcher, text, config, given, as_json)


@app.command("plan")
def plan_command(
    topic: TopicArgument = None,
    depth: DepthOption = None,
    provider: ProviderOption = None,
    model: ModelName = None,
    base_url: BaseUrl = None,
    language: Language = None,
    topic_file: TopicFile = None,
    further: Further = None,
    root: Root = None,
    as_json: AsJson = False,
) -> None:
    """Make the plan of a run and halt; 'resume' goes on once you have edited it."""
    launcher = Launcher(Settings(), root)
    text = check_topic(_topic(topic, topic_file))
    config = launcher.settings.run_config(
        depth=depth, provider=provider, model_name=model, base_url=base_url, language=language,
        plan_first=True, **_pairs(further),
    )  # fmt: skip
    _say_what_is_missing(launcher.settings, config)
    _start(launcher, text, config, None, as_json)


@app.command("resume")
def resume_command(task_id: TaskId, root: Root = None, as_json: AsJson = False) -> None:
    """Go on with a run that halts after its plan, was stopped, failed or was interrupted."""
    launcher = Launcher(Settings(), root)
    folder, cursor = launcher.resume(task_id)
    _follow(launcher, folder, as_json, cursor=cursor)


@app.command("stop")
def stop_command(task_id: TaskId, root: Root = None, as_json: AsJson = False) -> None:
    """Stop a run; what it found is kept, and 'resume' goes on."""
    launcher = Launcher(Settings(), root)
    was_active = launcher.stop(task_id)
    status = launcher.store.open(task_id).status()
    if as_json:
        _print_json({"task_id": task_id, "stopped": was_active, "status": status.value})
    elif was_active:
        _say("Stopped; what was found is kept.")
    else:
        _say(f"{task_id} was not at work: it is {status.value}.")


@app.command("list")
def list_command(
    limit: Annotated[int, typer.Option(min=1, help="Show so many of the newest.")] = 50,
    root: Root = None,
    as_json: AsJson = False,
) -> None:
    """List the runs, newest first."""
    rows = RunStore(root or Settings().runs_dir).history()[:limit]
    if as_json:
        _print_json({"runs": [row.model_dump(mode="json") for row in rows]})
        return
    if not rows:
        _say("There are no runs yet. Start one with: leadline run 'your question'")
        return
    table = Table(box=None, pad_edge=False)
    for column in ("id", "status", "tasks", "sources", "started", "topic"):
        table.add_column(column, overflow="fold" if column == "id" else "ellipsis", no_wrap=True)
    for row in rows:
        total = row.done + row.failed + row.open
        table.add_row(
            Text(row.task_id), Text(row.status.value), f"{row.done + row.failed}/{total}",
            str(row.sources), f"{row.created_at.astimezone():%Y-%m-%d %H:%M}",
            Text(printable(row.topic, 120)),
        )  # fmt: skip
    Console().print(table)


@app.command("show")
def show_command(task_id: TaskId, root: Root = None, as_json: AsJson = False) -> None:
    """Show a run: how it stands, its plan with the boxes, where its report is."""
    folder = RunStore(root or Settings().runs_dir).open(task_id)
    record, view = folder.record(), folder.view()
    record = record.model_copy(update={"status": view.status, "reason": view.reason})
    if as_json:
        _print_json({**result(record, folder), "topic": record.topic, "reason": record.reason})
        return
    console = Console()
    console.print(Text(printable(record.topic, 500), style="bold"))
    plan = folder.plan()
    for line in plan_lines(plan) if plan else []:
        console.print(line)
    numbers = result(record, folder)
    console.print(
        f"{numbers['sources']} sources, {numbers['findings']} findings, "
        f"{numbers['citations']['total']} citations, {numbers['seconds']} s"
    )
    for sentence in ending(record, folder):
        console.print(Text(sentence), soft_wrap=True)


@app.command("export")
def export_command(
    task_id: TaskId,
    form: Annotated[str, typer.Option("--format", help="md or html.")] = "md",
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", help="Write to this file; else to the terminal."),
    ] = None,
    root: Root = None,
) -> None:
    """Write the report of a run as Markdown or as one HTML file."""
    if form not in ("md", "html"):
        raise InvalidSetting(f"--format cannot be {form[:40]!r}; use md or html.")
    folder = RunStore(root or Settings().runs_dir).open(task_id)
    report = folder.report()
    if report is None:
        raise UserError(f"{task_id} has no report yet: it is {folder.status().value}.")
    text = report if form == "md" else _html(folder, report)
    if output is None:
        sys.stdout.buffer.write(text.encode())
        sys.stdout.buffer.flush()
        return
    try:
        output.write_text(text, encoding="utf-8", newline="\n")
    except OSError as error:
        raise UserError(f"{output} cannot be written ({error.strerror}).") from None
    _say(f"Wrote {output}")


@app.command("demo")
def demo_command(
    browsers: Browsers = None,
    depth: DepthOption = None,
    provider: ProviderOption = None,
    model: ModelName = None,
    base_url: BaseUrl = None,
    further: Further = None,
    root: Root = None,
    as_json: AsJson = False,
) -> None:
    """Research the bundled demo web; without a model it needs no network and no key."""
    from leadline.demo.questions import DEMO_TOPIC

    launcher = Launcher(Settings(), root)
    if provider is None and model is None and base_url is None:
        provider = Provider.OFFLINE
    config = launcher.settings.run_config(
        browsers=browsers, depth=depth or Depth.STANDARD, provider=provider, model_name=model,
        base_url=base_url, engines=(SearchEngine.DEMO,), plan_first=False, **_pairs(further),
    )  # fmt: skip
    _start(launcher, DEMO_TOPIC, config, None, as_json)


@app.command("doctor")
def doctor_command(root: Root = None, as_json: AsJson = False) -> None:
    """Check what Leadline needs on this machine, and say what to do about what is missing."""
    from leadline.doctor import examine

    checks = examine(root)
    if as_json:
        _print_json({"ok": all(c.ok or not c.needed for c in checks),
                     "checks": [c.to_wire() for c in checks]})  # fmt: skip
    else:
        console = Console()
        for check in checks:
            colour = "green" if check.ok else "red" if check.needed else "yellow"
            mark = Text("✓ " if check.ok else "✗ ", style=colour)
            console.print(mark + Text(f"{check.name}: {check.sentence}"), soft_wrap=True)
    raise typer.Exit(0 if all(c.ok or not c.needed for c in checks) else 1)


@app.command("serve")
def serve_command(
    host: Annotated[str | None, _option("host", "--ip")] = None,
    port: Annotated[int | None, _option("port", "--port")] = None,
    root: Root = None,
    open_browser: Annotated[bool, typer.Option("--open", help="Open the page.")] = False,
) -> None:
    """Serve the web page, like 'python webui.py'."""
    from leadline.web.server import serve

    serve(Settings(host=host, port=port, runs_dir=root), open_browser=open_browser)


def main() -> NoReturn:
    """The entry point: every error becomes one sentence and an exit code."""
    logging.basicConfig(level=logging.WARNING, format="%(levelname)s %(name)s: %(message)s")
    as_json = "--json" in sys.argv[1:]
    try:
        app(standalone_mode=True)
    except LeadlineError as error:
        _fail(error, as_json, 2 if isinstance(error, UserError) else 1)
    except KeyboardInterrupt:
        _complain("Interrupted.")
        sys.exit(3)
    except BrokenPipeError:
        # Whoever read our output has enough of it; Python must not complain while it closes.
        sys.stdout = None
        sys.exit(1)
    except Exception as error:  # noqa: BLE001 - the last stop: a person sees no traceback
        _fail(LeadlineError(_unexpected(error)), as_json, 1)
    sys.exit(0)


def _start(
    launcher: Launcher, topic: str, config: RunConfig, plan: Plan | None, as_json: bool
) -> None:
    folder = launcher.start(topic, config, plan=plan)
    _follow(launcher, folder, as_json)


def _say_what_is_missing(settings: Settings, config: RunConfig) -> None:
    """What a person would wonder about later: no model, no internet."""
    if config.search.engines == (SearchEngine.DEMO,):
        _complain("This run reads the bundled demo web, not the internet.")
    if config.model.provider is Provider.OFFLINE and settings.model_hint():
        _complain(settings.model_hint())


def _follow(launcher: Launcher, folder: RunFolder, as_json: bool, *, cursor: int = 0) -> None:
    stop = StopRequest()
    progress = progress_on(Console(stderr=True))

    def watch(record: RunRecord, view: RunView, entries: Sequence[Entry]) -> None:
        progress.show(record, view, entries)

    with stopped_by_signals(stop):
        progress.say(f"Run {folder.task_id}")
        try:
            record = launcher.follow(
                folder,
                watch=watch,
                stop=stop,
                on_stopping=lambda: progress.say("Stopping; what was found is kept."),
                cursor=cursor,
            )
        finally:
            progress.close()
    if as_json:
        more = {"reason": record.reason} if record.reason else {}
        _print_json({**result(record, folder), **more})
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


def _topic(argument: str | None, file: Path | None) -> str:
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


def _pairs(further: list[str] | None) -> dict[str, Any]:
    """``--set limits.minutes=5`` as an override."""
    pairs: dict[str, Any] = {}
    for pair in further or []:
        name, equals, value = pair.partition("=")
        if not equals:
            raise InvalidSetting(f"--set takes NAME=VALUE, not {pair[:60]!r}.")
        pairs[name.strip()] = value.strip()
    return pairs


def _html(folder: RunFolder, report: str) -> str:
    from leadline.domain.text import detect_language
    from leadline.reports.render import standalone_html

    topic = folder.record().topic
    return standalone_html(
        report, folder.snapshot, title=topic, language=detect_language(report) or "en"
    )


def _print_json(value: dict[str, Any]) -> None:
    sys.stdout.write(json.dumps(value, ensure_ascii=False) + "\n")
    sys.stdout.flush()


def _say(sentence: str) -> None:
    print(sentence, flush=True)


def _complain(sentence: str) -> None:
    print(sentence, file=sys.stderr, flush=True)


def _fail(error: LeadlineError, as_json: bool, code: int) -> NoReturn:
    sentence = printable(str(error), 1000)
    _complain(sentence)
    if as_json:
        _print_json({"error": {"type": type(error).__name__, "message": sentence}})
    sys.exit(code)


def _unexpected(error: Exception, now: Callable[[], float] = time.time) -> str:
    """Keep the traceback in a file, without secrets; returns the sentence for the person."""
    values = {**dotenv_values(ENV_FILE, encoding="utf-8"), **os.environ}
    text = without_secrets("".join(traceback.format_exception(error)), values)
    path = Path("tmp") / f"leadline-error-{int(now())}.log"
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    except OSError:
        return f"Something unexpected went wrong ({type(error).__name__})."
    return f"Something unexpected went wrong ({type(error).__name__}); details are in {path}."


if __name__ == "__main__":
    main()
