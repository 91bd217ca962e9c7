"""Tasks as reward functions, called as TRL calls them."""

from __future__ import annotations

import inspect

import pytest

from suasion.analysis.logic.prover import Prover
from suasion.analysis.tasks import get_task, reward
from suasion.errors import SuasionError

MAP = "```argdown\n[Keep]: Keep dogs.\n    <+ <Loyal>: They are loyal.\n```"
ENDLESS = """\
```argdown
<Chain>: Everything is followed by something.

(1) Everything is followed by something. {formalization: 'all x.(exists y.(R(x,y)))', declarations: {R: 'x is followed by y'}}
(2) To be followed carries over. {formalization: 'all x.(all y.(all z.((R(x,y) & R(y,z)) -> R(x,z))))'}
-- {from: ['1', '2']} --
(3) Something follows itself. {formalization: 'exists x.(R(x,x))'}
```
"""


def test_valid_and_invalid(prover: Prover) -> None:
    function = reward(get_task("argmap"), prover)
    assert function(completions=[MAP, "no map", ""], source=["Dogs."] * 3) == [1.0, 0.0, 0.0]
    assert function.__name__ == "argmap_reward"


def test_it_takes_chats_and_other_columns(prover: Prover) -> None:
    chats = [[{"role": "assistant", "content": MAP}], [{"role": "assistant", "content": None}], []]
    rewards = reward(get_task("argmap"), prover)(
        prompts=["p"] * 3, completions=chats, completion_ids=[[1]] * 3, source=["Dogs."] * 3, trainer_state=None, reference=[None] * 3
    )
    assert rewards == [1.0, 0.0, 0.0]


def test_each_completion_is_judged_by_its_own_source(prover: Prover) -> None:
    answer = '```xml\n<proposition id="1">Keep dogs.</proposition>\n```'
    assert reward(get_task("arganno"), prover)(completions=[answer, answer], source=["Keep dogs.", "Keep cats."]) == [1.0, 0.0]


def test_graded_rewards_are_gated(prover: Prover) -> None:
    larger = MAP.replace("\n```", "\n    <- <Bark>: They bark.\n    <+ <Warm>: They are warm.\n    <- <Dear>: They cost much.\n```")
    unlabelled = larger.replace("<Dear>: ", "")
    small, large, invalid = reward(get_task("argmap"), prover, graded=True)(completions=[MAP, larger, unlabelled], source=["Dogs."] * 3)
    assert small is not None and large is not None and 0.5 <= small < large <= 1 and invalid == 0


def test_undecided_is_no_number(prover: Prover) -> None:
    assert reward(get_task("logreco"), prover)(completions=[ENDLESS], source=["x"]) == [None]


def test_columns_must_be_of_one_length(prover: Prover) -> None:
    with pytest.raises(SuasionError, match="2 completions, 1 sources"):
        reward(get_task("argmap"), prover)(completions=[MAP, MAP], source=["Dogs."])


def test_trl_s_trainer_takes_such_functions() -> None:
    """TRL calls with prompts, completions, and every other column by its name."""
    parameters = inspect.signature(reward(get_task("argmap"))).parameters
    assert list(parameters)[:2] == ["completions", "source"]
    assert any(parameter.kind is inspect.Parameter.VAR_KEYWORD for parameter in parameters.values())
