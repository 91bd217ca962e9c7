"""A task for lm-evaluation-harness (0.4, https://github.com/EleutherAI/lm-evaluation-harness), for ``simple_evaluate(tasks=[…])``."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from datasets import Dataset
from lm_eval.api.task import ConfigurableTask

from suasion.analysis.service.exports.problems import judge_one, read_problems, row_of
from suasion.analysis.tasks import get_task
from suasion.analysis.tasks.prompts import problem_prompt

_LONGEST = 4096  # tokens of an answer


def make_task(task_name: str, problems: Path | str, style: str = "plain") -> Any:
    """The harness's task ``suasion_<task_name>`` on the problems of a JSONL file (``source``, ``reference``).

    Metrics, each a mean: ``valid`` over the answers with a verdict, ``undecided`` over all.

    Raises:
        SuasionError: there is no such task or style, or the file is not as it should be.
    """
    task = get_task(task_name)
    rows = [
        {"prompt": problem_prompt(task, problem, style), "source": problem.source, "reference": problem.reference}
        for problem in read_problems(task, Path(problems))
    ]

    def process_results(doc: dict[str, str], results: list[str]) -> dict[str, float]:
        verdict = judge_one(row_of(task, doc["source"], results[0], doc["reference"]))
        undecided = verdict.name == "undecided"
        return {"undecided": float(undecided)} | ({} if undecided else {"valid": float(verdict.name == "valid")})

    metrics = [
        {"metric": "valid", "aggregation": "mean", "higher_is_better": True},
        {"metric": "undecided", "aggregation": "mean", "higher_is_better": False},
    ]
    config = {
        "task": f"suasion_{task.name}",
        "custom_dataset": lambda **_: {"test": Dataset.from_list(rows)},
        "test_split": "test",
        "doc_to_text": "{{prompt}}",
        "doc_to_target": "",
        "process_results": process_results,
        "output_type": "generate_until",
        "generation_kwargs": {"until": [], "max_gen_toks": _LONGEST, "do_sample": False},
        "metric_list": metrics,
        "num_fewshot": 0,
        "metadata": {"version": 1.0},
    }
    return ConfigurableTask(config=config)
