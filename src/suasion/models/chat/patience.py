"""When to ask a server again, and after how long: transient troubles only, a bounded number of times, never all clients at once."""

from __future__ import annotations

import random
from collections.abc import Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

#: Told by a server that would answer later: time-outs, conflicts, too many requests, and its own troubles.
TRANSIENT = frozenset({408, 409, 425, 429, 500, 502, 503, 504, 520, 522, 524, 529})
#: Seconds: the first wait, and the longest that we choose ourselves.
_FIRST, _LONGEST = 0.5, 30.0


class Trouble(Exception):
    """One attempt that failed and may be made again.

    Args:
        what: what happened, in words.
        after: seconds the server asked us to wait, if it did.
    """

    def __init__(self, what: str, after: float | None = None) -> None:
        super().__init__(what)
        self.what, self.after = what, after


def pause(attempt: int, after: float | None, generator: random.Random) -> float:
    """Seconds to wait before attempt number ``attempt`` (from 1): doubled each time, with jitter so that many clients do not come back
    together ("full jitter", Brooker 2015, AWS Architecture Blog), and never less than the server asked for."""
    chosen = generator.uniform(0, min(_LONGEST, _FIRST * 2.0 ** min(attempt, 16)))
    return chosen if after is None else after + chosen / 4


def retry_after(headers: Mapping[str, str], now: datetime | None = None) -> float | None:
    """Seconds that a ``Retry-After`` header asks for (RFC 9110, 10.2.3: a number, or a date); ``None`` without one that can be read."""
    told = headers.get("retry-after", "").strip()
    try:
        seconds = float(told)
    except ValueError:
        try:
            date = parsedate_to_datetime(told)
        except ValueError:
            return None
        date = date if date.tzinfo else date.replace(tzinfo=UTC)
        seconds = (date - (now or datetime.now(UTC))).total_seconds()
    return max(0.0, seconds) if seconds < float("inf") else None
