"""A HIRPO recipe: everything that a run is told, as one YAML file."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from pydantic import Field, model_validator

from suasion.analysis.hirpo.curriculum import CurriculumConfig, check_floors, check_prerequisites
from suasion.analysis.hirpo.engine import EngineConfig
from suasion.analysis.hirpo.entries import DefaultsConfig, TaskConfig, Use, task_named, virtues_named
from suasion.analysis.hirpo.exercises.settings import ProfileConfig
from suasion.analysis.hirpo.hub_settings import HubConfig
from suasion.analysis.hirpo.names import nearest
from suasion.analysis.hirpo.pairs.caps import PairsConfig
from suasion.analysis.hirpo.rehearsal import RehearsalConfig
from suasion.analysis.hirpo.retention import RetentionConfig
from suasion.analysis.hirpo.training import TrainingConfig
from suasion.analysis.hirpo.warm_start import WarmStartConfig
from suasion.analysis.tasks import Task, Virtue
from suasion.analysis.tasks.prompts import check_style
from suasion.config import Config
from suasion.errors import SuasionError
from suasion.models.base import BaseConfig
from suasion.models.chat.engine import ChatSampling
from suasion.models.lora import LoraConfig


class EvaluationConfig(Config):
    """What is measured after each epoch, on texts that nothing is learned from."""

    problems: int = Field(16, ge=1)
    """Of each entry; fewer where its profiles have fewer texts."""
    n_solutions: int = Field(1, ge=1)
    """Answers to a problem."""


class HirpoConfig(Config):
    """The whole recipe."""

    name: str = "hirpo"
    description: str = ""
    seed: int = Field(0, ge=0)
    """The same recipe and seed give the same numbers."""
    epochs: int = Field(10, ge=1)
    """Each generates, verifies, pairs, trains and evaluates once."""
    base: BaseConfig = BaseConfig()
    lora: LoraConfig = LoraConfig()
    profiles: dict[str, ProfileConfig] = Field(min_length=1)
    """Sorts of exercises, by name."""
    defaults: DefaultsConfig = DefaultsConfig()
    tasks: dict[str, TaskConfig] = Field(min_length=1)
    """What is learned, by name of the entry. A name that ends in ``-l`` is the same task on longer texts."""
    curriculum: CurriculumConfig = CurriculumConfig()
    pairs: PairsConfig = PairsConfig()
    evaluation: EvaluationConfig = EvaluationConfig()
    styles: tuple[str, ...] = ()
    """Styles that prompts are written in, by lot; empty: all. ``plain`` is the shortest that tells the rules; ``bare`` leaves them to
    practice and has a third of its tokens, for small models after a warm start."""
    engine: EngineConfig = EngineConfig()
    warm_start: WarmStartConfig = WarmStartConfig()
    training: TrainingConfig = TrainingConfig()
    rehearsal: RehearsalConfig = RehearsalConfig()
    retention: RetentionConfig = RetentionConfig()
    hub: HubConfig = HubConfig()

    @property
    def prerequisites(self) -> dict[str, tuple[str, ...]]:
        """What must be mastered before each entry, for the curriculum."""
        return {name: entry.dependencies for name, entry in self.tasks.items()}

    @property
    def floors(self) -> dict[str, float]:
        """The least share of each entry, for the curriculum."""
        return {name: entry.floor_weight for name, entry in self.tasks.items()}

    @property
    def used_profiles(self) -> Mapping[str, ProfileConfig]:
        """The profiles that an entry needs, in their order."""
        used = {profile for entry in self.tasks.values() for profile in entry.exercises}
        return {name: profile for name, profile in self.profiles.items() if name in used}

    def task_of(self, entry: str) -> Task:
        """The task of an entry."""
        return task_named(entry, self.tasks[entry])

    def virtues_of(self, entry: str) -> tuple[Virtue, ...]:
        """What valid answers of an entry are compared by."""
        return virtues_named(self.task_of(entry), self.tasks[entry].virtues)

    def sampling_of(self, entry: str, use: Use) -> ChatSampling:
        """How something is drawn for an entry."""
        own = self.tasks[entry].own(use)
        everybody: ChatSampling = getattr(self.defaults, use)
        return own or everybody

    @model_validator(mode="after")
    def _fits_together(self) -> HirpoConfig:
        wrong = list(self._mistakes())
        if wrong:
            raise ValueError("; ".join(wrong))
        return self

    def _mistakes(self) -> Iterator[str]:
        for name, entry in self.tasks.items():
            for profile in entry.exercises:
                if profile not in self.profiles:
                    yield f"tasks.{name}: there is no profile {profile!r}{nearest(profile, self.profiles)}"
            try:
                self.virtues_of(name)
            except SuasionError as error:
                yield f"tasks.{name}: {_in_a_line(error)}"
        for style in self.styles:
            try:
                check_style(style)
            except SuasionError as error:
                yield f"styles: {_in_a_line(error)}"
        try:
            check_prerequisites(self.prerequisites)
            check_floors(self.tasks, self.floors, self.curriculum)
        except SuasionError as error:
            yield _in_a_line(error)


def _in_a_line(error: SuasionError) -> str:
    return " ".join(part for part in (error.what, error.hint) if part)
