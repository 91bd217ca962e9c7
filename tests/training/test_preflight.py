from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from suasion.errors import Refused
from suasion.models.base import Base
from suasion.models.loading import load_base
from suasion.models.rendering import Renderer
from suasion.training.preflight import Preflight, PreflightConfig, preflight
from tests.nano import make_nano, nano_base, small_renderer

PREMISES = ["CMV: tea.", "CMV: tea.", "CMV: coffee.", "CMV: water."]


def fly(writer: Any, renderer: Renderer, reward: Any, **config: Any) -> Preflight:
    settings = PreflightConfig(**({"premises": 2} | config))
    return preflight(writer, renderer, PREMISES, reward, num_generations=4, temperature=1.0, config=settings, seed=0)


def by_length(premises: list[str], replies: list[str]) -> list[float]:
    return [float(len(reply)) for reply in replies]


def test_replies_that_are_all_cut_off_stop_practice(nano: Base, renderer: Renderer) -> None:
    with pytest.raises(Refused, match=r"100% of 8 sampled replies were cut off at 16 tokens") as caught:
        fly(load_base(nano, "CAUSAL_LM"), renderer, by_length)
    assert caught.value.exit_status == 1 and "reply_tokens" in (caught.value.hint or "")


@pytest.fixture(scope="module")
def ending(tmp_path_factory: pytest.TempPathFactory) -> tuple[Any, Renderer]:
    base = nano_base(make_nano(tmp_path_factory.mktemp("model"), seed=0, ends=range(200, 500)))
    return load_base(base, "CAUSAL_LM"), small_renderer(base)


def test_a_reward_without_spread_within_groups_stops_practice(ending: tuple[Any, Renderer]) -> None:
    """Different between premises, the same within each: nothing to learn from."""
    with pytest.raises(Refused, match="nothing can be learned"):
        fly(*ending, lambda premises, replies: [float(len(premise)) for premise in premises])


def test_a_reward_that_is_no_number_stops_practice(ending: tuple[Any, Renderer]) -> None:
    with pytest.raises(Refused):
        fly(*ending, lambda premises, replies: [float("nan")] * len(replies))


def test_a_sound_start_is_told(ending: tuple[Any, Renderer], tmp_path: Path) -> None:
    asked: list[str] = []

    def reward(premises: list[str], replies: list[str]) -> list[float]:
        asked.extend(premises)
        return by_length(premises, replies)

    found = fly(*ending, reward)
    assert found.replies == 8 and found.cut_off < 0.5 and found.spread > 1 and 0 < found.reply_tokens < 16
    assert asked == ["CMV: tea."] * 4 + ["CMV: coffee."] * 4  # distinct premises, their replies together
