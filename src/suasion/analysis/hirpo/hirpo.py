"""HIRPO: from a base to a model that has learned from verifiers. The base's answers, the warm start, the epochs; one run each.

The method is that of the published HIRPO run (hindsight instruction relabelling preference optimisation); what is done otherwise, and
why, is told in ``docs/how-do-i-train-on-verifiers.md``.
"""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

from suasion.analysis.hirpo.assignments import for_evaluation
from suasion.analysis.hirpo.before import Before, before_run, read_before
from suasion.analysis.hirpo.epoch import State, Work, run_epoch
from suasion.analysis.hirpo.evaluation import against
from suasion.analysis.hirpo.exercises import Exercises, read_exercises
from suasion.analysis.hirpo.hub import push, write_cards
from suasion.analysis.hirpo.judges import judges
from suasion.analysis.hirpo.measuring import evaluate_writer, measure_writer
from suasion.analysis.hirpo.records import START_FILE, read_records
from suasion.analysis.hirpo.report import write_hirpo_report
from suasion.analysis.hirpo.stage import Journey, Part, perform
from suasion.analysis.hirpo.warm_start import WarmStartConfig, worked_examples
from suasion.analysis.hirpo.writer import Writer, fresh, memory_freed, save
from suasion.analysis.tasks.prompts import problem_prompt
from suasion.config import Config
from suasion.files import append_jsonl, jsonable, sha256_json, write_json
from suasion.progress import say
from suasion.runs.run import Run
from suasion.training.chat_sft import train_chat_sft
from suasion.training.chats import Chat

KIND = "HIRPO"


def run_hirpo(journey: Journey) -> Run:
    """The whole of it. Parts that are done and unchanged are skipped, killed ones go on where they were.

    Returns:
        The run of kind HIRPO; the learned adapter lies in ``adapter/``.
    """
    config = journey.config
    exercises = read_exercises(config.used_profiles, journey.texts, config.seed)
    for line in exercises.describe():
        say(f"HIRPO: {line}")
    told = {"exercises": _digest(exercises)}
    rehearsal = before_run(journey)
    before = read_before(rehearsal, config)
    parents = {"rehearsal": rehearsal}
    warm = _warm_start(journey, exercises, before, dict(parents), told) if config.warm_start.examples else None
    if warm is not None:
        parents["warm_start"] = warm

    def work(run: Run) -> None:
        start = _start(journey, run, warm)
        with judges(config.engine) as pool:
            tests = for_evaluation(config, exercises, str(config.seed))
            shared = Work(journey, run, exercises, before, pool, tests)
            _measure_the_start(shared, start)
            state = State(start)
            for number in range(1, config.epochs + 1):
                state = run_epoch(shared, number, state)
                if state.stopped:
                    say(f"HIRPO: stopped after epoch {number}: {state.stopped}")
                    break
        _keep(state.writer, run.path / "adapter")
        run.results = _results(run, state)
        write_hirpo_report(run, config)
        write_cards(run)
        if config.hub.push:
            push(run, config.hub)

    return perform(journey, Part(KIND, _that_matters(config), parents, told), work, journey.out)


def _warm_start(journey: Journey, exercises: Exercises, before: Before, parents: dict[str, Run], inputs: dict[str, str]) -> Run:
    """Imitation of worked examples, in a run of kind WarmStart; ``examples.jsonl`` keeps them."""
    config = journey.config
    own: WarmStartConfig = config.warm_start
    weights = config.training.weights
    entries = [(name, config.task_of(name), entry.exercises) for name, entry in config.tasks.items()]

    def work(run: Run) -> None:
        examples = worked_examples(entries, exercises, own.examples, config.seed)
        (run.path / "examples.jsonl").unlink(missing_ok=True)  # of an attempt that was killed
        chats = []
        for number, one in enumerate(examples):
            task = next(task for _, task, _ in entries if task.name == one.task)
            style = _style(config, number)
            prompt = problem_prompt(task, one.problem, style)
            append_jsonl(run.path / "examples.jsonl", {"task": one.task, "prompt": prompt, "answer": one.answer})
            chats.append(Chat([{"role": "user", "content": prompt}], one.answer))
        general = before.rehearsed
        number = round(own.rehearsal * len(chats)) if general else 0
        mixed = [*chats, *(general[index % len(general)] for index in range(number))]
        with memory_freed():
            start = fresh(journey.base, weights, config.lora, run.path / "fresh", config.seed)
            model, _ = start.to_learn()
            run.results = dict(
                train_chat_sft(model, journey.base, journey.renderer, mixed, own, config.training.max_length, run, config.seed, "WarmStart")
            )
            save(model, journey.base, weights, run.path / "adapter")
            del model
        shutil.rmtree(run.path / "fresh", ignore_errors=True)
        run.results |= {"worked_examples": len(chats), "general_chats": number}

    matters = config.model_dump(mode="json", include={"seed", "base", "lora", "styles", "warm_start"}) | {
        "tasks": {name: {"task": task.name, "exercises": list(profiles)} for name, task, profiles in entries},
        "weights": weights,
        "max_length": config.training.max_length,
    }
    return perform(journey, Part("WarmStart", matters, parents, inputs), work)


def _start(journey: Journey, run: Run, warm: Run | None) -> Writer:
    weights = journey.config.training.weights
    if warm is not None:
        return Writer(journey.base, weights, warm.path / "adapter")
    return fresh(journey.base, weights, journey.config.lora, run.path / "start", journey.config.seed)


def _measure_the_start(work: Work, start: Writer) -> None:
    """Accuracy of the untouched base and of the start, and the start's retention."""
    journey, file = work.journey, work.run.path / START_FILE
    if file.is_file():
        return
    found: dict[str, Any] = {}
    if "warm_start" in work.run.manifest.parents:
        base = Writer(journey.base, "full", None)
        with journey.serve(base) as engine:
            folder = work.run.path / "base"
            folder.mkdir(exist_ok=True)
            tasks = evaluate_writer(journey, engine, work.tests, work.verifier, folder, "HIRPO base")
            found["base"] = {"evaluation": {entry: one.as_dict() for entry, one in tasks.items()}}
    folder = work.run.path / "epoch-000"
    folder.mkdir(exist_ok=True)
    with journey.serve(start) as engine:
        measured = measure_writer(journey, start, engine, work.tests, work.verifier, work.before, folder, "HIRPO start")
    write_json(file, jsonable(found | {"start": measured.as_dict()}))


def _results(run: Run, state: State) -> dict[str, Any]:
    """The outcome in a few numbers: each entry's accuracy at the start and at the end, the difference, and what was retained."""
    start, epochs = read_records(run.path)
    kept = [record for record in epochs if not record["given_up"]]
    last = kept[-1] if kept else {"epoch": 0, **start["start"]}
    results: dict[str, Any] = {"epochs": len(epochs), "epochs_given_up": len(epochs) - len(kept), "steps": state.steps}
    if state.stopped:
        results["stopped"] = state.stopped
    tasks = {}
    for entry, found in last["evaluation"].items():
        before = start["start"]["evaluation"][entry]
        tasks[entry] = {
            "start": before["accuracy"],
            "last": found["accuracy"],
            "gain": against(found["shares"], before["shares"], 0).as_dict(),
        }
        if "base" in start:
            tasks[entry]["base"] = start["base"]["evaluation"][entry]["accuracy"]
        results[f"accuracy_{entry}"] = found["accuracy"]["value"]
        results[f"gain_{entry}"] = tasks[entry]["gain"]["value"]
    results["tasks"] = tasks
    results["retention"] = {"start": start["start"]["retention"], "last": last["retention"]}
    for name in ("chat_loss_rise", "divergence", "instructions", "spilled"):
        results[f"retention_{name}"] = last["retention"][name]["value"]
    return results


def _keep(writer: Writer, folder: Path) -> None:
    """The last writer under the run's own name."""
    if folder.exists() or writer.folder is None:
        return
    partial = folder.with_name(".keeping.000000000000.tmp")
    shutil.rmtree(partial, ignore_errors=True)
    shutil.copytree(writer.folder, partial)
    partial.rename(folder)


def _style(config: Any, number: int) -> str:
    from suasion.analysis.hirpo.assignments import style_of

    return style_of(config, f"{config.seed} example {number}")


def _that_matters(config: Config) -> dict[str, Any]:
    """Everything but what changes no number: names, and where the outcome goes."""
    return config.model_dump(mode="json", exclude={"name", "description", "hub"})


def _digest(exercises: Exercises) -> str:
    return sha256_json([one.id for place in sorted(exercises.by) for one in exercises.by[place]])
