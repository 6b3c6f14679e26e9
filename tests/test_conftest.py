"""The surroundings of the tests themselves."""

from __future__ import annotations

import os
import socket
import warnings

import pytest
from pytest_socket import SocketConnectBlockedError


def test_no_test_reaches_the_network() -> None:
    with socket.socket() as sock, pytest.raises(SocketConnectBlockedError):
        sock.connect(("192.0.2.1", 80))


def test_this_machine_is_reachable() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        socket.create_connection(server.getsockname()).close()


def test_keys_and_settings_of_the_person_do_not_reach_tests() -> None:
    assert not [n for n in os.environ if n.startswith("LEADLINE_") or n.endswith("_API_KEY")]


def test_a_warning_is_an_error() -> None:
    with pytest.raises(UserWarning, match="careful"):
        warnings.warn("careful", stacklevel=1)
