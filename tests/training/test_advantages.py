from __future__ import annotations

import math

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from suasion.training.advantages import (
    KlControl,
    generalised_advantages,
    masked_mean,
    policy_loss,
    token_rewards,
    value_loss,
    whitened,
)

MASK = torch.tensor([[1.0, 1.0, 1.0], [1.0, 1.0, 0.0]])


def test_the_score_comes_at_the_last_token_and_divergence_costs_at_every_one() -> None:
    rewards = token_rewards(torch.tensor([2.0, -1.0]), torch.tensor([[0.5, 0.0, 1.0], [1.0, 2.0, 9.0]]), MASK, beta=0.1)
    torch.testing.assert_close(rewards, torch.tensor([[-0.05, 0.0, 1.9], [-0.1, -1.2, 0.0]]))


def test_advantages_worked_by_hand() -> None:
    """gamma 0.9, lambda 0.5; the second reply ends at its second token."""
    rewards = torch.tensor([[0.0, 0.0, 1.0], [1.0, 2.0, 0.0]])
    values = torch.tensor([[0.2, 0.4, 0.6], [0.5, 1.0, 7.0]])
    advantages, returns = generalised_advantages(rewards, values, MASK, gamma=0.9, lam=0.5)
    third = 1 - 0.6
    second = 0.9 * 0.6 - 0.4 + 0.45 * third
    first = 0.9 * 0.4 - 0.2 + 0.45 * second
    of_other = [1 + 0.9 * 1.0 - 0.5 + 0.45 * (2 - 1.0), 2 - 1.0, 0.0]
    torch.testing.assert_close(advantages, torch.tensor([[first, second, third], of_other]))
    torch.testing.assert_close(returns, torch.tensor([[first + 0.2, second + 0.4, 1.0], [of_other[0] + 0.5, 2.0, 0.0]]))


@given(st.lists(st.floats(-3, 3), min_size=1, max_size=6), st.lists(st.floats(-3, 3), min_size=6, max_size=6), st.floats(0.5, 1))
def test_with_lambda_one_the_advantage_is_what_came_less_what_was_expected(rewards: list[float], values: list[float], gamma: float) -> None:
    length = len(rewards)
    given_rewards, said = torch.tensor([rewards], dtype=torch.float64), torch.tensor([values[:length]], dtype=torch.float64)
    advantages, returns = generalised_advantages(given_rewards, said, torch.ones(1, length, dtype=torch.float64), gamma, 1.0)
    for start in range(length):
        to_come = sum(gamma ** (later - start) * rewards[later] for later in range(start, length))
        assert float(returns[0, start]) == pytest.approx(to_come, abs=1e-9)
        assert float(advantages[0, start]) == pytest.approx(to_come - values[start], abs=1e-9)


def test_the_policy_loss_worked_by_hand() -> None:
    ratios = torch.tensor([[1.0, 1.5, 0.5, 1.5, 0.5]])
    advantages = torch.tensor([[2.0, 1.0, 1.0, -1.0, -1.0]])
    loss, clipped = policy_loss(ratios.log(), torch.zeros(1, 5), advantages, clip=0.2)
    torch.testing.assert_close(loss, torch.tensor([[-2.0, -1.2, -0.5, 1.5, 0.8]]))
    assert clipped.tolist() == [[0.0, 1.0, 0.0, 0.0, 1.0]]


def test_a_clipped_token_is_pushed_no_further() -> None:
    new = torch.tensor([[math.log(1.5), math.log(0.9)]], requires_grad=True)
    policy_loss(new, torch.zeros(1, 2), torch.ones(1, 2), clip=0.2)[0].sum().backward()
    assert new.grad is not None and new.grad[0, 0] == 0 and new.grad[0, 1] == pytest.approx(-0.9)


def test_the_value_loss_worked_by_hand() -> None:
    values, old, returns = torch.tensor([[1.0, 0.1, 2.0]]), torch.tensor([[0.5, 0.0, 0.0]]), torch.tensor([[1.0, 1.0, 3.0]])
    # held at 0.7, 0.1 and 0.2: errors 0.3, 0.9 and 2.8, beside 0, 0.9 and 1
    torch.testing.assert_close(value_loss(values, old, returns, clip=0.2), 0.5 * torch.tensor([[0.3**2, 0.9**2, 2.8**2]]))


def test_means_and_whitening_leave_out_what_is_behind_the_end() -> None:
    values = torch.tensor([[1.0, 2.0, 3.0], [4.0, 5.0, 1e9]])
    assert masked_mean(values, MASK) == 3
    white = whitened(values, MASK)
    assert white[1, 2] == 0 and masked_mean(white, MASK).abs() < 1e-6
    assert masked_mean(white**2, MASK) == pytest.approx(1, abs=1e-5)
    assert torch.equal(whitened(values, torch.zeros_like(MASK)), torch.zeros_like(values))


def test_the_penalty_follows_its_target() -> None:
    control = KlControl(beta=0.1, target=2.0)
    control.observe(20.0)
    assert control.beta == pytest.approx(0.1 * 1.02)
    control.observe(0.0)
    assert control.beta == pytest.approx(0.1 * 1.02 * 0.98)
    fixed = KlControl(beta=0.1, target=None)
    fixed.observe(20.0)
    assert fixed.beta == 0.1
