"""The commands about runs that are there: look at them, stop, export, open and delete them.

Nothing here starts a run; all is read from its folder.
"""

from __future__ import annotations

import os
import sys
import webbrowser
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Annotated

import httpx
import typer
from rich.console import Console
from rich.text import Text

from leadline.cli_options import AsJson, Root, TaskId
from leadline.cli_output import (
    ending,
    plan_lines,
    print_json,
    printable,
    result,
    say,
    write_file,
)
from leadline.cli_verify import verify_command
from leadline.errors import InvalidSetting, UserError
from leadline.following import Launcher
from leadline.runs.atomic import replacing
from leadline.runs.folder import RunFolder
from leadline.runs.store import RunStore
from leadline.settings import Settings

_SERVER_SECONDS = 1.0


def stop_command(task_id: TaskId, root: Root = None, as_json: AsJson = False) -> None:
    """Stop a run; what it found is kept, and 'resume' goes on."""
    launcher = Launcher(Settings(), root)
    task_id = launcher.store.find(task_id)
    was_active = launcher.stop(task_id)
    status = launcher.store.open(task_id).status()
    if as_json:
        print_json({"task_id": task_id, "stopped": was_active, "status": status.value})
    elif was_active:
        say("Stopped; what was found is kept.")
    else:
        say(f"{task_id} was not at work: it is {status.value}.")


def list_command(
    limit: Annotated[int, typer.Option(min=1, help="Show so many of the newest.")] = 50,
    root: Root = None,
    as_json: AsJson = False,
) -> None:
    """List the runs, newest first."""
    rows = _store(root).history()[:limit]
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
            row.task_id, "damaged" if row.damaged else row.status.value,
            f"{row.done + row.failed}/{total}", str(row.sources),
            f"{row.created_at.astimezone():%Y-%m-%d %H:%M}",
            printable(row.reason if row.damaged else row.topic, 120 if not row.damaged else 500),
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


def show_command(task_id: TaskId, root: Root = None, as_json: AsJson = False) -> None:
    """Show a run: how it stands, its plan with the boxes, where its report is."""
    folder = _folder(task_id, root)
    record, view = folder.record(), folder.view()
    folder.report()  # one that cannot be read is said, not passed over
    record = record.model_copy(update={"status": view.status, "reason": view.reason})
    if as_json:
        print_json({**result(record, folder), "topic": record.topic, "reason": record.reason})
        return
    console = Console()
    plan, numbers, last = folder.plan(), result(record, folder), ending(record, folder)
    console.print(Text(printable(record.topic, 500), style="bold"))
    for line in plan_lines(plan) if plan else []:
        console.print(line)
    console.print(
        f"{numbers['sources']} sources, {numbers['findings']} findings, "
        f"{numbers['citations']['total']} citations, {numbers['seconds']} s"
    )
    for sentence in last:
        console.print(Text(sentence), soft_wrap=True)


def export_command(
    task_id: TaskId,
    form: Annotated[str, typer.Option("--format", help="md or html.")] = "md",
    bundle: Annotated[
        bool,
        typer.Option("--bundle", help="Write one zip with all evidence; 'verify' checks it."),
    ] = False,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output", "-o", help="Write to this file; else to the terminal, a bundle to ID.zip."
        ),
    ] = None,
    root: Root = None,
) -> None:
    """Write the report of a run as Markdown or as one HTML file, or its evidence as one zip."""
    if form not in ("md", "html"):
        raise InvalidSetting(f"--format cannot be {form[:40]!r}; use md or html.")
    folder = _folder(task_id, root)
    if bundle:
        _export_bundle(folder, output or Path(f"{folder.task_id}.zip"))
        return
    folder.view()  # with a log that lost its sources, citations would silently become plain text
    text = _exported(folder, _report(folder), form)
    if output is None:
        sys.stdout.buffer.write(text.encode())
        sys.stdout.buffer.flush()
        return
    write_file(output, text)
    say(f"Wrote {output}")


def open_command(task_id: TaskId, root: Root = None, as_json: AsJson = False) -> None:
    """Open a run in the browser while the page is served, else its report."""
    folder = _folder(task_id, root)
    address = _page_of(folder, Settings(runs_dir=root))
    if not address:
        _report(folder)
        address = str(folder.file("report.md"))
    if as_json:
        print_json({"task_id": folder.task_id, "open": address})
        return
    say(address)
    if sys.stdout.isatty() and _has_display():
        webbrowser.open(address if "://" in address else Path(address).as_uri())


def delete_command(
    task_id: TaskId,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")] = False,
    root: Root = None,
    as_json: AsJson = False,
) -> None:
    """Delete a run with all that it found; refused while it is at work."""
    store = _store(root)
    task_id = store.find(task_id)
    if not yes:
        if as_json or not sys.stdin.isatty():
            raise UserError(f"To delete {task_id} without being asked, add --yes.")
        if not typer.confirm(f"Delete {task_id} with all that it found?", err=True):
            say("Nothing was deleted.")
            return
    store.delete(task_id)
    if as_json:
        print_json({"task_id": task_id, "deleted": True})
    else:
        say(f"Deleted {task_id}.")


FOLDER_COMMANDS: Mapping[str, Callable[..., None]] = {
    "stop": stop_command,
    "list": list_command,
    "show": show_command,
    "export": export_command,
    "verify": verify_command,
    "open": open_command,
    "delete": delete_command,
}
"""The commands by name, in the order of the help."""


def _store(root: Path | None) -> RunStore:
    return RunStore(root or Settings().runs_dir)


def _folder(named: str, root: Path | None) -> RunFolder:
    store = _store(root)
    return store.open(store.find(named))


def _report(folder: RunFolder) -> str:
    report = folder.report()
    if report is None:
        raise UserError(f"{folder.task_id} has no report yet: it is {folder.status().value}.")
    return report


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


def _export_bundle(folder: RunFolder, output: Path) -> None:
    from leadline.reports.bundle import write_bundle

    with replacing(output) as stream:
        write_bundle(folder, stream)
    say(f"Wrote {output}. Anyone can check it with: leadline verify {output}")


def _page_of(folder: RunFolder, settings: Settings) -> str:
    """The page's address of this run, or nothing when no server of ours has it."""
    host = {"0.0.0.0": "127.0.0.1", "::": "[::1]", "::1": "[::1]"}.get(settings.host, settings.host)
    base = f"http://{host}:{settings.port}"
    try:
        with httpx.Client(timeout=_SERVER_SECONDS, trust_env=False) as client:
            # A server with other runs, or another program on this port, does not know the run. A
            # server with a token says that it wants it; it is asked without.
            found = client.get(f"{base}/runs/{folder.task_id}/evidence.json")
    except (httpx.HTTPError, httpx.InvalidURL):
        return ""
    is_ours = found.is_success or (found.status_code == 401 and "token_needed" in found.text)
    return f"{base}/?run={folder.task_id}" if is_ours else ""


def _has_display() -> bool:
    if sys.platform in ("win32", "darwin"):
        return True
    return bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))
