"""What a failed call means is told by its status and its codes, never by words in its message."""

from __future__ import annotations

from typing import Any

import pytest

from leadline.domain.config import ModelConfig, Provider
from leadline.errors import ModelRejected
from leadline.models.failures import Endpoint, failure_of
from leadline.models.limiter import Retryable

ENDPOINT = Endpoint.of(
    ModelConfig(provider=Provider.CUSTOM, name="m", base_url="http://127.0.0.1:1/v1"),
    seconds=5,
    secret="",
)


class StatusError(Exception):
    """An error as the clients of the providers raise them."""

    def __init__(self, status: int, message: str, **body: Any) -> None:
        super().__init__(message)
        self.status_code = status
        self.body = {"error": {"message": message, **body}}


@pytest.mark.parametrize(
    "message",
    [
        "You exceeded your current quota, please check your plan and billing details.",
        "Rate limit exceeded: free-models-per-min. Add credits to raise it.",
        "403 expired insufficient_quota",
    ],
)
@pytest.mark.parametrize("status", [429, 500, 503])
def test_w3_11_what_passes_by_itself_is_tried_again_whatever_its_message_speaks_of(
    status: int, message: str
) -> None:
    found = failure_of(StatusError(status, message, code=status), ENDPOINT, frozenset())
    assert isinstance(found, Retryable)


@pytest.mark.parametrize(
    "body", [{"code": "insufficient_quota"}, {"code": None, "type": "insufficient_quota"}]
)
@pytest.mark.parametrize("status", [403, 429])
def test_w3_11_an_empty_account_is_known_by_its_code(status: int, body: dict[str, Any]) -> None:
    found = failure_of(StatusError(status, "No.", **body), ENDPOINT, frozenset())
    assert isinstance(found, ModelRejected)
    assert "credit" in str(found)


def test_w3_11_a_refused_key_is_said_as_one() -> None:
    found = failure_of(StatusError(403, "Your credit check expired."), ENDPOINT, frozenset())
    assert isinstance(found, ModelRejected)
    assert "refuses the key" in str(found)
