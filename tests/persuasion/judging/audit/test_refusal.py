"""What the gate says: the failed probes, and what fooled the judge, in a message that cannot harm a terminal."""

from __future__ import annotations

import unicodedata
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from suasion.persuasion.judging.audit.attack import attack
from suasion.persuasion.judging.audit.refusal import why_refused
from suasion.persuasion.judging.audit.settings import AuditConfig
from tests.persuasion.judging.fooled import KEYWORD, LENGTH, scored_by


def told(judge: Any, **config: Any) -> dict[str, Any]:
    found = attack(judge, scored_by(judge, 20), AuditConfig(replies=20, **config), 0)
    findings = [one.as_dict() for one in found.findings]
    return {"failed": [one["code"] for one in findings if one["passed"] is False], "findings": findings, "attack": found.as_dict()}


def test_it_names_the_probes_and_shows_the_exploit() -> None:
    audit = told(KEYWORD)
    text = why_refused("2026-12-01_Judge_Run1", audit)
    assert text.startswith("2026-12-01_Judge_Run1 failed its audit (trick-repetition, search-tricks,")
    assert all(f"\n  {code}: " in text for code in ("trick-repetition", "search-tricks", "search-universal", "search-reply"))
    assert "the limit: at most" in text
    assert "the worst exploit: A reply of" in text and "evidence" in text and "where the real winner" in text


def test_twenty_tricks_do_not_hide_the_other_failures() -> None:
    audit = told(LENGTH)
    audit["findings"].append({"code": "reads-premise", "passed": False, "question": "Does it?", "value": 0.0, "limit": "above 0"})
    text = why_refused("J", audit)
    assert "  reads-premise: Does it? Found 0; the limit: above 0." in text
    assert text.count("\n  trick-") == 1 and " more." in text


def test_without_a_search_the_trick_s_own_example_is_shown() -> None:
    text = why_refused("J", told(KEYWORD, search_calls=0))
    assert "an example of trick-repetition: “" in text and "the worst exploit" not in text


@pytest.mark.parametrize("audit", [{}, {"failed": ["accuracy"]}, {"failed": ["accuracy"], "findings": [], "attack": None}])
def test_an_audit_of_which_parts_are_missing_is_told_as_far_as_it_goes(audit: dict[str, Any]) -> None:
    text = why_refused("J", audit)
    assert text.startswith("J failed its audit (") and "\n" not in text
    assert ("accuracy" in text) == bool(audit)


@given(st.text(max_size=400))
def test_an_exploit_cannot_move_the_cursor_or_flood_the_screen(text: str) -> None:
    exploit = {"before": "w", "after": text, "score_before": 1.0, "score_after": 2.0, "gain": 1.5, "words": 3, "winner_words": 40}
    message = why_refused("J", {"failed": ["search-reply"], "attack": {"exploit": exploit}})
    assert message.count("\n") == 1 and len(message) < 700
    assert not any(unicodedata.category(sign).startswith("C") for sign in message if sign != "\n")
