"""The command line. It talks to runs through their folders and never imports the engine.

Exit codes: 0 done (also a plan that is ready), 1 failed or nothing found, 2 wrong usage or input,
3 stopped. An error is one sentence on standard error; with ``--json`` it is an object too.
"""

from __future__ import annotations

import logging
import os
import sys
import time
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any, NoReturn

import typer
from dotenv import dotenv_values
from rich.console import Console
from rich.text import Text

from leadline.cli_options import (
    AsJson,
    BaseUrl,
    Browsers,
    DepthOption,
    Engines,
    Further,
    Language,
    Loops,
    ModelName,
    PlanFrom,
    ProviderOption,
    Root,
    TaskId,
    TopicArgument,
    TopicFile,
    option,
)
from leadline.cli_output import (
    complain,
    ending,
    plan_lines,
    print_json,
    printable,
    result,
    say,
    write_file,
)
from leadline.cli_runs import (
    follow_run,
    read_pairs,
    read_topic,
    say_what_is_missing,
)
from leadline.domain.config import Provider, SearchEngine
from leadline.domain.limits import Depth
from leadline.domain.run import check_topic
from leadline.errors import InvalidSetting, LeadlineError, UserError
from leadline.following import Launcher, StopRequest, plan_from, stopped_by_signals
from leadline.provider_keys import without_secrets
from leadline.runs.folder import RunFolder
from leadline.runs.store import RunStore
from leadline.settings import ENV_FILE, Settings

app = typer.Typer(
    name="leadline",
    help="Deep research with real browsers; every sentence leads to the passage that proves it.",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
)


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
    plan_first: Annotated[bool, option("plan_first", "--plan-first")] = False,
    topic_file: TopicFile = None,
    further: Further = None,
    root: Root = None,
    as_json: AsJson = False,
) -> None:
    """Research a topic to its report."""
    overrides: dict[str, Any] = {
        "depth": depth, "browsers": browsers, "loops": loops, "provider": provider,
        "model_name": model, "base_url": base_url, "engines": tuple(engine or ()) or None,
        "language": language, "plan_first": plan_first or None, **read_pairs(further),
    }  # fmt: skip
    launcher = Launcher(Settings(), root)
    given, topic_of_plan = plan_from(launcher.store, plan) if plan else (None, "")
    text = read_topic(topic, topic_file) or topic_of_plan
    check_topic(text)
    config = launcher.settings.run_config(**overrides)
    say_what_is_missing(launcher.settings, config)
    follow_run(launcher, lambda: (launcher.start(text, config, plan=given), 0), as_json)


@app.command("plan")
def plan_command(
    topic: TopicArgument = None,
    depth: DepthOption = None,
    browsers: Browsers = None,
    loops: Loops = None,
    provider: ProviderOption = None,
    model: ModelName = None,
    base_url: BaseUrl = None,
    engine: Engines = None,
    language: Language = None,
    topic_file: TopicFile = None,
    further: Further = None,
    root: Root = None,
    as_json: AsJson = False,
) -> None:
    """Make the plan of a run and halt; 'resume' goes on once you have edited it."""
    launcher = Launcher(Settings(), root)
    text = check_topic(read_topic(topic, topic_file))
    overrides = {
        "depth": depth, "browsers": browsers, "loops": loops, "provider": provider,
        "model_name": model, "base_url": base_url, "engines": tuple(engine or ()) or None,
        "language": language, "plan_first": True, **read_pairs(further),
    }  # fmt: skip
    config = launcher.settings.run_config(**overrides)
    say_what_is_missing(launcher.settings, config)
    follow_run(launcher, lambda: (launcher.start(text, config), 0), as_json)


@app.command("resume")
def resume_command(
    task_id: TaskId,
    retry_failed: Annotated[
        bool, typer.Option("--retry-failed", help="Try failed tasks again.")
    ] = False,
    further: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="NAME=VALUE", help="Change a setting, such as minutes=30."),
    ] = None,
    root: Root = None,
    as_json: AsJson = False,
) -> None:
    """Go on with a run that halts after its plan, was stopped, failed or was interrupted."""
    launcher = Launcher(Settings(), root)
    changes = read_pairs(further)
    follow_run(
        launcher, lambda: launcher.resume(task_id, changes, retry_failed=retry_failed), as_json
    )


@app.command("stop")
def stop_command(task_id: TaskId, root: Root = None, as_json: AsJson = False) -> None:
    """Stop a run; what it found is kept, and 'resume' goes on."""
    launcher = Launcher(Settings(), root)
    was_active = launcher.stop(task_id)
    status = launcher.store.open(task_id).status()
    if as_json:
        print_json({"task_id": task_id, "stopped": was_active, "status": status.value})
    elif was_active:
        say("Stopped; what was found is kept.")
    else:
        say(f"{task_id} was not at work: it is {status.value}.")


@app.command("list")
def list_command(
    limit: Annotated[int, typer.Option(min=1, help="Show so many of the newest.")] = 50,
    root: Root = None,
    as_json: AsJson = False,
) -> None:
    """List the runs, newest first."""
    rows = RunStore(root or Settings().runs_dir).history()[:limit]
    if as_json:
        print_json({"runs": [row.model_dump(mode="json") for row in rows]})
        return
    if not rows:
        say("There are no runs yet. Start one with: leadline run 'your question'")
        return
    lines = [("id", "status", "tasks", "sources", "started", "topic")]
    for row in rows:
        total = row.done + row.failed + row.open
        lines.append((
            row.task_id, row.status.value, f"{row.done + row.failed}/{total}", str(row.sources),
            f"{row.created_at.astimezone():%Y-%m-%d %H:%M}", printable(row.topic, 120),
        ))  # fmt: skip
    # An id that is cut is of no use: only the topic gives way, and a narrow terminal breaks lines.
    console = Console()
    widths = [max(map(len, column)) for column in list(zip(*lines, strict=True))[:-1]]
    for *cells, topic in lines:
        start = "".join(c.ljust(width + 2) for c, width in zip(cells, widths, strict=True))
        line = Text(start + topic)
        if console.is_terminal:
            line.truncate(max(console.width, len(start)), overflow="ellipsis")
        console.print(line, soft_wrap=True)


@app.command("show")
def show_command(task_id: TaskId, root: Root = None, as_json: AsJson = False) -> None:
    """Show a run: how it stands, its plan with the boxes, where its report is."""
    folder = RunStore(root or Settings().runs_dir).open(task_id)
    record, view = folder.record(), folder.view()
    record = record.model_copy(update={"status": view.status, "reason": view.reason})
    if as_json:
        print_json({**result(record, folder), "topic": record.topic, "reason": record.reason})
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
    text = _exported(folder, report, form)
    if output is None:
        sys.stdout.buffer.write(text.encode())
        sys.stdout.buffer.flush()
        return
    write_file(output, text)
    say(f"Wrote {output}")


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
    overrides = {
        "browsers": browsers, "depth": depth or Depth.STANDARD, "provider": provider,
        "model_name": model, "base_url": base_url, "engines": (SearchEngine.DEMO,),
        "plan_first": False, **read_pairs(further),
    }  # fmt: skip
    config = launcher.settings.run_config(**overrides)
    follow_run(launcher, lambda: (launcher.start(DEMO_TOPIC, config), 0), as_json)


@app.command("bench")
def bench_command(
    browsers: Annotated[
        str, typer.Option("--browsers", "-b", help="Numbers of browsers to measure with.")
    ] = "1,2,4",
    provider: ProviderOption = None,
    model: ModelName = None,
    base_url: BaseUrl = None,
    further: Further = None,
    note: Annotated[str, typer.Option(help="A sentence about the model, for the page.")] = "",
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="Write the page to this file.")
    ] = None,
    root: Root = None,
    as_json: AsJson = False,
) -> None:
    """Measure runs on the demo web, by default with the offline model."""
    from leadline import bench

    launcher = Launcher(Settings(), root)
    if provider is None and model is None and base_url is None:
        provider = Provider.OFFLINE
    stop = StopRequest()
    rows: list[bench.Measured] = []
    overrides = {
        "depth": Depth.STANDARD, "provider": provider, "model_name": model, "base_url": base_url,
        "engines": (SearchEngine.DEMO,), "plan_first": False, **read_pairs(further),
    }  # fmt: skip
    configs = [
        launcher.settings.run_config(**{**overrides, "browsers": number.strip()})
        for number in browsers.split(",")
    ]
    with stopped_by_signals(stop):
        for config in configs:
            complain(f"Measuring with N = {config.limits.max_parallel_browsers}.")
            rows.append(bench.measure(launcher, config, stop=stop))
            if stop.times:
                raise typer.Exit(3)
    page = bench.markdown(rows, note=note)
    if output is not None:
        write_file(output, page)
    if as_json:
        print_json({"runs": [row.to_wire() for row in rows]})
    elif output is None:
        say(page)
    raise typer.Exit(0 if all(row.status == "done" for row in rows) else 1)


@app.command("doctor")
def doctor_command(root: Root = None, as_json: AsJson = False) -> None:
    """Check what Leadline needs on this machine, and say what to do about what is missing."""
    from leadline.doctor import examine

    checks = examine(root)
    if as_json:
        print_json({"ok": all(c.ok or not c.needed for c in checks),
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
    host: Annotated[str | None, option("host", "--ip")] = None,
    port: Annotated[int | None, option("port", "--port")] = None,
    root: Root = None,
    open_browser: Annotated[bool, typer.Option("--open", help="Open the page.")] = False,
) -> None:
    """Serve the web page, like 'python webui.py'."""
    from leadline.web.server import serve

    serve(Settings(host=host, port=port, runs_dir=root), open_browser=open_browser)


def main() -> NoReturn:
    """The entry point: every error becomes one sentence and an exit code."""
    _open_closed_streams()
    logging.basicConfig(level=logging.WARNING, format="%(levelname)s %(name)s: %(message)s")
    as_json = "--json" in sys.argv[1:]
    try:
        app(standalone_mode=True)
    except LeadlineError as error:
        _fail(error, as_json, 2 if isinstance(error, UserError) else 1)
    except KeyboardInterrupt:
        complain("Interrupted.")
        sys.exit(3)
    except BrokenPipeError:
        # Whoever read our output has enough of it; Python must not complain while it closes.
        sys.stdout = None
        sys.exit(1)
    except Exception as error:  # noqa: BLE001 - the last stop: a person sees no traceback
        _fail(LeadlineError(_unexpected(error)), as_json, 1)
    sys.exit(0)


def _open_closed_streams() -> None:
    """Who starts us may have closed standard input or an output (``2>&-``): then it is empty.

    In the order of their numbers, so that each gets its own back and no file of ours does.
    """
    for number, name in enumerate(("stdin", "stdout", "stderr")):
        if getattr(sys, name) is None:
            os.open(os.devnull, os.O_RDWR)
            mode = "w" if number else "r"
            setattr(sys, name, os.fdopen(number, mode, encoding="utf-8", closefd=False))


def _exported(folder: RunFolder, report: str, form: str) -> str:
    """The report as one file that needs nothing beside it."""
    from leadline.domain.text import detect_language
    from leadline.reports.portable import portable_markdown
    from leadline.reports.render import standalone_html

    language = detect_language(report) or "en"
    if form == "md":
        return portable_markdown(report, folder.snapshot, language=language)
    title = folder.record().topic
    return standalone_html(report, folder.snapshot, title=title, language=language)


def _fail(error: LeadlineError, as_json: bool, code: int) -> NoReturn:
    sentence = printable(str(error), 1000)
    complain(sentence)
    if as_json:
        print_json({"error": {"type": type(error).__name__, "message": sentence}})
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
