"""Practice's replies drawn by vLLM on a GPU, in each process or by a server, over TRL's connection to it.

vLLM has no adapter: before each step it is sent the base's weights with the adapter added in. Which replies come is decided by the seed,
the step and the prompt, but not to the last bit by them alone: vLLM's sums depend on what else is in a batch.
"""

from __future__ import annotations

import importlib.util
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

from suasion.errors import SuasionError
from suasion.models.base import Base
from suasion.models.rendering import Renderer
from suasion.models.sampling import stop_ids
from suasion.progress import say
from suasion.training.rollouts import Rollouts, place_of, step_seed
from suasion.training.vllm_check import engine_logprobs, policy_logprobs, require_agreement, server_logprobs

if TYPE_CHECKING:
    from suasion.training.settings import OnlineConfig
    from suasion.training.vllm_settings import VllmConfig

_SEEDS = 1 << 62  # vLLM's are 64 bit


def vllm_arguments(config: VllmConfig, base: Base, renderer: Renderer) -> dict[str, Any]:
    """TRL's keyword arguments, once it is sure that vLLM can be used here.

    Raises:
        SuasionError: vLLM or a GPU is missing, the base is in 4 bit, or the server does not answer.
    """
    import torch

    if importlib.util.find_spec("vllm") is None:
        raise SuasionError(
            "practice.rollouts=vllm needs vLLM, which is not installed.", hint="pip install 'suasion[vllm]', on a GPU's machine."
        )
    if not torch.cuda.is_available():
        raise SuasionError(
            "practice.rollouts=vllm needs a GPU, and there is none here.", hint="practice.rollouts=transformers runs anywhere."
        )
    if base.lock["quantization"] != "none":
        raise SuasionError(
            f"vLLM cannot be sent the weights of a quantised base ({base.lock['quantization']}): adding the adapter in would round it off.",
            hint="Take base.quantization=none, or practice.rollouts=transformers.",
        )
    if config.server is None:
        own = {"vllm_gpu_memory_utilization": config.gpu_memory, "vllm_max_model_length": renderer.config.total_tokens}
        return {"use_vllm": True, "vllm_mode": "colocate", **own}
    require_answer(config.server, config.timeout)
    peer = {"vllm_server_base_url": config.server, "vllm_server_timeout": config.timeout, "vllm_group_port": config.group_port}
    return {"use_vllm": True, "vllm_mode": "server", **peer}


def require_answer(url: str, timeout: float) -> None:
    """Raises:
    SuasionError: the server does not say that it is well.
    """
    import httpx

    try:
        httpx.get(f"{url}/health", timeout=timeout).raise_for_status()
    except httpx.HTTPError as error:
        raise SuasionError(
            f"The vLLM server does not answer: {error or type(error).__name__!s:.200}",
            where=url,
            hint="Start it as docs/how-do-i-train-on-several-machines.md says, and wait until it is up.",
        ) from error


@dataclass
class VllmDraws:
    """Draws a step's replies for TRL's trainers, whose ``vllm_generation`` it uses."""

    renderer: Renderer
    config: VllmConfig
    num_generations: int
    temperature: float
    top_p: float
    checked: int | None = None
    """The last step at which vLLM was found to hold the writer's weights."""

    def attach(self, trainer: Any) -> None:
        """Set a trainer's connection up, before anything is sent over it."""
        generation = trainer.vllm_generation
        # TRL would merge the adapter into the weights that are trained, and take it out again: in bfloat16 they wear off by that
        generation._iter_named_params = partial(merged_weights, trainer.accelerator.unwrap_model(trainer.model))
        if self.config.server is not None and trainer.accelerator.is_main_process:
            session = generation.vllm_client.session
            session.request = partial(session.request, timeout=self.config.timeout)  # TRL's requests wait for ever

    def rollouts(self, seed: int) -> Rollouts:
        """The function that TRL calls with a batch's prompts (each standing ``num_generations`` times) and the trainer."""

        def roll_out(prompts: list[Any], trainer: Any) -> dict[str, Any]:
            distinct = [self.renderer.ids(messages) for messages in prompts[:: self.num_generations]]
            replies, logprobs = self(trainer, distinct, step_seed(seed, trainer.state.global_step, *place_of(trainer.accelerator)))
            repeated = [ids for ids in distinct for _ in range(self.num_generations)]
            return {"prompt_ids": repeated, "completion_ids": replies, "logprobs": logprobs}

        return roll_out

    def __call__(self, trainer: Any, prompts: Sequence[Sequence[int]], seed: int) -> tuple[list[list[int]], list[list[float]]]:
        """Replies to distinct prompts, those to one side by side, and the log-probabilities that their tokens were drawn with.

        Raises:
            Refused: vLLM holds other weights than the trainer.
            SuasionError: it cannot be reached.
        """
        with named_peer(self.config):
            self._sync(trainer)
            draw = self._from_engine if self.config.server is None else self._from_server
            replies, logprobs = draw(trainer, prompts, seed * 1_000_003 % _SEEDS)
        step = int(trainer.state.global_step)
        if self.checked is None or step >= self.checked + self.config.check_every:
            self._check(trainer, prompts, replies, step)
            self.checked = step
        return replies, logprobs

    def _sync(self, trainer: Any) -> None:
        generation, step = trainer.vllm_generation, int(trainer.state.global_step)
        if trainer._last_loaded_step != step:
            generation.sync_weights()
            trainer._last_loaded_step = step

    def _from_engine(self, trainer: Any, prompts: Sequence[Sequence[int]], seed: int) -> tuple[list[list[int]], list[list[float]]]:
        from vllm import SamplingParams

        n = self.num_generations
        common = {"temperature": self.temperature, "top_p": self.top_p, "max_tokens": self.renderer.config.reply_tokens, "logprobs": 0}
        stops = stop_ids(trainer.accelerator.unwrap_model(trainer.model), self.renderer)
        # the replies to one prompt are drawn with seed, seed + 1, …
        given = [SamplingParams(n=n, seed=(seed + i * n) % _SEEDS, stop_token_ids=stops, **common) for i in range(len(prompts))]
        asked = [{"prompt_token_ids": list(ids)} for ids in prompts]
        outputs = trainer.vllm_generation.llm.generate(asked, sampling_params=given, use_tqdm=False)
        answers = [answer for output in outputs for answer in output.outputs]
        told = [[place[token].logprob for token, place in zip(one.token_ids, one.logprobs, strict=True)] for one in answers]
        return [list(answer.token_ids) for answer in answers], told

    def _from_server(self, trainer: Any, prompts: Sequence[Sequence[int]], seed: int) -> tuple[list[list[int]], list[list[float]]]:
        generation, n = trainer.vllm_generation, self.num_generations
        stops = stop_ids(trainer.accelerator.unwrap_model(trainer.model), self.renderer)
        # rank 0 asks for all: its seed counts
        generation.generation_kwargs = {"seed": seed, "stop_token_ids": stops}
        repeated = [list(ids) for ids in prompts for _ in range(n)]
        _, replies, told, _ = generation.generate(prompts=repeated, images=None, num_generations=n)
        return replies, [[place[0] for place in reply] for reply in told]

    def _check(self, trainer: Any, prompts: Sequence[Sequence[int]], replies: list[list[int]], step: int) -> None:
        server = self.config.server
        if server is not None and not trainer.accelerator.is_main_process:
            return
        longest = max(range(len(replies)), key=lambda index: len(replies[index]))
        prompt, reply = prompts[longest // self.num_generations], replies[longest]
        ours = policy_logprobs(trainer.accelerator.unwrap_model(trainer.model), prompt, reply)
        if server is None:
            peer, theirs = "vLLM", engine_logprobs(trainer.vllm_generation.llm, prompt, reply)
        else:
            peer, theirs = f"the vLLM server at {server}", server_logprobs(server, prompt, reply, self.config.timeout)
        found = require_agreement(ours, theirs, self.config.tolerance, peer=peer, step=step)
        say(
            f"Practice: at step {step} {peer} holds the weights that are trained "
            f"({found.gap:.2g} nats a token apart on {found.tokens} tokens, tolerance {self.config.tolerance:g})"
        )


def merged_weights(policy: Any) -> Iterator[tuple[str, Any]]:
    """Name and weight of all that vLLM needs to know: the base's, the adapter added in. The policy itself is left as it is."""
    import torch

    inner = policy.get_base_model()
    for name, weight in inner.named_parameters():
        if ".lora_" in name:
            continue
        owner, _, kind = name.removesuffix(".base_layer.weight").rpartition(".")
        layer = inner.get_submodule(f"{owner}.{kind}") if name.endswith(".base_layer.weight") else None
        with torch.no_grad():
            added = None if layer is None or "default" not in layer.lora_A else layer.get_delta_weight("default")
            whole = weight.data if added is None else (weight.float() + added.float()).to(weight.dtype)
        yield name.replace(".base_layer", ""), whole


def vllm_draws(config: OnlineConfig, renderer: Renderer) -> VllmDraws | None:
    """What draws the replies, if the recipe wants vLLM to."""
    if config.rollouts != "vllm":
        return None
    return VllmDraws(renderer, config.vllm, config.num_generations, config.temperature, config.top_p)


def vllm_peer(config: OnlineConfig) -> AbstractContextManager[None]:
    """:func:`named_peer` where the recipe wants vLLM, for the making of a trainer."""
    return named_peer(config.vllm) if config.rollouts == "vllm" else nullcontext()


@contextmanager
def named_peer(config: VllmConfig) -> Iterator[None]:
    """Within, what goes wrong between trainer and vLLM names the peer.

    Raises:
        SuasionError: instead of TRL's and the network's own errors.
    """
    try:
        yield
    except SuasionError:
        raise
    except Exception as error:  # TRL raises plain ones, with the server's answer for a text
        where = config.server or "vLLM in this process"
        hint = "See the server's own log; start it as docs/how-do-i-train-on-several-machines.md says."
        raise SuasionError(
            f"Work with vLLM failed: {type(error).__name__}: {error!s:.300}", where=where, hint=hint if config.server else None
        ) from error
