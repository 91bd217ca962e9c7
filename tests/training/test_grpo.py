from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from suasion.errors import Refused, SuasionError
from suasion.files import read_jsonl
from suasion.models.base import Base
from suasion.models.loading import load_base, save_adapter, with_new_adapter
from suasion.models.lora import LoraConfig
from suasion.models.rendering import Renderer
from suasion.runs.run import Run
from suasion.training.grpo import GrpoConfig, GrpoSettings, train_grpo
from suasion.training.replies import in_order
from tests.nano import adapter_weights, make_nano, nano_base, same_weights, shaken, small_renderer
from tests.training.writers import PREMISES, letters, make_parent, stopped_and_resumed

#: A random writer never ends a reply, so that here cut-off replies must count.
SHORT: dict[str, Any] = {"batch_size": 8, "cut_off": "score", "checkpoint_every": 0}


@pytest.fixture(scope="module")
def parent(nano: Base, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_parent(nano, tmp_path_factory.mktemp("parent") / "adapter")


def practise(base: Base, renderer: Renderer, parent: Path, root: Path, reward: Any = letters, **config: Any) -> tuple[Any, Run]:
    with Run.start(root, "GRPO", config={}) as run:
        model = train_grpo(base, renderer, parent, PREMISES, reward, GrpoConfig(**(SHORT | config)), run, 0)
        save_adapter(model, base, run.path / "adapter")
    return model, run


def test_what_is_rewarded_grows(nano: Base, renderer: Renderer, parent: Path, tmp_path: Path) -> None:
    settings = {"max_steps": 20, "premises_per_step": 4, "batch_size": 16, "learning_rate": 5e-3, "beta": 0.0, "sample_every": 5}
    _, run = practise(nano, renderer, parent, tmp_path, **settings)
    rows = [row for row in run.metrics() if "reward" in row]
    assert len(rows) == 20
    rewards = [row["reward"] for row in rows]
    assert sum(rewards[-5:]) / 5 > sum(rewards[:5]) / 5 + 1.0
    samples = read_jsonl(run.path / "samples.jsonl")
    assert [row["step"] for row in samples] == [0, 5, 10, 15]
    for row in samples:
        assert row["premise"] in PREMISES
        assert row["rewards"] == letters([], row["replies"]) and len(row["replies"]) == 4


def test_the_first_step_is_measured_against_the_parent_and_not_the_base(
    nano: Base, renderer: Renderer, parent: Path, tmp_path: Path
) -> None:
    model, run = practise(nano, renderer, parent, tmp_path, max_steps=3, learning_rate=5e-3, beta=0.02)
    rows = [row for row in run.metrics() if "kl" in row]
    assert {"reward", "spread", "cut_off", "kl", "reply_tokens", "dead_groups", "entropy", "loss"} <= set(rows[0])
    assert abs(rows[0]["kl"]) < 1e-6
    assert rows[-1]["kl"] > 1e-4
    saved = adapter_weights(run.path / "adapter")
    assert saved.keys() == adapter_weights(parent).keys()  # one adapter, without the frozen copy
    assert [path.name for path in (run.path / "adapter").iterdir() if path.is_dir()] == []
    ids = torch.tensor([renderer.prompt(PREMISES[0])])
    with torch.inference_mode():
        bare, ours = load_base(nano, "CAUSAL_LM")(ids).logits, model.eval()(ids).logits
    assert (bare - ours).abs().max() > 1e-2  # else a reference without the adapter would have given no divergence either


def test_the_spread_is_that_within_groups(nano: Base, renderer: Renderer, parent: Path, tmp_path: Path) -> None:
    seen: list[list[float]] = []

    def by_premise(premises: list[str], replies: list[str]) -> list[float]:
        seen.append([float(PREMISES.index(premise)) for premise in premises])
        return seen[-1]

    _, run = practise(nano, renderer, parent, tmp_path, by_premise, max_steps=1)
    row = run.metrics()[0]
    assert len(set(seen[0])) == 2 and seen[0] == sorted(seen[0], key=seen[0].index)  # two premises, their replies together
    assert row["spread"] == 0.0 and row["dead_groups"] == 1.0  # between the premises the reward differs, within them it does not


def test_the_writer_sees_in_practice_what_it_saw_in_imitation(
    nano: Base, renderer: Renderer, parent: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The ids that are sampled from and learned on are those of ``Renderer.prompt``, the end token included in what is learned."""
    from suasion.training.group_trainers import GroupTrainer

    seen: list[tuple[list[int], list[int]]] = []
    log_probabilities = GroupTrainer._get_per_token_logps_and_entropies

    def watched(self: Any, model: Any, input_ids: Any, attention_mask: Any, logits_to_keep: int, *more: Any, **named: Any) -> Any:
        whole = [ids[mask.bool()].tolist() for ids, mask in zip(input_ids, attention_mask, strict=True)]
        seen.extend(zip(whole, input_ids[:, -logits_to_keep:].tolist(), strict=True))
        return log_probabilities(self, model, input_ids, attention_mask, logits_to_keep, *more, **named)

    monkeypatch.setattr(GroupTrainer, "_get_per_token_logps_and_entropies", watched)
    practise(nano, renderer, parent, tmp_path, max_steps=2)
    known = [renderer.prompt(premise) for premise in PREMISES]
    assert len(seen) >= 16
    for whole, reply in seen:
        (prompt,) = [ids for ids in known if whole[: len(ids)] == ids]
        assert whole[len(prompt) :] == reply[: len(whole) - len(prompt)]


def test_every_declared_end_counts_as_an_end(tmp_path: Path) -> None:
    base = nano_base(make_nano(tmp_path / "model", seed=0, ends=range(200, 600)))
    renderer = small_renderer(base)
    model = with_new_adapter(load_base(base, "CAUSAL_LM"), base, LoraConfig(), "CAUSAL_LM")
    parent = save_adapter(model, base, tmp_path / "parent")
    _, run = practise(base, renderer, parent, tmp_path / "runs", max_steps=2, cut_off="mask")
    assert run.metrics()[0]["cut_off"] < 0.5
    assert run.metrics()[0]["reply_tokens"] < 12


def test_replies_that_were_cut_off_teach_nothing(nano: Base, renderer: Renderer, parent: Path, tmp_path: Path) -> None:
    short = small_renderer(nano, reply_tokens=2)
    _, run = practise(nano, short, parent, tmp_path, max_steps=2, learning_rate=1e-2, beta=0.0, cut_off="mask")
    if all(row["cut_off"] == 1.0 for row in run.metrics()):
        before, after = adapter_weights(parent), adapter_weights(run.path / "adapter")
        assert all(torch.equal(before[name], after[name]) for name in before)
    else:
        pytest.fail("the premise of this test: all replies of two tokens are cut off")


def test_a_reply_that_was_cut_off_gets_the_lowest_score_of_its_group(tmp_path: Path) -> None:
    base = nano_base(make_nano(tmp_path / "model", seed=0, ends=range(200, 240)))
    renderer = small_renderer(base)
    model = with_new_adapter(load_base(base, "CAUSAL_LM"), base, LoraConfig(), "CAUSAL_LM")
    parent = save_adapter(model, base, tmp_path / "parent")
    given: list[list[float]] = []

    def longest(premises: list[str], replies: list[str]) -> list[float]:
        given.append([float(len(reply)) for reply in replies])
        return given[-1]

    _, run = practise(base, renderer, parent, tmp_path / "runs", longest, max_steps=4, cut_off="worst", sample_every=1)
    changed = 0
    for scores, sample, row in zip(given, read_jsonl(run.path / "samples.jsonl"), run.metrics(), strict=False):
        first = scores[:4]
        assert all(reward in (score, min(first)) for reward, score in zip(sample["rewards"], first, strict=True))
        changed += sample["rewards"] != first
        assert row["judge_score"] == pytest.approx(sum(scores) / 8)  # what the judge said is kept apart from what was rewarded
        assert row["reward"] <= row["judge_score"] + 1e-6
    assert changed


def test_replies_are_sampled_from_the_writer_as_it_is_now(nano: Base, renderer: Renderer, parent: Path) -> None:
    """On a CPU a plain copy with the adapter merged in is sampled from: the same function, and the writer itself is not touched."""
    from suasion.models.loading import with_saved_adapter
    from suasion.training import rollouts

    policy = with_saved_adapter(load_base(nano, "CAUSAL_LM"), nano, parent, trainable=True).eval()
    before = {name: weight.clone() for name, weight in policy.state_dict().items()}
    copy = load_base(nano, "CAUSAL_LM").eval()
    ids = torch.tensor([renderer.prompt(PREMISES[0])])
    for _ in range(2):  # merged anew at each step, never on top of the last one
        with torch.inference_mode():
            torch.testing.assert_close(rollouts._merged_into(copy, policy)(ids).logits, policy(ids).logits, atol=1e-4, rtol=1e-4)
        shaken(policy, seed=3)
    assert all(torch.equal(weight, before[name]) for name, weight in policy.state_dict().items() if ".lora_" not in name)


def test_a_judge_that_gives_no_number_stops_practice(nano: Base, renderer: Renderer, parent: Path, tmp_path: Path) -> None:
    with pytest.raises(SuasionError, match="not a number"):
        practise(nano, renderer, parent, tmp_path, lambda premises, replies: [float("nan")] * len(replies), max_steps=1)


def test_fewer_premises_than_a_step_needs_are_gone_through_again(nano: Base, renderer: Renderer, parent: Path, tmp_path: Path) -> None:
    with Run.start(tmp_path, "GRPO", config={}) as run:
        config = GrpoConfig(**(SHORT | {"max_steps": 2, "premises_per_step": 2}))
        train_grpo(nano, renderer, parent, ["CMV: one view."], letters, config, run, 0)
    assert len([row for row in run.metrics() if "reward" in row]) == 2
    with pytest.raises(SuasionError, match="no premise"), Run.start(tmp_path, "GRPO", config={}) as run:
        train_grpo(nano, renderer, parent, [], letters, config, run, 0)


@given(premises=st.lists(st.sampled_from("abcdef"), min_size=1, max_size=12), number=st.integers(1, 40), seed=st.integers(0, 99))
def test_all_premises_come_before_one_comes_again(premises: list[str], number: int, seed: int) -> None:
    order = in_order(premises, number, seed)
    distinct = set(premises)
    assert len(order) == number and order == in_order(premises, number, seed)
    assert order == in_order(premises, number + 5, seed)[:number]
    for start in range(0, number - len(distinct) + 1, len(distinct)):
        assert set(order[start : start + len(distinct)]) == distinct


def test_groups_that_do_not_fill_whole_batches_are_refused() -> None:
    with pytest.raises(ValueError, match="multiple of batch_size"):
        GrpoConfig(num_generations=4, premises_per_step=2, batch_size=3)


@pytest.mark.parametrize("beta", [0.0, 0.5])
@pytest.mark.parametrize("loss", ["dr_grpo", "dapo", "gspo"])
def test_a_group_without_a_difference_teaches_nothing(
    nano: Base, renderer: Renderer, parent: Path, tmp_path: Path, loss: str, beta: float
) -> None:
    """Not even the KL penalty pulls: the writer starts away from its reference, as far as two steps of practice take it."""

    def after_two_steps() -> Any:
        steps = iter([letters, letters])
        return lambda premises, replies: next(steps, lambda premises, replies: [1.0] * len(replies))(premises, replies)

    found = {}
    for steps in (2, 4):
        settings = {"max_steps": steps, "learning_rate": 5e-3, "beta": beta, "grpo": {"loss_type": loss}}
        _, run = practise(nano, renderer, parent, tmp_path / str(steps), after_two_steps(), **settings)
        found[steps] = [row.get("gradient_norm") for row in run.metrics()]
    assert found[4][:2] == found[2] and all(norm > 0 for norm in found[2])
    assert found[4][2:] == [0.0, 0.0]


def test_beside_a_dead_group_the_other_one_teaches(
    nano: Base, renderer: Renderer, parent: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A step of one live and one dead group is, in a loss that divides by the tokens learned from, a step of the live group alone."""

    def fixed(model: Any, prompts: list[list[int]], *, n: int, **_: Any) -> list[list[int]]:
        draws = [random.Random(f"{prompt} {number}") for prompt in prompts for number in range(n)]
        return [[draw.randrange(300, 700) for _ in range(6)] for draw in draws]

    def first_alive(premises: list[str], replies: list[str]) -> list[float]:
        return [score if premise == premises[0] else 0.0 for premise, score in zip(premises, letters(premises, replies), strict=True)]

    monkeypatch.setattr("suasion.training.rollouts.generate", fixed)
    settings: dict[str, Any] = {"max_steps": 1, "batch_size": 4, "grpo": {"loss_type": "dapo"}}
    rows = []
    for number in (1, 2):
        _, run = practise(nano, renderer, parent, tmp_path / str(number), first_alive, premises_per_step=number, **settings)
        rows.append(run.metrics()[0])
    assert [row["dead_groups"] for row in rows] == [0.0, 0.5]
    assert rows[0]["gradient_norm"] > 0 and rows[1]["gradient_norm"] == pytest.approx(rows[0]["gradient_norm"], rel=1e-4)


LOSSES = ["dr_grpo", "grpo", "bnpo", "dapo", "gspo", "cispo", "sapo"]


@pytest.mark.parametrize("loss", LOSSES)
def test_every_loss_raises_what_is_rewarded(nano: Base, renderer: Renderer, parent: Path, tmp_path: Path, loss: str) -> None:
    settings = {"max_steps": 12, "premises_per_step": 4, "batch_size": 16, "learning_rate": 5e-3, "beta": 0.0}
    _, run = practise(nano, renderer, parent, tmp_path, **settings, grpo={"loss_type": loss, "updates": 1 if loss == "gspo" else 2})
    rows = run.metrics()
    assert len(rows) == 12
    rewards = [row["reward"] for row in rows]
    assert sum(rewards[-4:]) / 4 > sum(rewards[:4]) / 4 + 0.5


def test_clips_act_from_the_second_update_on(nano: Base, renderer: Renderer, parent: Path, tmp_path: Path) -> None:
    found = {}
    for name, own in {"wide": {"epsilon": 0.9}, "tight": {"epsilon": 1e-4}, "upwards": {"epsilon": 1e-4, "epsilon_high": 0.9}}.items():
        settings: dict[str, Any] = {"max_steps": 2, "learning_rate": 1e-3, "beta": 0.0, "grpo": own | {"updates": 3}}
        _, run = practise(nano, renderer, parent, tmp_path / name, **settings)
        found[name] = adapter_weights(run.path / "adapter")
    names = list(found["wide"])
    for one, other in (("wide", "tight"), ("tight", "upwards"), ("wide", "upwards")):
        assert any(not torch.equal(found[one][name], found[other][name]) for name in names)


def test_stopped_practice_of_several_updates_goes_on_to_the_same_weights(
    nano: Base, renderer: Renderer, parent: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings = SHORT | {"max_steps": 5, "checkpoint_every": 2, "learning_rate": 5e-3, "batch_size": 4, "grpo": {"updates": 2}}
    _, whole = practise(nano, renderer, parent, tmp_path / "whole", **settings)

    def train(run: Run) -> Any:
        return train_grpo(nano, renderer, parent, PREMISES, letters, GrpoConfig(**settings), run, 0)

    model = stopped_and_resumed(tmp_path / "stopped", "GRPO", train, monkeypatch, step=3)
    save_adapter(model, nano, tmp_path / "resumed")
    assert same_weights(tmp_path / "resumed", whole.path / "adapter")


@pytest.mark.parametrize(
    ("own", "said"),
    [
        ({"epsilon": 0.1}, "one update"),
        ({"loss_type": "sapo", "epsilon_high": 0.1, "updates": 2}, "no effect with loss_type sapo"),
        ({"loss_type": "cispo", "epsilon": 0.1, "updates": 2}, "no effect with loss_type cispo"),
    ],
)
def test_a_clip_without_effect_is_refused(own: dict[str, Any], said: str) -> None:
    with pytest.raises(ValueError, match=said):
        GrpoSettings(**own)


def test_practice_stops_at_a_limit_and_stops_there_again(nano: Base, renderer: Renderer, parent: Path, tmp_path: Path) -> None:
    """Every random reply is cut off: the limit is passed once five steps are seen, and a second try goes on from the last checkpoint."""
    settings = SHORT | {"max_steps": 9, "checkpoint_every": 2, "limits": {"cut_off": {"stop": 0.9}}}
    run = Run.start(tmp_path, "GRPO", config={})
    for _ in range(2):
        with pytest.raises(Refused, match=r"stopped at step 5: share of replies cut off is 1 .*limits\.cut_off\.stop = 0\.9"):
            train_grpo(nano, renderer, parent, PREMISES, letters, GrpoConfig(**settings), run, 0)
    rows = run.metrics()
    assert [row["step"] for row in rows] == [1, 2, 3, 4, 5]
    assert {"repetition", "distinct", "length_drift"} <= rows[-1].keys() and rows[-1]["length_drift"] == 1.0
