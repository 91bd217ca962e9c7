"""A recipe: the whole persuasion journey as one YAML file, one section a stage."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import Field, create_model

from suasion.config import Config
from suasion.models.base import BaseConfig
from suasion.models.lora import LoraConfig
from suasion.models.rendering import RenderingConfig
from suasion.models.sampling import SamplingConfig
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

    def only(self, *sections: str) -> Config:
        """The part of the recipe a stage depends on, so that a change elsewhere does not make it run again. What was passed and what was
        defaulted stays told apart."""
        fields: dict[str, Any] = {name: (Recipe.model_fields[name].annotation, Recipe.model_fields[name].default) for name in sections}
        view: type[Config] = create_model("StageRecipe", __base__=Config, **fields)
        return view.model_validate({name: getattr(self, name) for name in sections if name in self.model_fields_set})
