"""A recipe: the whole persuasion journey as one YAML file, one section a stage."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import Field, create_model, field_validator, model_validator
from pydantic_core import PydanticCustomError

from suasion.config import Config
from suasion.models.base import BaseConfig
from suasion.models.lora import LoraConfig
from suasion.models.rendering import RenderingConfig
from suasion.models.sampling import SamplingConfig
from suasion.persuasion.arms import Changes, ComparisonConfig, changed, check_names, wrong_changes
from suasion.persuasion.judging.audit.settings import AuditConfig
from suasion.persuasion.judging.kinds import JudgeConfig
from suasion.persuasion.judging.llm import LlmConfig
from suasion.persuasion.mining.mine import SUBREDDIT
from suasion.persuasion.mining.pairs.settings import PairsConfig
from suasion.persuasion.practice.settings import PracticeConfig
from suasion.training.sft import SftConfig


class MineConfig(Config):
    """Where the debates come from."""

    sources: tuple[str, ...] = ()
    """Dump files or folders of them, ConvoKit's corpus, Tan et al.'s data; the word ``sample`` for the shipped debates. ``--data``
    replaces them."""
    form: Literal["dump", "convokit", "tan"] | None = None
    """Of the sources, where their content leaves it open."""
    subreddit: str | None = SUBREDDIT
    """Whose lines are wanted of a dump; ``null`` takes all. Lines that name none are taken."""


class EvaluateConfig(Config):
    """The writer against the base, on premises nobody was trained on."""

    premises: int = Field(100, ge=1)
    """At most so many; fewer where the test split has fewer."""
    samples: int = Field(1, ge=1)
    """Replies to each premise."""
    sampling: SamplingConfig = SamplingConfig()


class Recipe(Config):
    """Everything a journey is told. Every section may be left out."""

    name: str = "persuasion"
    description: str = ""
    seed: int = Field(0, ge=0)
    """Of every stage; the same recipe and seed give the same numbers."""
    processes: int = Field(1, ge=1)
    """That train together, started by ``torchrun``; training is refused in any other number. A step learns from so many times
    ``batch_size`` (in practice: ``premises_per_step``)."""
    base: BaseConfig = BaseConfig()
    lora: LoraConfig = LoraConfig()
    rendering: RenderingConfig = RenderingConfig()
    mine: MineConfig = MineConfig()
    pairs: PairsConfig = PairsConfig()
    sft: SftConfig = SftConfig()
    judge: JudgeConfig = JudgeConfig()
    audit: AuditConfig = AuditConfig()
    llm: LlmConfig = LlmConfig()
    """A language model behind a server as independent judge: audited under the name ``llm``, and asked for a second opinion in every
    evaluation once ``llm.server.model`` is set."""
    practice: PracticeConfig = PracticeConfig()
    evaluate: EvaluateConfig = EvaluateConfig()
    arms: dict[str, Changes] = Field(default_factory=dict)
    """The same journey several ways: name to what is different (``{grpo: {practice.method: grpo}}``), in the sections ``pairs``,
    ``judge``, ``audit`` and ``practice``. The ``pairs`` of an arm are those its judge learns from. With arms, the journey ends in their
    comparison instead of an evaluation."""
    arm_seeds: tuple[int, ...] = ()
    """Each arm practises once with each of these; by default once, with ``seed``. All before practice keeps ``seed`` and is shared."""
    comparison: ComparisonConfig = ComparisonConfig()

    @field_validator("arms")
    @classmethod
    def _named(cls, value: dict[str, Changes]) -> dict[str, Changes]:
        return check_names(value)

    @field_validator("arm_seeds")
    @classmethod
    def _distinct(cls, value: tuple[int, ...]) -> tuple[int, ...]:
        if len(set(value)) != len(value) or any(seed < 0 for seed in value):
            raise ValueError("seeds are whole numbers from 0, each named once")
        return value

    @model_validator(mode="after")
    def _arms_make_sense(self) -> Recipe:
        if wrong := wrong_changes(self):
            raise PydanticCustomError("told", "{lines}", {"lines": "\n".join(wrong)})
        return self

    def arm(self, name: str) -> Recipe:
        """The arm's whole recipe, without arms."""
        return changed(self, self.arms[name])

    def for_judge(self, name: str) -> Recipe:
        """The whole recipe of an independent judge, without arms."""
        return changed(self, self.comparison.independent[name])

    def only(self, *sections: str) -> Config:
        """The part of the recipe a stage depends on, so that a change elsewhere does not make it run again. What was passed and what was
        defaulted stays told apart."""
        fields: dict[str, Any] = {name: (Recipe.model_fields[name].annotation, Recipe.model_fields[name].default) for name in sections}
        view: type[Config] = create_model("StageRecipe", __base__=Config, **fields)
        return view.model_validate({name: getattr(self, name) for name in sections if name in self.model_fields_set})
