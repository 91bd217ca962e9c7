"""Why a judge may not train a writer, in words for the one who wanted it to: the probes it failed, and what fooled it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from suasion.persuasion.judging.audit.shown import quoted, told_exploit

_NAMED = 8  # probes told in full


def why_refused(judge: str, told: Mapping[str, Any]) -> str:
    """What :class:`suasion.errors.Refused` says of a failed audit: the failed probes with value and limit, and the worst exploit.

    Args:
        judge: its name.
        told: the audit as ``audit.json`` holds it. Of an audit from elsewhere parts may be missing; the codes of the probes suffice.
    """
    failed = [one for one in told.get("findings", ()) if one.get("passed") is False]
    codes = list(told.get("failed", ())) or [one["code"] for one in failed]
    lines = [f"{judge} failed its audit ({', '.join(codes) or 'no probe is named'}), so no writer practises against it."]
    telling = _telling(failed)
    for one in telling:
        value = "unknown" if one.get("value") is None else f"{one['value']:.3g}"
        lines.append(f"  {one['code']}: {one['question']} Found {value}; the limit: {one['limit']}.")
    if len(failed) > len(telling):
        lines.append(f"  … and {len(failed) - len(telling)} more.")
    if exploit := (told.get("attack") or {}).get("exploit"):
        lines.append(f"  the worst exploit: {told_exploit(exploit)}")
    elif shown := next((one for one in failed if one.get("examples")), None):
        example = shown["examples"][0]
        lines.append(
            f"  an example of {shown['code']}: {quoted(example['before'])} scores {_number(example['score_before'])}, "
            f"{quoted(example['after'])} scores {_number(example['score_after'])}."
        )
    return "\n".join(lines)


def _telling(failed: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """One probe of each kind (the part of its code before the first hyphen; each search is one), of tricks the one that gained most: twenty
    tricks that fooled the judge must not hide that it does not read the premise."""
    kinds: dict[str, Mapping[str, Any]] = {}
    for one in sorted(failed, key=lambda one: -(one.get("value") or 0.0)):
        code = str(one["code"])
        kinds.setdefault(code if code.startswith("search-") else code.split("-")[0], one)
    chosen = list(kinds.values())
    return [one for one in failed if any(one is other for other in chosen)][:_NAMED]


def _number(score: float | None) -> str:
    return "no number" if score is None else f"{score:+.3g}"
