"""vLLM cannot run here; what is ours of its use is tested against fakes: the check of its weights, what is sent to it, what is refused."""

from __future__ import annotations

import dataclasses
import math
from pathlib import Path
from typing import Any

import pytest
import torch

from suasion.errors import Refused, SuasionError
from suasion.models.base import Base
from suasion.models.loading import load_base, with_saved_adapter
from suasion.models.rendering import Renderer
from suasion.persuasion.practice.settings import PracticeConfig
from suasion.training.grpo import GrpoConfig
from suasion.training.vllm_check import policy_logprobs, require_agreement, server_logprobs
from suasion.training.vllm_rollouts import VllmDraws, merged_weights, require_answer, vllm_arguments
from suasion.training.vllm_settings import VllmConfig
from tests.nano import shaken
from tests.training.vllm_fakes import Generation, fake_trainer, fake_vllm, serving
from tests.training.writers import PREMISES, make_parent


@pytest.fixture(scope="module")
def parent(nano: Base, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_parent(nano, tmp_path_factory.mktemp("parent") / "adapter")


@pytest.fixture
def policy(nano: Base, parent: Path) -> Any:
    model = with_saved_adapter(load_base(nano, "CAUSAL_LM"), nano, parent, trainable=True)
    model.load_adapter(str(parent), "ref", is_trainable=False)  # as TRL does
    model.set_adapter("default")
    return shaken(model, seed=5)


def test_equal_log_probabilities_agree_and_a_shift_is_told_with_both_numbers() -> None:
    ours = [-1.0, -2.0, -3.0]
    found = require_agreement(ours, [-1.01, -1.99, -3.02], 0.1, peer="the server", step=4)
    assert found.tokens == 3 and found.gap == pytest.approx(0.04 / 3)
    with pytest.raises(
        Refused, match=r"step 4.*mean log-probability is -2\.0000 here and -1\.7000 there, 0\.3000 nats .*tolerance = 0\.1"
    ) as told:
        require_agreement(ours, [value + 0.3 for value in ours], 0.1, peer="the server", step=4)
    assert "Restart vLLM" in str(told.value)


@pytest.mark.parametrize("theirs", [[-1.0], [-1.0, None], [-1.0, math.nan], [-1.0, -math.inf], []])
def test_a_missing_number_is_no_agreement(theirs: list[float | None]) -> None:
    with pytest.raises(Refused, match="for a reply of 2 tokens"):
        require_agreement([-1.0, -1.0], theirs, 0.1, peer="vLLM", step=0)


def test_differences_that_cancel_out_are_found() -> None:
    with pytest.raises(Refused, match=r"-2\.0000 here and -2\.0000 there, 1\.0000 nats"):
        require_agreement([-1.0, -3.0], [-2.0, -2.0], 0.1, peer="vLLM", step=0)


def test_what_is_sent_is_the_base_with_the_adapter_and_the_policy_stays_as_it_was(nano: Base, policy: Any) -> None:
    before = {name: weight.clone() for name, weight in policy.state_dict().items()}
    empty = load_base(nano, "CAUSAL_LM")
    sent = {name: weight.clone() for name, weight in merged_weights(policy)}
    assert sent.keys() == dict(empty.named_parameters()).keys()
    empty.load_state_dict(sent, strict=False)
    ids = torch.tensor([[5, 6, 7, 8]])
    with torch.inference_mode():
        torch.testing.assert_close(empty(ids).logits, policy(ids).logits, atol=1e-4, rtol=1e-4)
    after = policy.state_dict()
    assert all(torch.equal(weight, after[name]) for name, weight in before.items())


def test_a_server_with_the_weights_agrees_and_one_with_the_bare_base_is_refused(nano: Base, renderer: Renderer, policy: Any) -> None:
    prompt, reply = renderer.prompt(PREMISES[0]), [300, 301, 302, 303, 304, 305]
    ours = policy_logprobs(policy, prompt, reply)
    good = load_base(nano, "CAUSAL_LM")
    good.load_state_dict(dict(merged_weights(policy)), strict=False)
    with serving(good) as server:
        found = require_agreement(ours, server_logprobs(server.url, prompt, reply, 10), 0.01, peer=server.url, step=0)
        assert found.gap < 1e-4
        assert server.asked[0]["prompt"] == [[*prompt, *reply]] and server.asked[0]["model"] == "nano"
    with serving(load_base(nano, "CAUSAL_LM")) as stale, pytest.raises(Refused, match="does not hold the weights"):
        require_agreement(ours, server_logprobs(stale.url, prompt, reply, 10), 0.01, peer=stale.url, step=0)


def draws(renderer: Renderer, **config: Any) -> VllmDraws:
    return VllmDraws(renderer, VllmConfig(tolerance=0.01, check_every=3, **config), num_generations=2, temperature=1.0, top_p=1.0)


@pytest.mark.parametrize("place", ["beside the training", "a server"])
def test_weights_are_sent_each_step_and_checked_now_and_then(
    nano: Base, renderer: Renderer, policy: Any, place: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    fake_vllm(monkeypatch)
    engine = load_base(nano, "CAUSAL_LM")
    with serving(engine) as server:
        own = draws(renderer, **({"server": server.url} if place == "a server" else {}))
        trainer = fake_trainer(policy, Generation(engine))
        own.attach(trainer)
        prompts = [renderer.prompt(premise) for premise in PREMISES[:2]]
        for step in range(5):
            trainer.state.global_step = step
            replies, logprobs = own(trainer, prompts, seed=step)
            assert len(replies) == 4 and replies[0] == replies[1] and [len(row) for row in logprobs] == [len(row) for row in replies]
            assert logprobs[0] == pytest.approx(policy_logprobs(policy, prompts[0], replies[0]), abs=1e-4)
            shaken(policy, seed=step, scale=0.05)  # as a step of training does
        assert trainer.vllm_generation.synced == 5 and trainer._last_loaded_step == 4
        assert own.checked == 3
    told = [line for line in capsys.readouterr().err.splitlines() if "holds the weights" in line]
    assert [line.split(" at step ")[1][0] for line in told] == ["0", "3"]


def test_stale_weights_are_caught_before_anything_is_learned_from_them(
    nano: Base, renderer: Renderer, policy: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    fake_vllm(monkeypatch)
    trainer = fake_trainer(policy, Generation(load_base(nano, "CAUSAL_LM"), stale=True))
    own = draws(renderer)
    own.attach(trainer)
    with pytest.raises(Refused, match=r"step 0: vLLM does not hold the weights .* here and .* there"):
        own(trainer, [renderer.prompt(PREMISES[0])], seed=0)


def test_a_server_that_is_silent_or_away_is_named(nano: Base, policy: Any) -> None:
    with serving(load_base(nano, "CAUSAL_LM")) as server:
        require_answer(server.url, 5)
        server.silent.set()
        with pytest.raises(SuasionError, match="does not answer") as told:
            server_logprobs(server.url, [1], [2], timeout=0.3)
        assert told.value.where == server.url
        url = server.url
    with pytest.raises(SuasionError, match="does not answer") as told:
        require_answer(url, 2)
    assert told.value.where == url


def test_trls_own_errors_name_the_peer(nano: Base, renderer: Renderer, policy: Any) -> None:
    trainer = fake_trainer(policy, Generation(load_base(nano, "CAUSAL_LM")))
    own = draws(renderer, server="http://10.0.0.5:8000")
    own.attach(trainer)

    def broken() -> None:
        raise Exception("Request failed: 500, out of memory")

    trainer.vllm_generation.sync_weights = broken
    with pytest.raises(SuasionError, match="Request failed: 500, out of memory") as told:
        own(trainer, [renderer.prompt(PREMISES[0])], seed=0)
    assert told.value.where == "http://10.0.0.5:8000"
    assert trainer.vllm_generation.vllm_client.session.request() == 240  # seconds, which TRL would not have set


def test_what_is_missing_is_said(nano: Base, renderer: Renderer, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(SuasionError, match="vLLM, which is not installed") as told:
        vllm_arguments(VllmConfig(), nano, renderer)
    assert "suasion[vllm]" in str(told.value)
    monkeypatch.setattr("importlib.util.find_spec", lambda name: object())
    monkeypatch.setattr("torch.cuda.is_available", lambda: False)
    with pytest.raises(SuasionError, match="needs a GPU"):
        vllm_arguments(VllmConfig(), nano, renderer)
    monkeypatch.setattr("torch.cuda.is_available", lambda: True)
    quantised = dataclasses.replace(nano, lock=nano.lock | {"quantization": "nf4-double"})
    with pytest.raises(SuasionError, match="quantised base"):
        vllm_arguments(VllmConfig(), quantised, renderer)


def test_trl_knows_every_argument(nano: Base, renderer: Renderer, monkeypatch: pytest.MonkeyPatch) -> None:
    from trl import GRPOConfig, RLOOConfig

    with serving(load_base(nano, "CAUSAL_LM")) as server:
        monkeypatch.setattr("importlib.util.find_spec", lambda name: object())
        monkeypatch.setattr("torch.cuda.is_available", lambda: True)
        given = vllm_arguments(VllmConfig(), nano, renderer) | vllm_arguments(VllmConfig(server=server.url), nano, renderer)
    for config in (GRPOConfig, RLOOConfig):
        assert given.keys() <= {field.name for field in dataclasses.fields(config)}


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"method": "ppo", "rollouts": "vllm"}, "grpo or rloo, and the method here is ppo"),
        ({"method": "dpo", "rollouts": "vllm"}, "grpo or rloo, and the method here is dpo"),
        ({"vllm": {"gpu_memory": 0.5}}, "vllm has no effect"),
        ({"rollouts": "vllm", "vllm": {"server": "10.0.0.5:8000"}}, "a URL is wanted"),
    ],
)
def test_settings_that_cannot_be_are_refused(settings: dict[str, Any], said: str) -> None:
    with pytest.raises(ValueError, match=said):
        PracticeConfig(**settings)
    assert GrpoConfig(rollouts="vllm", vllm={"server": "http://a:1/"}).vllm.server == "http://a:1"
