"""The recipe's section ``practice``: which method, what all methods share, and a section for each method's own settings."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import model_validator

from suasion.training.dpo import DpoConfig
from suasion.training.grpo import GrpoConfig
from suasion.training.orpo import OrpoConfig
from suasion.training.ppo import PpoConfig
from suasion.training.preflight import PreflightConfig
from suasion.training.rloo import RlooConfig
from suasion.training.settings import OnlineConfig, StepsConfig

Method = Literal["grpo", "ppo", "rloo", "dpo", "orpo"]

#: The methods that learn from pairs: people's, or (``pairs: judged``) the judge's among replies that are drawn before the first step.
FROM_PAIRS: tuple[Method, ...] = ("dpo", "orpo")

#: Kinds of runs that are a writer.
WRITERS = ("SFT", "GRPO", "PPO", "RLOO", "DPO", "ORPO")


class PracticeConfig(OrpoConfig, DpoConfig, RlooConfig, PpoConfig, GrpoConfig):
    """How the writer practises.

    The settings at the top are those of all methods; ``num_generations`` … ``sample_every`` and ``preflight`` those of the methods that
    draw replies (``grpo``, ``ppo``, ``rloo``; ``dpo`` and ``orpo`` with ``pairs: judged``).
    """

    method: Method = "grpo"
    """``grpo``, ``ppo`` and ``rloo`` draw replies and have the judge score them; ``dpo`` and ``orpo`` learn from pairs which won."""
    preflight: PreflightConfig = PreflightConfig()
    independent: str | None = None
    """A second judge, that nothing is learned from, for the replies of every ``sample_every``-th step: a run of kind Judge, a rule such as
    ``longest``, or ``llm``. Where the practice judge's score rises and this one's does not, practice has begun to fool its judge."""
    allow_failed_audit: bool = False
    """Practise against a judge that failed its audit (or has none). The report says so."""

    @property
    def draws_every_step(self) -> bool:
        """Whether each step draws replies and has them judged."""
        return self.method not in FROM_PAIRS

    @property
    def asks_the_judge(self) -> bool:
        """Whether replies are drawn and judged at all: at every step, or before the first."""
        return self.draws_every_step or (self.dpo if self.method == "dpo" else self.orpo).pairs == "judged"

    @property
    def kind(self) -> str:
        """Of the run."""
        return self.method.upper()

    @property
    def needs_a_writer(self) -> bool:
        """Whether it goes on from a writer that there is already."""
        return self.method != "orpo" or self.orpo.start == "parent"

    def without_effect(self) -> list[str]:
        """Settings that were changed although the method draws no replies, or has no use for them where it does."""
        if self.draws_every_step:
            return []
        if self.asks_the_judge:
            return [f"practice.{name}" for name in ("beta", "independent") if getattr(self, name) != _default(name)]
        drawn = [name for name in OnlineConfig.model_fields if name not in StepsConfig.model_fields] + ["preflight", "independent"]
        return [f"practice.{name}" for name in drawn if getattr(self, name) != _default(name)]

    @model_validator(mode="after")
    def _vllm_draws_for_this_method(self) -> PracticeConfig:
        if self.rollouts == "vllm" and self.method not in ("grpo", "rloo"):
            raise ValueError(f"rollouts=vllm goes with method grpo or rloo, and the method here is {self.method}")
        return self

    @model_validator(mode="after")
    def _of_this_method(self) -> PracticeConfig:
        methods: tuple[Method, ...] = Method.__args__  # type: ignore[attr-defined]
        for method in methods:
            if method != self.method and getattr(self, method) != _default(method):
                raise ValueError(
                    f"practice.{method} belongs to practice.method={method}, and the method here is {self.method}; "
                    f"what {self.method} has of its own stands in practice.{self.method}"
                )
        return self


def _default(name: str) -> Any:
    return PracticeConfig.model_fields[name].default
