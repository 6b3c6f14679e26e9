"""The ``bench`` commands: how fast runs are, and how true their reports are.

Both research the bundled demo web with any model; what they measure is read from the run folder.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

import typer

from leadline.cli_options import (
    AsJson,
    Further,
    ModelOptions,
    Root,
    Verify,
    grouped,
)
from leadline.cli_output import complain, print_json, say, write_file
from leadline.cli_runs import read_pairs
from leadline.domain.config import Provider, RunConfig, SearchEngine
from leadline.domain.limits import Depth
from leadline.following import Launcher, StopRequest, stopped_by_signals
from leadline.settings import Settings

bench_app = typer.Typer(
    help="Measure runs on the demo web, by default with the offline model.",
    invoke_without_command=True,
    rich_markup_mode=None,
)

Note = Annotated[str, typer.Option(help="A sentence about the model, for the page.")]
Output = Annotated[Path | None, typer.Option("--output", "-o", help="Write the page to this file.")]


@bench_app.callback()
@grouped
def speed_command(
    context: typer.Context,
    browsers: Annotated[
        str, typer.Option("--browsers", "-b", help="Numbers of browsers to measure with.")
    ] = "1,2,4",
    *,
    model: ModelOptions,
    further: Further = None,
    note: Note = "",
    output: Output = None,
    root: Root = None,
    as_json: AsJson = False,
) -> None:
    """Measure how fast runs are; 'bench truth' measures how true their reports are."""
    if context.invoked_subcommand:
        return
    from leadline import bench

    launcher = Launcher(Settings(), root)
    stop = StopRequest()
    rows: list[bench.Measured] = []
    configs = [
        _config(launcher, model, {**read_pairs(further), "browsers": number.strip()})
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


@bench_app.command("truth")
@grouped
def truth_command(
    subject: Annotated[
        list[str] | None,
        typer.Option("--subject", help="Subject of the demo web; all of them by default."),
    ] = None,
    *,
    model: ModelOptions,
    verification: Verify = None,
    further: Further = None,
    note: Note = "",
    output: Output = None,
    root: Root = None,
    as_json: AsJson = False,
) -> None:
    """Grade reports against what is planted in the demo web: facts, traps and contradictions."""
    from leadline import bench_truth
    from leadline.demo.truth import load_truth, subjects

    launcher = Launcher(Settings(), root)
    try:
        truths = [load_truth(name) for name in subject or subjects()]
    except ValueError as error:
        raise typer.BadParameter(str(error), param_hint="--subject") from None
    config = _config(launcher, model, {**read_pairs(further), "verification": verification})
    stop = StopRequest()
    rows: list[bench_truth.Grades] = []
    with stopped_by_signals(stop):
        for truth in truths:
            complain(f"Researching: {truth.topic}")
            rows.append(bench_truth.measure(launcher, config, truth, stop=stop))
            if stop.times:
                raise typer.Exit(3)
    page = bench_truth.markdown(rows, note=note)
    if output is not None:
        write_file(output, page)
    if as_json:
        print_json({"runs": [row.to_wire() for row in rows]})
    elif output is None:
        say(page)
    raise typer.Exit(0 if all(row.is_sound for row in rows) else 1)


def _config(launcher: Launcher, model: ModelOptions, overrides: Mapping[str, Any]) -> RunConfig:
    """The configuration of a measured run: Standard depth on the demo web."""
    return launcher.settings.run_config(
        **{
            "depth": Depth.STANDARD, "engines": (SearchEngine.DEMO,), "plan_first": False,
            **model.overrides(unset=Provider.OFFLINE), **overrides,
        }
    )  # fmt: skip
