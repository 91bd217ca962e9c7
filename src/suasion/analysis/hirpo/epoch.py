"""One epoch: generate, verify, pair, train, evaluate, once. Each step leaves its file, so an epoch that is killed goes on where it was.

In the epoch's folder: ``plan.json`` (what the curriculum chose), ``inputs.jsonl`` and ``answers.jsonl`` (answers with verdicts),
``pairs.jsonl``, ``adapter/`` (or ``model/``), ``evaluation.jsonl``, and last ``epoch.json``, the record. Its state is a function of the
recipe, the seed and these files alone.
"""

from __future__ import annotations

import shutil
import time
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from suasion.analysis.hirpo.assignments import choose as choose_texts
from suasion.analysis.hirpo.assignments import for_inputs, for_training, inputs_of
from suasion.analysis.hirpo.before import Before
from suasion.analysis.hirpo.curriculum import Accuracy, counts, update, weights
from suasion.analysis.hirpo.exercises import Exercises
from suasion.analysis.hirpo.learning import TRAINING_FILE, EpochPlace, folder_name, learn_from_pairs, learn_from_verdicts
from suasion.analysis.hirpo.measuring import Measured, measure_writer
from suasion.analysis.hirpo.pairs import PreferencePair, build, generator_for, kept, mix
from suasion.analysis.hirpo.pipeline import Verifier, generate_epoch, outcomes
from suasion.analysis.hirpo.records import RECORD_FILE
from suasion.analysis.hirpo.retention import passed_limits
from suasion.analysis.hirpo.rowlog import RowLog, rows
from suasion.analysis.hirpo.stage import Journey
from suasion.analysis.hirpo.store import Store
from suasion.analysis.hirpo.tries import Assignment, Outcome
from suasion.analysis.hirpo.verifier_grpo import REWARDS_FILE
from suasion.analysis.hirpo.writer import Writer, is_saved
from suasion.files import jsonable, read_json, write_json
from suasion.models.chat.engine import ChatEngine
from suasion.progress import say
from suasion.runs.run import Run

PLAN_FILE, PAIRS_FILE = "plan.json", "pairs.jsonl"


@dataclass(frozen=True)
class State:
    """What one epoch hands to the next.

    Attributes:
        writer: the model to go on from.
        accuracies: what is known of each entry.
        steps: of training so far.
        falls: epochs in a row whose weights were given up.
        stopped: why the run is at its end, if it is before its last epoch.
    """

    writer: Writer
    accuracies: dict[str, Accuracy] = field(default_factory=dict)
    steps: int = 0
    falls: int = 0
    stopped: str = ""


@dataclass(frozen=True)
class Work:
    """What all epochs of a run share."""

    journey: Journey
    run: Run
    exercises: Exercises
    before: Before
    verifier: Verifier
    tests: Sequence[Assignment]
    """The evaluation's problems."""

    def after(self, epoch: int) -> Path:
        """Where the weights of an epoch go."""
        return self.run.path / folder_name(epoch) / ("adapter" if self.journey.config.training.weights == "lora" else "model")


def run_epoch(work: Work, number: int, state: State) -> State:
    """Do an epoch, or what is left of it; return the state after it."""
    folder = work.run.path / folder_name(number)
    folder.mkdir(exist_ok=True)
    record_file = folder / RECORD_FILE
    if record_file.is_file():
        return _state_after(work, number, state, read_json(record_file))
    config = work.journey.config
    began = time.monotonic()
    seconds: dict[str, float] = {}
    plan = _plan(work, number, state, folder)
    place = EpochPlace(work.run, number, state.steps)
    target = work.after(number)
    seed = config.seed * 1000 + number
    record: dict[str, Any] = {"epoch": number, "plan": plan}
    if config.training.trainer == "dpo":
        pairs, found = _pairs(work, number, state, plan, folder, seed)
        record |= found
        seconds["generation and verification"] = time.monotonic() - began
        trained = Writer(work.journey.base, config.training.weights, target) if is_saved(target) else state.writer
        if not is_saved(target) and pairs:
            trained = learn_from_pairs(work.journey, state.writer, pairs, work.before.rehearsed, place, target)
        elif not pairs:
            say(f"HIRPO {number}: no pair came out, so nothing is learned in this epoch")
        accuracies = {
            entry: update(state.accuracies.get(entry, Accuracy()), record["shares"].get(entry, []), config.curriculum)
            for entry in config.tasks
        }
    else:
        assignments = for_training(config, _chosen(work, plan, seed), _inputs(work, number, state, plan, folder, seed), str(seed))
        if is_saved(target):
            trained = Writer(work.journey.base, "lora", target)
        else:
            trained = learn_from_verdicts(work.journey, state.writer, assignments, work.verifier, work.before.rehearsed, place, target)
        record["shares"] = _rewarded(folder)
        accuracies = {
            entry: update(state.accuracies.get(entry, Accuracy()), record["shares"].get(entry, []), config.curriculum)
            for entry in config.tasks
        }
    if is_saved(target):
        record["training"] = read_json(folder / TRAINING_FILE)
    seconds["training"] = time.monotonic() - began - sum(seconds.values())
    record["loss"] = _losses(work.run, number)
    with work.journey.serve(trained) as engine:
        measured = measure_writer(work.journey, trained, engine, work.tests, work.verifier, work.before, folder, f"HIRPO {number}")
    seconds["evaluation"] = time.monotonic() - began - sum(seconds.values())
    record |= _judged(work, measured, state)
    record |= {
        "accuracies": {entry: one.as_dict() for entry, one in accuracies.items()},
        "steps": _steps(work.run, number, state.steps),
        "seconds": seconds,
    }
    write_json(record_file, jsonable(record))
    shutil.rmtree(place.checkpoints, ignore_errors=True)
    return _state_after(work, number, state, read_json(record_file))


def _plan(work: Work, number: int, state: State, folder: Path) -> dict[str, Any]:
    """The curriculum's choice, kept as it was made."""
    file = folder / PLAN_FILE
    if not file.is_file():
        config = work.journey.config
        shares = weights(config.prerequisites, config.floors, state.accuracies, config.curriculum)
        chance = np.random.default_rng([config.seed, number])
        write_json(file, {"weights": shares, "counts": counts(shares, config.curriculum.problems_per_epoch, chance)})
    return dict(read_json(file))


def _chosen(work: Work, plan: dict[str, Any], seed: int) -> list[Any]:
    return choose_texts(work.journey.config, work.exercises, plan["counts"], "training", str(seed))


def _inputs(
    work: Work, number: int, state: State, plan: dict[str, Any], folder: Path, seed: int, engine: ChatEngine | None = None
) -> dict[str, tuple[str, bool]]:
    """What the sequential tasks of the epoch start from, made by the model itself."""
    wanted = for_inputs(work.journey.config, _chosen(work, plan, seed), str(seed))
    if not wanted:
        return {}
    if engine is None:
        with work.journey.serve(state.writer) as own:
            return _inputs(work, number, state, plan, folder, seed, own)
    with Store(folder / "inputs.jsonl") as store:
        generate_epoch(engine, wanted, store, work.verifier, seed=seed, label=f"HIRPO {number}: inputs")
        return inputs_of(outcomes(store, wanted, seed=seed))


def _pairs(
    work: Work, number: int, state: State, plan: dict[str, Any], folder: Path, seed: int
) -> tuple[list[PreferencePair], dict[str, Any]]:
    """The epoch's pairs and what came before them."""
    config = work.journey.config
    file, told = folder / PAIRS_FILE, folder / "generation.json"
    if not (file.is_file() and told.is_file()):
        with work.journey.serve(state.writer) as engine, Store(folder / "answers.jsonl") as store:
            inputs = _inputs(work, number, state, plan, folder, seed, engine)
            chosen = _chosen(work, plan, seed)
            assignments = for_training(config, chosen, inputs, str(seed))
            label = f"HIRPO {number}: answers"
            tally = generate_epoch(engine, assignments, store, work.verifier, seed=seed, label=label)
            shares: dict[str, list[float]] = {}
            labels = _build(config, outcomes(store, assignments, seed=seed), file.with_suffix(".all"), seed, shares)
        _cap(file, labels, kept(labels, config.pairs, np.random.default_rng([seed, 1])))
        counted = {name: value for name, value in asdict(tally).items() if name not in ("asked", "kept")}
        write_json(told, {"tally": counted, "without_input": len(chosen) - len(assignments), "made": mix(labels), "shares": shares})
    pairs = [PreferencePair.from_row(row) for _, row in rows(file)]
    return pairs, read_json(told) | {"mix": mix([pair.label for pair in pairs])}


def _build(config: Any, found: Iterable[Outcome], file: Path, seed: int, shares: dict[str, list[float]]) -> list[tuple[str, Any]]:
    """Write every pair to ``file``, one outcome in memory at a time; return their labels, and in ``shares`` how well each problem went."""
    file.unlink(missing_ok=True)
    labels = []
    with RowLog(file) as log:
        for outcome in found:
            entry = outcome.assignment.entry
            decided = [one for one in outcome.tries if one.verdict is not None and one.verdict.name != "undecided"]
            if decided:
                valid = sum(one.verdict is not None and one.verdict.name == "valid" for one in decided)
                shares.setdefault(entry, []).append(valid / len(decided))
            chance = generator_for(seed, outcome.assignment.key)
            for pair in build(outcome, config.virtues_of(entry), config.tasks[entry].ask_for_invalid, chance):
                log.append(pair.as_row())
                labels.append(pair.label)
    return labels


def _cap(file: Path, labels: Sequence[Any], places: Sequence[int]) -> None:
    """Of all pairs those in ``places``, under the final name."""
    everything, partial = file.with_suffix(".all"), file.with_suffix(".partial")
    partial.unlink(missing_ok=True)
    wanted = set(places)
    with RowLog(partial) as log:
        for place, (_, row) in enumerate(rows(everything)):
            if place in wanted:
                log.append(row)
    partial.replace(file)
    everything.unlink()


def _rewarded(folder: Path) -> dict[str, list[float]]:
    """From the rewards of GRPO's steps, where a resumed training logged a step again the later ones: each problem's share of valid answers
    among the decided, by entry."""
    steps = {row["step"]: row for _, row in rows(folder / REWARDS_FILE)}
    problems: dict[str, list[str]] = {}
    for step in sorted(steps):
        for key, name in zip(steps[step]["keys"], steps[step]["verdicts"], strict=True):
            problems.setdefault(key, []).append(name)
    shares: dict[str, list[float]] = {}
    for key, names in problems.items():
        decided = [name for name in names if name != "undecided"]
        if decided:
            shares.setdefault(key.rpartition("/")[0], []).append(decided.count("valid") / len(decided))
    return shares


def _judged(work: Work, measured: Measured, state: State) -> dict[str, Any]:
    """What was measured, and what follows from the limits."""
    config = work.journey.config
    found: dict[str, Any] = measured.as_dict()
    fallen = passed_limits(measured.retained, config.retention.limits)
    found["fallen"] = fallen
    found["given_up"] = bool(fallen) and config.retention.on_fall != "warn"
    if fallen:
        say(f"HIRPO: WARNING: retention has fallen under its limit: {'; '.join(fallen)}")
    return found


def _state_after(work: Work, number: int, state: State, record: dict[str, Any]) -> State:
    config = work.journey.config
    accuracies = {entry: Accuracy.from_dict(one) for entry, one in record["accuracies"].items()}
    after = replace(state, accuracies=accuracies, steps=record["steps"])
    if not record["given_up"]:
        target = work.after(number)
        writer = Writer(work.journey.base, config.training.weights, target) if is_saved(target) else state.writer
        return replace(after, writer=writer, falls=0)
    after = replace(after, falls=state.falls + 1)
    if config.retention.on_fall == "stop":
        return replace(after, stopped=f"retention fell under its limit in epoch {number}: {record['fallen'][0]}")
    if after.falls > 1:
        return replace(after, stopped=f"retention fell under its limit in epochs {number - 1} and {number}: {record['fallen'][0]}")
    return after


def _losses(run: Run, epoch: int) -> dict[str, float]:
    """The first and the last loss of an epoch, without what is rehearsed."""
    found = [row.get("own_loss", row.get("loss")) for row in run.metrics() if row.get("epoch") == epoch]
    values = [value for value in found if isinstance(value, float)]
    return {"first": values[0], "last": values[-1]} if values else {}


def _steps(run: Run, epoch: int, before: int) -> int:
    """The steps of the run after an epoch, whose training began at ``before``."""
    return max((row["step"] for row in run.metrics() if row.get("epoch") == epoch), default=before)
