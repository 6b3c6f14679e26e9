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
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Annotated, Any, NoReturn

import typer
from dotenv import dotenv_values

from leadline.cli_bench import bench_app
from leadline.cli_folders import FOLDER_COMMANDS
from leadline.cli_options import (
    AsJson,
    BaseUrl,
    Browsers,
    DepthOption,
    Further,
    ModelOptions,
    NameIsOptional,
    PlanFrom,
    ProviderOption,
    Root,
    TaskId,
    TopicArgument,
    TopicFile,
    WorkOptions,
    grouped,
    option,
)
from leadline.cli_output import complain, print_json, printable, show_checks
from leadline.cli_runs import follow_run, read_pairs, read_topic, say_what_is_missing
from leadline.domain.config import Provider, SearchEngine
from leadline.domain.limits import Depth
from leadline.domain.plan import Plan
from leadline.domain.run import check_topic
from leadline.errors import LeadlineError, UserError
from leadline.following import Launcher, plan_from
from leadline.provider_keys import without_secrets
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
@grouped
def run_command(
    topic: TopicArgument = None,
    *,
    work: WorkOptions,
    model: ModelOptions,
    plan: PlanFrom = None,
    plan_first: Annotated[bool, option("plan_first", "--plan-first")] = False,
    topic_file: TopicFile = None,
    further: Further = None,
    root: Root = None,
    as_json: AsJson = False,
) -> None:
    """Research a topic to its report."""
    launcher = Launcher(Settings(), root)
    overrides = {"plan_first": plan_first or None, **read_pairs(further)}
    given, topic_of_plan = plan_from(launcher.store, plan) if plan else (None, "")
    text = read_topic(topic, topic_file) or topic_of_plan
    _start(launcher, text, work, model, overrides, as_json=as_json, plan=given)


@app.command("plan")
@grouped
def plan_command(
    topic: TopicArgument = None,
    *,
    work: WorkOptions,
    model: ModelOptions,
    topic_file: TopicFile = None,
    further: Further = None,
    root: Root = None,
    as_json: AsJson = False,
) -> None:
    """Make the plan of a run and halt; 'resume' goes on once you have edited it."""
    launcher = Launcher(Settings(), root)
    overrides = {"plan_first": True, **read_pairs(further)}
    _start(launcher, read_topic(topic, topic_file), work, model, overrides, as_json=as_json)


def _start(
    launcher: Launcher,
    topic: str,
    work: WorkOptions,
    model: ModelOptions,
    overrides: Mapping[str, Any],
    *,
    as_json: bool,
    plan: Plan | None = None,
) -> None:
    check_topic(topic)
    config = launcher.settings.run_config(**{**work.overrides(), **model.overrides(), **overrides})
    say_what_is_missing(launcher.settings, config)
    follow_run(launcher, lambda: (launcher.start(topic, config, plan=plan), 0), as_json)


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
    found = launcher.store.find(task_id)
    follow_run(
        launcher, lambda: launcher.resume(found, changes, retry_failed=retry_failed), as_json
    )


for name, command in FOLDER_COMMANDS.items():
    app.command(name)(command)


@app.command("demo")
@grouped
def demo_command(
    browsers: Browsers = None,
    depth: DepthOption = None,
    *,
    model: ModelOptions,
    further: Further = None,
    root: Root = None,
    as_json: AsJson = False,
) -> None:
    """Research the bundled demo web; without a model it needs no network and no key."""
    from leadline.demo.questions import DEMO_TOPIC

    launcher = Launcher(Settings(), root)
    overrides = {
        "browsers": browsers, "depth": depth or Depth.STANDARD, "engines": (SearchEngine.DEMO,),
        "plan_first": False, **model.overrides(unset=Provider.OFFLINE), **read_pairs(further),
    }  # fmt: skip
    config = launcher.settings.run_config(**overrides)
    follow_run(launcher, lambda: (launcher.start(DEMO_TOPIC, config), 0), as_json)


app.add_typer(bench_app, name="bench")


@app.command("doctor", cls=NameIsOptional)
def doctor_command(
    model: Annotated[
        str | None,
        typer.Option(
            "--model", metavar="[NAME]", help="Grade this model (or the configured one) instead."
        ),
    ] = None,
    provider: ProviderOption = None,
    base_url: BaseUrl = None,
    root: Root = None,
    as_json: AsJson = False,
) -> None:
    """Check what Leadline needs on this machine, and say what to do about what is missing.

    With --model: put a form of two minutes to a model, and say which mode to use it in.
    """
    from leadline.doctor import examine, grade_checks, grade_model

    if not (model is None and provider is None and base_url is None):
        named = {"model_name": model or None, "provider": provider, "base_url": base_url}
        grade = grade_model(Settings(), **named)
        show_checks(grade_checks(grade), as_json, grade.to_wire())
        raise typer.Exit(0 if grade.fitness == "fit" else 1)
    checks = examine(root)
    well = all(c.ok or not c.needed for c in checks)
    show_checks(checks, as_json, {"ok": well, "checks": [c.to_wire() for c in checks]})
    raise typer.Exit(0 if well else 1)


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
        # For a person typer prints the usage beside the error; for a machine we print the object.
        sys.exit(app(standalone_mode=not as_json))
    except typer.TyperException as error:
        _say_error("UsageError", error.format_message(), as_json)
        sys.exit(error.exit_code)
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


def _open_closed_streams() -> None:
    """Who starts us may have closed standard input or an output (``2>&-``): then it is empty.

    In the order of their numbers, so that each gets its own back and no file of ours does.
    """
    for number, name in enumerate(("stdin", "stdout", "stderr")):
        if getattr(sys, name) is None:
            os.open(os.devnull, os.O_RDWR)
            mode = "w" if number else "r"
            setattr(sys, name, os.fdopen(number, mode, encoding="utf-8", closefd=False))


def _fail(error: LeadlineError, as_json: bool, code: int) -> NoReturn:
    _say_error(type(error).__name__, str(error), as_json)
    sys.exit(code)


def _say_error(kind: str, message: str, as_json: bool) -> None:
    sentence = printable(message, 1000)
    complain(sentence)
    if as_json:
        print_json({"error": {"type": kind, "message": sentence}})


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
