"""What tests of the command line share: a call and what came of it."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any, NamedTuple


class Done(NamedTuple):
    code: int
    out: str
    err: str

    @property
    def json(self) -> dict[str, Any]:
        [line] = self.out.splitlines()
        value = json.loads(line)
        assert isinstance(value, dict)
        return value


Run = Callable[..., Done]
