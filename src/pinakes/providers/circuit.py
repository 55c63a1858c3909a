"""A circuit: what fails again and again is left alone for a while, then tried with a single call."""

import time
from collections.abc import Callable


class Circuit:
    """Counts failures in a row; once there are too many it turns calls away until it has rested."""

    def __init__(
        self, *, failures: int = 5, rest_seconds: float = 30, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._most_failures = failures
        self._rest_seconds = rest_seconds
        self._clock = clock
        self._failures = 0
        self._rests_until: float | None = None
        self._probing = False
        self.reason = ""

    @property
    def is_open(self) -> bool:
        """Whether a call would be turned away now."""
        return self._rests_until is not None and (self._probing or self._clock() < self._rests_until)

    def admit(self) -> bool:
        """Whether a call may go ahead; after the rest it is one alone, and the others wait for its outcome."""
        if self.is_open:
            return False
        self._probing = self._rests_until is not None
        return True

    def note_success(self) -> None:
        """Everything may go ahead again."""
        self._failures, self._rests_until, self._probing = 0, None, False

    def note_failure(self, reason: str, rest_seconds: float | None = None) -> None:
        """One more failure; a rest that was asked for begins at once."""
        self._failures += 1
        self.reason = reason
        if rest_seconds is not None or self._probing or self._failures >= self._most_failures:
            self._rests_until = self._clock() + max(rest_seconds or 0, self._rest_seconds)
        self._probing = False

    def note_nothing(self) -> None:
        """The call was given up: it showed neither one thing nor the other."""
        self._probing = False
