"""Serving the page: bind, token, signals. Invariant: nothing but loopback is bound without a token
that can hold 128 bits.
"""

from __future__ import annotations

import os
import secrets
import socket
import sys
import threading
import webbrowser
from collections.abc import Mapping
from contextlib import suppress

import uvicorn

from leadline.errors import InvalidSetting, PortTaken
from leadline.runs.store import RunStore
from leadline.runs.supervisor import Supervisor
from leadline.settings import Settings
from leadline.web.app import create_app
from leadline.web.security import Access, is_loopback, is_strong_token

CLOSE_SECONDS = 2
"""How long open connections may keep a stopping server; the runs have the rest of the 15 s."""

_EVERY_ADDRESS = frozenset({"0.0.0.0", "::", "[::]"})


def access_for(settings: Settings) -> Access:
    """Who may use a server with these settings.

    Another bind than loopback without a token of the settings gets one that lives as long as the
    server. Raises :class:`InvalidSetting` for a token that is too weak.
    """
    token = settings.token.get_secret_value() if settings.token else ""
    if token and not is_strong_token(token):
        raise InvalidSetting(
            "LEADLINE_TOKEN is too easy to guess: use at least 128 random bits, such as the "
            'output of python -c "import secrets; print(secrets.token_urlsafe(32))".'
        )
    if not token and not is_loopback(settings.host):
        token = secrets.token_urlsafe(32)
    return Access(token=token)


def bind(host: str, port: int) -> socket.socket:
    """A listening socket. Raises :class:`PortTaken`, or :class:`InvalidSetting` for the host."""
    bare = host.strip("[]")
    family = socket.AF_INET6 if ":" in bare else socket.AF_INET
    listener = socket.socket(family, socket.SOCK_STREAM)
    if os.name != "nt":
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((bare, port))
        listener.listen(128)
    except PermissionError as error:
        listener.close()
        raise InvalidSetting(
            f"Port {port} may not be used by this user; choose another one with --port."
        ) from error
    except (socket.gaierror, OverflowError) as error:
        listener.close()
        raise InvalidSetting(
            f"{host} is no address of this machine; choose another --ip."
        ) from error
    except OSError as error:
        listener.close()
        if _is_taken(error):
            raise PortTaken(
                f"Port {port} is in use already; stop what uses it or choose another one "
                "with --port."
            ) from error
        raise InvalidSetting(
            f"{host} is no address of this machine; choose another --ip."
        ) from error
    listener.set_inheritable(False)
    return listener


def _is_taken(error: OSError) -> bool:
    import errno

    return error.errno in {errno.EADDRINUSE, getattr(errno, "WSAEADDRINUSE", -1)}


def address(settings: Settings, listener: socket.socket, access: Access) -> str:
    """The address to open; with a token it is a link that signs in one browser, once."""
    port = listener.getsockname()[1]
    host = settings.host
    if host in _EVERY_ADDRESS:
        host = "localhost"
    elif ":" in host and not host.startswith("["):
        host = f"[{host}]"
    link = f"http://{host}:{port}/"
    return f"{link}?token={access.new_link_code()}" if access.token else link


def serve(
    settings: Settings,
    *,
    open_browser: bool = False,
    environment: Mapping[str, str] | None = None,
) -> None:
    """Serve until SIGINT or SIGTERM, then stop the runs in order.

    Raises :class:`PortTaken` or :class:`InvalidSetting` before anything is started.
    """
    access = access_for(settings)
    listener = bind(settings.host, settings.port)
    try:
        store = RunStore(settings.runs_dir)
        given = os.environ if environment is None else environment
        supervisor = Supervisor(
            store,
            max_running=settings.max_running,
            environment={k: v for k, v in given.items() if k != "LEADLINE_TOKEN"},
        )
        app = create_app(settings, store, supervisor, access=access)
        config = uvicorn.Config(
            app,
            log_level="warning",
            access_log=False,
            server_header=False,
            timeout_graceful_shutdown=CLOSE_SECONDS,
            proxy_headers=False,
        )
        server = uvicorn.Server(config)
        link = address(settings, listener, access)
        _announce(settings, link, access)
        if open_browser:
            threading.Timer(1.0, webbrowser.open, (link,)).start()
        with suppress(KeyboardInterrupt):  # uvicorn raises it once more when all is shut down
            server.run(sockets=[listener])
    finally:
        listener.close()


def _announce(settings: Settings, link: str, access: Access) -> None:
    lines = [f"Leadline is at {link}"]
    if access.token:
        lines.append(
            "The link signs in one browser, once. For more, set LEADLINE_TOKEN and open /?token=…"
        )
    if settings.host in _EVERY_ADDRESS:
        lines.append(
            "From another machine: list the name or address it uses in LEADLINE_ALLOWED_HOSTS."
        )
    lines.append("Press Ctrl+C to stop.")
    sys.stdout.write("\n".join(lines) + "\n")
    sys.stdout.flush()
