"""The answers that were written to trip a verifier: those with a definite right verdict get it; what the page says of the others holds."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from suasion.analysis.logic.prover import Prover
from suasion.analysis.tasks import get_task
from suasion.analysis.verification.findings import Verdict
from suasion.analysis.verification.verify import verify

ROOT = Path(__file__).resolve().parents[3]
FOLDER = ROOT.parent / "shared" / "data" / "argdown-cases"
PAGE = ROOT / "docs" / "how-do-i-verify-an-answer.md"
MANIFEST = FOLDER / "manifest.json"
CASES = json.loads(MANIFEST.read_text(encoding="utf-8")) if MANIFEST.is_file() else []
pytestmark = pytest.mark.skipif(not CASES, reason="needs ../shared/data beside the repository")


@pytest.fixture(scope="module")
def prover() -> Iterator[Prover]:
    with Prover(workers=0) as prover:
        yield prover


def verdict_on(case: dict[str, str], prover: Prover) -> Verdict:
    answer, source = ((FOLDER / f"{case['id']}{ending}").read_bytes().decode() for ending in (".txt", ".src.txt"))
    return verify(get_task(case["task"]), source, [answer], prover=prover)[0]


@pytest.mark.parametrize("case", [case for case in CASES if case["right"] != "either"], ids=lambda case: case["id"])
def test_the_right_verdict(case: dict[str, str], prover: Prover) -> None:
    verdict = verdict_on(case, prover)
    assert verdict.name == case["right"], [finding.message for finding in verdict.findings]
    assert not any(finding.code == "check.failed" for finding in verdict.findings)


def test_every_open_case_is_on_the_page_with_what_is_done(prover: Prover) -> None:
    rows = dict(re.findall(r"^\| `([\w-]+)` \| [^|]+ \| (valid|invalid)[^|]* \|", PAGE.read_text(encoding="utf-8"), re.MULTILINE))
    assert rows == {case["id"]: verdict_on(case, prover).name for case in CASES if case["right"] == "either"}


def test_the_cases_are_all_there() -> None:
    assert len(CASES) >= 141 and {case["right"] for case in CASES} == {"valid", "invalid", "either"}
