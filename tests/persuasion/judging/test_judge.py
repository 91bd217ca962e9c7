from __future__ import annotations

import numpy as np

from suasion.persuasion.judging.judge import RULES


def test_rules_count_white_space_separated_words() -> None:
    replies = ["one", "", "one  two\nthree", "one two"]
    assert RULES["longest"].score([""] * 4, replies).tolist() == [1, 0, 3, 2]
    assert RULES["shortest"].score([""] * 4, replies).tolist() == [-1, 0, -3, -2]
    assert RULES["longest"].score([], []).dtype == np.float32
