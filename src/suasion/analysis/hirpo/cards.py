"""Model card and dataset card, written from a run's record."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from suasion.analysis.hirpo.records import estimate, read_records
from suasion.config import parse_yaml, to_yaml
from suasion.runs.run import Run


def model_card(run: Run) -> str:
    """``README.md`` for the model, with the metadata that the hub reads."""
    base = run.manifest.arguments.all().get("base.model", "embedded")
    known = "HuggingFaceTB/SmolLM2-135M-Instruct" if base == "embedded" else str(base)
    head = {
        "base_model": known,
        "library_name": "peft" if (run.path / "adapter" / "adapter_model.safetensors").exists() else "transformers",
        "tags": ["argument-analysis", "argdown", "hirpo", "dpo", "suasion"],
        "pipeline_tag": "text-generation",
    }
    _, epochs = read_records(run.path)
    return "\n".join(
        [
            _front(head),
            f"# {run.name}",
            "",
            f"`{known}`, trained to analyse arguments formally by HIRPO with [suasion](https://pypi.org/project/suasion/): its",
            "answers were checked by a parser, a prover and coherence rules, paired in hindsight, and learned from, epoch by epoch.",
            "",
            "## Accuracy",
            "",
            "Share of valid answers on texts that were not trained on, with 95 % intervals.",
            "",
            *_accuracy_table(run.results.get("tasks", {})),
            "",
            "## What was kept",
            "",
            *_retention_lines(run.results.get("retention", {})),
            "",
            "## Training",
            "",
            f"- {run.results.get('epochs')} epochs, {run.results.get('steps')} steps; {run.results.get('epochs_given_up')} epochs given up",
            f"- pairs: {_pairs_told(epochs)}",
            f"- code: suasion {run.manifest.suasion}, commit {run.manifest.git.commit or 'unknown'}",
            "",
            "## Limits",
            "",
            "A valid answer is one that the checks accept: well formed, faithful to the text where that can be checked, deductively valid",
            "where formalised. Whether it is a *good* analysis nobody has judged. Outside of analysis the model may be worse than its",
            "base; the numbers above say how much was measured.",
            "",
            "<details><summary>Recipe</summary>",
            "",
            "```yaml",
            _recipe(run),
            "```",
            "",
            "</details>",
            "",
        ]
    )


def dataset_card(run: Run, licence_of_texts: str = "") -> str:
    """``README.md`` for the pairs."""
    _, epochs = read_records(run.path)
    total = sum(sum(of_entry.values()) for record in epochs for of_entry in record.get("mix", {}).values())
    head: dict[str, Any] = {
        "tags": ["preference", "dpo", "argument-analysis", "hirpo"],
        "task_categories": ["text-generation"],
        "configs": [{"config_name": "default", "data_files": [{"split": "train", "path": "epoch-*.jsonl"}]}],
    }
    kinds: dict[str, int] = {}
    for record in epochs:
        for of_entry in record.get("mix", {}).values():
            for kind, number in of_entry.items():
                kinds[kind] = kinds.get(kind, 0) + number
    return "\n".join(
        [
            _front(head),
            f"# Preference pairs of {run.name}",
            "",
            f"{total:,} pairs that a model was trained on, epoch by epoch: its own answers to problems of argument analysis, judged.",
            "Each row has `prompt`, `chosen` and `rejected` as lists of messages, and `kind`, `entry`, `task`, `key` and `codes` beside.",
            "",
            "| kind | pairs |",
            "|---|---|",
            *(f"| {kind} | {number:,} |" for kind, number in sorted(kinds.items())),
            "",
            "## Sources",
            "",
            "The prompts hold the texts that were analysed"
            + (f" ({licence_of_texts})." if licence_of_texts else "; their licences apply."),
            "Check them before you publish this data set.",
            "",
        ]
    )


def _front(head: Mapping[str, Any]) -> str:
    return f"---\n{to_yaml(head).rstrip()}\n---\n"


def _accuracy_table(tasks: Mapping[str, Any]) -> list[str]:
    lines = ["| task | base | start | end | paired difference | n |", "|---|---|---|---|---|---|"]
    for entry, found in tasks.items():
        cells = [_share(found[name]) if name in found else "–" for name in ("base", "start", "last", "gain")]
        lines.append(f"| {entry} | {' | '.join(cells)} | {found['last']['n']} |")
    return lines


def _share(found: Mapping[str, Any]) -> str:
    one = estimate(found)
    return f"{one.value:.0%} ({one.interval(percent=True)})"


def _retention_lines(retention: Mapping[str, Any]) -> list[str]:
    told = {
        "chat_loss_rise": "rise of the loss on the base's own general answers (nats a token)",
        "divergence": "divergence from the base (nats a token)",
        "instructions": "verifiable instructions kept",
        "instructions_base": "the same, of the base",
        "spilled": "general answers with a block that nobody asked for",
    }
    lines = []
    for name, meaning in told.items():
        if name in retention.get("last", {}):
            one = estimate(retention["last"][name])
            lines.append(f"- {meaning}: {one.value:.3g} ({one.interval()}, n = {one.n})")
    return lines


def _pairs_told(epochs: list[dict[str, Any]]) -> str:
    return ", ".join(f"{record.get('training', {}).get('pairs', 0)} in epoch {record['epoch']}" for record in epochs) or "none"


def _recipe(run: Run) -> str:
    return str(to_yaml(parse_yaml((run.path / "config.yaml").read_text(encoding="utf-8")))).rstrip()
