"""The process of one run: ``python -m leadline.runner <task_id> --root <folder>``.

It owns the run folder while it lives. Its first event is written before anything heavy is
imported. A stop (request file, SIGTERM, SIGINT) is acknowledged by a thread of its own, so a busy
event loop cannot delay it; past ``STOP_SECONDS`` that thread ends the process tree itself. The last
event is written when every browser is gone.
"""

from __future__ import annotations

import argparse
import asyncio
import logging
import os
import signal
import threading
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from dotenv import dotenv_values

from leadline.browsing.browser_use_env import prepare_browser_use
from leadline.domain.events import RunFailed, RunFinished, RunStarted, RunStopped
from leadline.domain.run import RunStatus
from leadline.errors import LeadlineError, LimitReached, ModelRejected, RunBusy
from leadline.provider_keys import without_secrets
from leadline.runs.processes import end_children
from leadline.runs.scratch import machine_folder, scratch_folder
from leadline.runs.session import RunSession
from leadline.runs.store import RunStore
from leadline.settings import ENV_FILE

log = logging.getLogger("leadline.runner")

STOP_SECONDS = 6.5
"""From a stop to the end of the process at the latest; the promise to people is 10, and a
supervisor ends by force at 8, which leaves no time for a partial report."""

EXIT_SECONDS = 4.0
"""From the last event to the end of the process: a thread that hangs must not keep it."""

POLL_SECONDS = 0.1

EXIT_CODES: dict[type, int] = {RunFinished: 0, RunFailed: 1, RunStopped: 3}

LastEvent = RunFinished | RunFailed | RunStopped


class StopWatch:
    """Sees a stop, says so at once, and makes sure that it happens."""

    def __init__(self, session: RunSession) -> None:
        self._session = session
        self._asked = threading.Event()
        self._over = threading.Event()
        self._begun = False
        self._beginning = threading.Lock()
        self._last: LastEvent | None = None
        self._thread: threading.Thread | None = None

    def start(self, on_stop: Callable[[], object]) -> None:
        """Begin to watch the request file and the signals of the process.

        ``on_stop`` is called once, from the watching thread.
        """
        for name in ("SIGTERM", "SIGINT", "SIGBREAK"):
            if hasattr(signal, name):
                signal.signal(getattr(signal, name), lambda *_: self._asked.set())
        self._thread = threading.Thread(
            target=self._watch, args=(on_stop,), name="stop-watch", daemon=True
        )
        self._thread.start()

    def is_set(self) -> bool:
        """True from the moment that a stop was asked for."""
        return self._asked.is_set()

    def begin(self) -> None:
        """From here on there is something to close. Does not return when a stop came before."""
        with self._beginning:
            self._begun = True

    def leave_with(self, last: LastEvent) -> None:
        """The run has ended; what is left to close has ``EXIT_SECONDS``."""
        self._last = last

    def finish(self) -> None:
        """Everything is closed: watch no more."""
        self._over.set()
        if self._thread is not None:
            self._thread.join(timeout=1)

    def _watch(self, on_stop: Callable[[], object]) -> None:
        while not self._asked.wait(POLL_SECONDS):
            if self._over.is_set():
                return
            if self._last is not None:
                self._insist(EXIT_SECONDS)
                return
            if self._session.stop_requested():
                self._asked.set()
        self._leave_before_the_beginning()
        on_stop()
        try:
            self._session.set_status(RunStatus.STOPPING)
        except LeadlineError as error:  # a full disk must not keep it from stopping
            log.warning("%s", error)
        self._insist(STOP_SECONDS)

    def _leave_before_the_beginning(self) -> None:
        """End the process at once while it still loads: nothing is open, and loading takes long."""
        with self._beginning:
            if self._begun:
                return
            try:
                self._session.end(RunStopped(reason="Stopped. What was found is kept."))
            except LeadlineError as error:
                log.warning("%s", error)
            finally:
                os._exit(EXIT_CODES[RunStopped])

    def _insist(self, seconds: float) -> None:
        """Let the run close what it has open; then end it by force."""
        if self._over.wait(seconds):
            return
        last = self._last or RunStopped(reason="Stopped; it had to be ended by force.")
        try:
            log.error("the run did not end in time; its processes are ended")
            end_children(os.getpid(), grace=0.5)
            if isinstance(last, RunStopped) and self._last is None:
                _keep_what_there_is(self._session, last)
            self._session.end(last)
        except LeadlineError as error:
            log.warning("%s", error)
        finally:
            os._exit(EXIT_CODES[type(last)])


class _WithoutSecrets(logging.Formatter):
    """What is logged goes to a file, and a traceback may hold anything."""

    def format(self, record: logging.LogRecord) -> str:
        values = {**dotenv_values(ENV_FILE, encoding="utf-8"), **os.environ}
        return without_secrets(super().format(record), values)


def main(argv: list[str] | None = None) -> int:
    """Run one session of a run and return the exit code of the process."""
    parser = argparse.ArgumentParser(prog="leadline.runner", description="Works on one run.")
    parser.add_argument("task_id")
    parser.add_argument("--root", type=Path, required=True, help="folder of all runs")
    arguments = parser.parse_args(argv)
    handler = logging.StreamHandler()
    handler.setFormatter(_WithoutSecrets("%(asctime)s %(name)s %(levelname)s %(message)s"))
    logging.basicConfig(level=logging.WARNING, handlers=[handler])
    # browser-use's event bus logs a traceback for each page that the guard refuses.
    logging.getLogger("bubus").setLevel(logging.CRITICAL)
    try:
        session = RunSession.acquire(RunStore(arguments.root).open(arguments.task_id))
    except RunBusy as error:
        log.warning("%s", error)
        return 4
    except LeadlineError as error:
        log.error("%s", error)  # noqa: TRY400 - a sentence for a person, not a traceback
        return 2
    try:
        with session:
            return EXIT_CODES[type(work(session))]
    except LeadlineError as error:  # a disk that takes not even the last event
        log.error("%s", error)  # noqa: TRY400 - a sentence for a person, not a traceback
        return 1
    except Exception:  # the session has ended as failed; here it must pass the formatter
        log.exception("the run's process failed")
        return 1


def work(session: RunSession) -> LastEvent:
    """Work on the run until it ends, however it ends, and record how it ended.

    Raises :class:`LeadlineError` alone, when the run folder cannot be written.
    """
    record = session.folder.record()
    session.emit(
        RunStarted(
            session=session.view.session + 1,
            pid=os.getpid(),
            model=record.config.model.name or record.config.model.provider.value,
            engines=tuple(e.value for e in record.config.search.engines),
        )
    )
    session.set_status(RunStatus.RESEARCHING if session.view.plan else RunStatus.PLANNING)
    watch = StopWatch(session)
    try:
        with asyncio.Runner() as runner:
            loop = runner.get_loop()
            task = loop.create_task(_research(session, watch))

            def cancel() -> None:
                with suppress(RuntimeError):  # asked for in the very moment that it ended
                    loop.call_soon_threadsafe(task.cancel)

            watch.start(cancel)
            last = runner.run(_outcome(task, session, watch))
            # Recorded before the loop is closed, which waits for threads that may hang.
            session.end(last)
            watch.leave_with(last)
            return last
    finally:
        watch.finish()


async def _research(session: RunSession, watch: StopWatch) -> RunFinished:
    shared = machine_folder()
    with scratch_folder(session.folder.path / "work") as work_dir:
        prepare_browser_use(work_dir)
        # Heavy, and browser-use reads its environment when it is imported: after the first event.
        from leadline.engine.assembly import open_context
        from leadline.engine.graph import run_graph

        watch.begin()
        surroundings = open_context(session, stop=watch, work_dir=work_dir, machine_dir=shared)
        async with surroundings as context:
            try:
                async with asyncio.timeout(context.budget.seconds_left):
                    return await run_graph(context)
            except TimeoutError:
                context.budget.check()
                raise


async def _outcome(
    task: asyncio.Task[RunFinished], session: RunSession, watch: StopWatch
) -> LastEvent:
    """Wait for the research and make a last event of whatever came."""
    last: RunStopped | RunFailed
    try:
        return await task
    except asyncio.CancelledError:
        last = RunStopped(reason="Stopped. What was found is kept.")
    except LimitReached as error:
        last = RunStopped(reason=str(error))
    except LeadlineError as error:
        last = RunFailed(reason=str(error), model_refused=isinstance(error, ModelRejected))
    except Exception:
        log.exception("the run failed unexpectedly")
        last = RunFailed(
            reason="Leadline failed unexpectedly; what was found is kept and the run can be "
            "resumed. control/runner.log in its folder has the details."
        )
    if watch.is_set() and isinstance(last, RunFailed):
        last = RunStopped(reason="Stopped. What was found is kept.")
    _keep_what_there_is(session, last)
    return last


def _keep_what_there_is(session: RunSession, last: RunStopped | RunFailed) -> None:
    """Write a report from the findings so far, by code alone: no model is called any more."""
    from leadline.engine.writing import write_partial_report

    status = RunStatus.STOPPED if isinstance(last, RunStopped) else RunStatus.FAILED
    try:
        write_partial_report(session, status, last.reason)
    except LeadlineError as error:  # a full disk: why the run ended matters more
        log.warning("no partial report: %s", error)


if __name__ == "__main__":
    code = main()
    logging.shutdown()
    os._exit(code)  # Python would wait for threads that hang, and nothing is left to do
