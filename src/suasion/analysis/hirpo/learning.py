"""The training of one epoch: from pairs by DPO, or by GRPO on the verifiers' verdicts, with rehearsal beside either."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from suasion.analysis.hirpo.pairs import PreferencePair
from suasion.analysis.hirpo.pipeline import Verifier
from suasion.analysis.hirpo.rehearsal import read_pairs, rehearsal
from suasion.analysis.hirpo.stage import Journey
from suasion.analysis.hirpo.tries import Assignment
from suasion.analysis.hirpo.verifier_grpo import train_verifier_grpo
from suasion.analysis.hirpo.writer import Writer, memory_freed, save
from suasion.files import write_json
from suasion.runs.run import Run
from suasion.training.chat_dpo import train_chat_dpo
from suasion.training.chats import Chat, ChatPair

TRAINING_FILE = "training.json"


@dataclass(frozen=True)
class EpochPlace:
    """Where an epoch's training keeps what it writes, within the run: its steps are counted on from those of the epochs before."""

    run: Run
    epoch: int
    before: int
    """Steps of the epochs before."""

    @property
    def path(self) -> Path:
        """The epoch's folder."""
        return self.run.path / folder_name(self.epoch)

    @property
    def checkpoints(self) -> Path:
        """The epoch's own."""
        return self.run.checkpoints / folder_name(self.epoch)

    def log(self, step: int, **numbers: Any) -> None:
        """Into the run's metrics, under the step of the whole run."""
        self.run.log(self.before + step, epoch=self.epoch, **numbers)


def folder_name(epoch: int) -> str:
    """``epoch-001``."""
    return f"epoch-{epoch:03}"


def learn_from_pairs(
    journey: Journey, writer: Writer, pairs: Sequence[PreferencePair], chats: Sequence[Chat], place: EpochPlace, folder: Path
) -> Writer:
    """DPO from ``writer`` on; the reference is ``writer`` itself, the model that wrote the answers. What became of the pairs stands in
    ``training.json``, which is written before the weights.

    Args:
        chats: to rehearse.
        folder: for what comes out.

    Raises:
        SuasionError: no pair fits.
    """
    config = journey.config
    training, seed = config.training, config.seed * 1000 + place.epoch
    learned = [ChatPair(pair.as_row()["prompt"], pair.chosen, pair.rejected) for pair in pairs]
    if config.rehearsal.form == "pairs" and config.rehearsal.share and config.rehearsal.source:
        own = read_pairs(config.rehearsal.source)
        number = round(config.rehearsal.share * len(learned))
        learned += [own[(place.epoch * number + index) % len(own)] for index in range(number)]
    rehearsed = rehearsal(config.rehearsal, journey.renderer, _turned(chats, place.epoch), training.max_length)
    with memory_freed():
        model, reference = writer.to_learn()
        results = train_chat_dpo(
            model,
            reference,
            journey.base,
            journey.renderer,
            learned,
            training,
            training.dpo,
            rehearsed,
            training.max_length,
            place,
            seed,
            f"HIRPO {place.epoch}: training",
        )
        write_json(place.path / TRAINING_FILE, results | {"rehearsed_chats": len(rehearsed.rows)})
        after = save(model, journey.base, training.weights, folder)
        del model, reference
    return after


def learn_from_verdicts(
    journey: Journey,
    writer: Writer,
    assignments: Sequence[Assignment],
    verifier: Verifier,
    chats: Sequence[Chat],
    place: EpochPlace,
    folder: Path,
) -> Writer:
    """GRPO from ``writer`` on, on the problems that the curriculum chose. Arguments and errors as :func:`learn_from_pairs`."""
    config = journey.config
    rehearsed = rehearsal(config.rehearsal, journey.renderer, _turned(chats, place.epoch), config.training.max_length)
    with memory_freed():
        model, results = train_verifier_grpo(journey, writer, assignments, verifier, rehearsed, place)
        write_json(place.path / TRAINING_FILE, results | {"rehearsed_chats": len(rehearsed.rows)})
        after = save(model, journey.base, "lora", folder)
        del model
    return after


def _turned(chats: Sequence[Chat], epoch: int) -> list[Chat]:
    """Each epoch begins with other chats, so that all get their turn."""
    if not chats:
        return []
    start = (epoch * 61) % len(chats)
    return [*chats[start:], *chats[:start]]
