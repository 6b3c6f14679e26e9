"""``leadline verify``: a bundle or a run checked again, as a table or as one object.

Exit codes: 0 everything was checked and holds, 1 a problem was found, 2 there is nothing to check.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.table import Table
from rich.text import Text

from leadline.cli_options import AsJson, Root
from leadline.cli_output import print_json, printable
from leadline.errors import UserError
from leadline.reports.bundle_check import check_bundle
from leadline.reports.bundle_report import BundleReport, Check
from leadline.runs.folder import RunFolder
from leadline.runs.store import RunStore
from leadline.settings import Settings


def verify_command(
    target: Annotated[
        str, typer.Argument(help="A bundle (a zip, or its folder), or the id of a run.")
    ],
    root: Root = None,
    as_json: AsJson = False,
) -> None:
    """Check a report against its evidence again, without a model and without a network."""
    report = check_bundle(_place_of(target, root))
    if as_json:
        print_json(report.to_wire())
    else:
        _show(report)
    raise typer.Exit(0 if report.ok else 1)


def _place_of(target: str, root: Path | None) -> Path:
    """The file or folder that is meant; a run at work is refused, its files still change."""
    path = Path(target)
    if path.is_file():
        return path
    if not path.is_dir():
        store = RunStore(root or Settings().runs_dir)
        path = store.open(store.find(target)).path
    folder = RunFolder(path.resolve())
    if (path / "control").is_dir() and (path / "run.json").is_file():
        status = folder.status()
        if status.is_active:
            raise UserError(f"{folder.task_id} is at work; verify it when it has ended.")
        if folder.report() is None:
            raise UserError(f"{folder.task_id} has no report yet: it is {status.value}.")
    elif not (path / "evidence.json").is_file():
        raise UserError(f"{target} is neither a bundle nor the folder of a run.")
    return path


def _show(report: BundleReport) -> None:
    console = Console()
    if report.run:
        console.print(
            Text(f"{printable(report.run)}: {printable(report.topic, 500)}", style="bold"),
            soft_wrap=True,
        )
    table = Table("", "Check", "Looked at", "Result", box=None, pad_edge=False)
    for check in report.checks:
        mark, result, style = _result(check)
        table.add_row(
            Text(mark, style), Text(check.title), Text(printable(check.looked_at)),
            Text(result, style),
        )  # fmt: skip
    console.print(table)
    for check in report.checks:
        for problem in check.problems:
            console.print(Text(f"✗ {printable(problem, 500)}"), soft_wrap=True)
    ok = "Verified: every check that could be made holds."
    problems = sum(len(check.problems) for check in report.checks)
    found = f"Not verified: {problems} problem{'' if problems == 1 else 's'} found."
    console.print(Text(ok if report.ok else found, "green" if report.ok else "red"))


def _result(check: Check) -> tuple[str, str, str]:
    """Mark, words and colour of a line."""
    if check.problems:
        return "✗", f"{len(check.problems)} wrong", "red"
    return ("✓", "holds", "green") if check.made else ("–", "not made", "dim")
