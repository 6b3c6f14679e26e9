"""What a run has used, held against its limits: the one place where the two meet."""

from __future__ import annotations

from collections.abc import Callable

from leadline.domain.limits import Limits
from leadline.domain.run import Usage
from leadline.errors import LimitReached


class Budget:
    """Adds up model use and time of a run.

    ``clock`` gives seconds that never run backwards; ``used`` and ``seconds`` are what earlier
    sessions of the run used already.
    """

    def __init__(
        self,
        limits: Limits,
        *,
        clock: Callable[[], float],
        used: Usage | None = None,
        seconds: float = 0.0,
    ) -> None:
        self._limits = limits
        self._clock = clock
        self._started = clock() - seconds
        self.used = used or Usage()

    @property
    def seconds(self) -> float:
        """Seconds at work, earlier sessions included."""
        return self._clock() - self._started

    @property
    def seconds_left(self) -> float:
        """Seconds until the time limit; never negative."""
        return max(0.0, self._limits.minutes * 60 - self.seconds)

    def spend(self, usage: Usage) -> None:
        """Count one model call. Never raises: what was answered is kept."""
        self.used = self.used + usage

    def check(self) -> None:
        """Raise :class:`LimitReached` if anything is used up; call it before new work."""
        limits = self._limits
        sentences = {
            "tokens": f"The run used its {limits.tokens:,} model tokens; "
            "raise the limit and resume.",
            "cost_usd": f"The run spent its {limits.cost_usd:.2f} dollars; "
            "raise the limit and resume.",
            "minutes": f"The run used its {limits.minutes:g} minutes; raise the limit and resume.",
        }
        reached = used_up(limits, self.used, self.seconds)
        if reached:
            raise LimitReached(sentences[reached[0]], limit=reached[0])


def used_up(limits: Limits, used: Usage, seconds: float) -> tuple[str, ...]:
    """The limits that leave no room for more work, as fields of ``Limits``."""
    states = {
        "tokens": used.tokens >= limits.tokens,
        "cost_usd": used.cost_usd is not None and used.cost_usd >= limits.cost_usd,
        "minutes": seconds >= limits.minutes * 60,
    }
    return tuple(name for name, is_used_up in states.items() if is_used_up)
