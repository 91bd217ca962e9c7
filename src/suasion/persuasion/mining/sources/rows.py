"""The table of numbers that :mod:`scan` fills and :mod:`scanner` reads: int64, a row for each comment."""

from __future__ import annotations

ID, LINK, PARENT, AUTHOR, DISTINGUISHED, TEXT = range(6)
"""Columns of the table of rows: the address of each string. Its length stands :data:`LENGTH` columns further on."""
LENGTH = 6
CREATED, SCORE, FLAGS, NUMBER, WIDTH = 12, 13, 14, 15, 16
"""More columns: seconds (not above 0 where unknown), score, a sum of flags, the line's number; and how many columns there are."""
TO_POST, EDITED, BY_SUBMITTER, SCORED, TOKEN, PERHAPS = 1, 2, 4, 8, 16, 32
"""Flags. ``SCORED``: the score is known; ``TOKEN``: the text may hold a delta token; ``PERHAPS``: only a look at it can tell."""
MOST_KEYS = 256
"""In a line; one with more is unusual."""
AT_ONCE = 64
"""Bytes that are read and written past the end of whatever is looked for or copied, at most."""
