"""A small helper process that ends browsers whose run was killed before it could end them.

It holds the reading end of a pipe. When the run's process is gone, however it went, the pipe ends
and the guardian ends every tree that is still watched, then itself. It remembers the descendants
of a watched process: when a browser's main process dies first, its children have lost it but are
still known here.

Runs as ``python -m leadline.runs.guardian``. Only the standard library and psutil are imported,
so that it is up at once and small.
"""

from __future__ import annotations

import contextlib
import os
import queue
import signal
import subprocess
import sys
import threading

import psutil

from leadline.runs import processes

_LOOK_EVERY = 1.0
_GRACE = 0.5
_ENVIRONMENT = (
    "PATH", "PYTHONPATH", "PYTHONHOME", "LD_LIBRARY_PATH", "SYSTEMROOT", "WINDIR", "TEMP", "TMP",
)  # fmt: skip
"""What Python needs to start; the run's keys are not the helper's business."""


class Guardian:
    """The run's side: starts the helper process and tells it whom to watch. Thread-safe."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._helper: subprocess.Popen[bytes] | None = None
        self._watched: dict[int, float] = {}

    @property
    def pid(self) -> int | None:
        """The helper's pid while there is one."""
        return self._helper.pid if self._helper else None

    def start(self) -> None:
        """Start the helper, unless it is up."""
        with self._lock:
            self._start()

    def watch(self, pid: int) -> None:
        """End this process and all it starts when the present process dies."""
        born = processes.create_time(pid)
        if born is None:
            return
        with self._lock:
            self._watched[pid] = born
            self._send(f"watch {pid} {born!r}")

    def unwatch(self, pid: int) -> None:
        """The process is gone, or somebody else answers for it."""
        with self._lock:
            if self._watched.pop(pid, None) is not None:
                self._send(f"unwatch {pid}")

    def close(self) -> None:
        """End the helper, and what is still watched; a second time does nothing."""
        with self._lock:
            helper, self._helper = self._helper, None
            self._watched.clear()
            if helper is None:
                return
            _close_pipe(helper)
            try:
                helper.wait(timeout=5)
            except subprocess.TimeoutExpired:
                helper.kill()
                helper.wait()

    def __enter__(self) -> Guardian:
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _start(self) -> None:
        if self._helper is not None:
            if self._helper.poll() is None:
                return
            _close_pipe(self._helper)
        if sys.platform == "win32":
            flags = subprocess.CREATE_NEW_PROCESS_GROUP | subprocess.CREATE_NO_WINDOW
        else:
            flags = 0
        self._helper = subprocess.Popen(
            [sys.executable, "-m", "leadline.runs.guardian"],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            env={name: os.environ[name] for name in _ENVIRONMENT if name in os.environ},
            start_new_session=True,
            creationflags=flags,
        )

    def _send(self, line: str) -> None:
        """Write one line; a helper that died is replaced and told everything again."""
        if self._helper is not None and self._helper.poll() is None:
            with contextlib.suppress(OSError):
                self._write(line)
                return
        self._start()
        for pid, born in self._watched.items():
            self._write(f"watch {pid} {born!r}")

    def _write(self, line: str) -> None:
        assert self._helper is not None
        assert self._helper.stdin is not None
        self._helper.stdin.write(line.encode() + b"\n")
        self._helper.stdin.flush()


def _close_pipe(helper: subprocess.Popen[bytes]) -> None:
    assert helper.stdin is not None
    with contextlib.suppress(OSError):  # a helper that died reads no more
        helper.stdin.close()


class Watch:
    """The helper's side: what is watched, and all that was seen to descend from it."""

    def __init__(self) -> None:
        self._trees: dict[int, dict[int, psutil.Process]] = {}

    def obey(self, line: str) -> None:
        """Follow one line of the pipe; a line that is none is ignored."""
        match line.split():
            case ["watch", pid, born]:
                with contextlib.suppress(ValueError):
                    tree = processes.process_tree(int(pid), float(born))
                    if tree:
                        self._trees[int(pid)] = {process.pid: process for process in tree}
            case ["unwatch", pid]:
                with contextlib.suppress(ValueError):
                    self._trees.pop(int(pid), None)

    def look(self) -> None:
        """Learn of new descendants, forget those that are gone."""
        if not self._trees:
            return
        for tree in self._trees.values():
            for pid in [pid for pid, process in tree.items() if not processes.is_alive(process)]:
                del tree[pid]
        found = True
        everything = list(psutil.process_iter(["ppid"]))
        while found:
            found = False
            for process in everything:
                for tree in self._trees.values():
                    if process.pid not in tree and process.info["ppid"] in tree:
                        tree[process.pid] = process
                        found = True

    def end_all(self) -> list[int]:
        """End all that is watched; returns the pids that could not be ended."""
        self.look()
        everything = [process for tree in self._trees.values() for process in tree.values()]
        return processes.end_processes(everything, _GRACE)


def main() -> None:
    """Watch until the pipe ends, then end what is watched."""
    for name in ("SIGINT", "SIGTERM", "SIGHUP", "SIGBREAK"):
        if hasattr(signal, name):
            signal.signal(getattr(signal, name), signal.SIG_IGN)
    lines: queue.SimpleQueue[str | None] = queue.SimpleQueue()

    def read() -> None:
        for line in sys.stdin.buffer:
            lines.put(line.decode("ascii", "replace"))
        lines.put(None)

    threading.Thread(target=read, daemon=True).start()
    watch = Watch()
    while True:
        try:
            line = lines.get(timeout=_LOOK_EVERY)
        except queue.Empty:
            watch.look()
            continue
        if line is None:
            break
        watch.obey(line)
    watch.end_all()
    # The reading thread may be inside the pipe's lock; there is nothing to clean up.
    os._exit(0)


if __name__ == "__main__":
    main()
