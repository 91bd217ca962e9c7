"""Outcomes of any shape, for hypothesis: real maps as texts, verdicts as drawn; and what it means that a pair is right."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from hypothesis import strategies as st

from suasion.analysis.hirpo.pairs import PreferencePair
from suasion.analysis.hirpo.tries import (
    Assignment,
    Criticised,
    Critique,
    Feedback,
    Outcome,
    Try,
    answer_chat,
    feedback_chat,
    revision_chat,
)
from suasion.analysis.tasks import Problem, get_task
from suasion.analysis.tasks.prompts import MOST_FINDINGS, problem_prompt
from suasion.analysis.verification.findings import Finding, Verdict
from suasion.models.chat.engine import ChatSampling

TASK = get_task("argmap")
SAMPLING = ChatSampling(temperature=1.0)
PROBLEM = Problem("Cars make the air unhealthy. Shops will lose customers.")
CODES = ("map.unlabelled-claim", "map.duplicate-label", "map.syntax", "map.missing", "map.no-relation", "answer.too-long")


def assignment(n: int = 4, entry: str = "argmap", key: str = "argmap/0001") -> Assignment:
    """One problem of the task argmap."""
    critique = Critique(3, 2, SAMPLING, SAMPLING, most=n)
    return Assignment(key, entry, "argmap", PROBLEM, problem_prompt(TASK, PROBLEM), n, SAMPLING, critique)


def verdict(*codes: str, undecided: Sequence[str] = ()) -> Verdict:
    """Valid without codes."""
    findings = [Finding(code, f"{code} number {number} is wrong.") for number, code in enumerate(codes)]
    return Verdict((*findings, *(Finding(code, f"{code} is not known.", undecided=True) for code in undecided)))


def text(number: int) -> str:
    """A map with that many arguments: the virtues can tell them apart."""
    arguments = "".join(f"  <+ <Argument {place}>: Reason {'so ' * place}it is.\n" for place in range(number))
    return f"Here is the map number {number}.\n\n```argdown\n[Close]: Close the centre.\n{arguments}```\n"


verdicts = st.one_of(
    st.just(verdict()),
    st.lists(st.sampled_from(CODES), min_size=1, max_size=5).map(lambda codes: verdict(*codes)),
    st.lists(st.sampled_from(CODES), max_size=3).map(lambda codes: verdict(*codes, undecided=["limit.time"])),
)
judges = st.lists(verdicts, min_size=8, max_size=8)


@st.composite
def outcomes(draw: st.DrawFn) -> Outcome:
    """Whatever may come of an assignment. A text has one verdict, wherever it stands."""
    judge = draw(judges)
    given = assignment()

    def tries(path: str, numbers: Sequence[int]) -> tuple[Try, ...]:
        made: list[Try] = []
        for place, number in enumerate(numbers):
            said = text(number) if number else ""
            before = next((one.path for one in made if one.text == said), None)
            made.append(Try(f"{path}{place}", said, judge[number] if number else verdict("map.missing"), before))
        return tuple(made)

    numbers = st.lists(st.integers(0, 7), max_size=4)
    first = tries("", draw(numbers))
    criticised = []
    if not any(one.verdict and one.verdict.name == "valid" for one in first):
        for one in first:
            feedbacks = [
                Feedback(
                    f"{one.path}.f{place}",
                    draw(st.sampled_from(["Mend it.", "Nice.", text(3)])) + f" {place}",
                    tries(f"{one.path}.f{place}.r", draw(numbers)),
                )
                for place in range(draw(st.integers(0, 3)))
            ]
            criticised.append(Criticised(one, tuple(feedbacks)))
    return Outcome(given, first, tuple(criticised))


def check(pair: PreferencePair, outcome: Outcome) -> None:
    """The chosen side is better than the rejected one under the prompt that is shown; worked out anew from the outcome."""
    last = pair.prompt[-1]["content"]
    shown = [turn["content"] for turn in pair.prompt]
    assert pair.prompt[-1]["role"] == "user"
    assert [turn["role"] for turn in pair.prompt] == ["user", "assistant", "user", "assistant", "user"][: len(pair.prompt)]
    assert pair.chosen.strip() and pair.rejected.strip() and pair.chosen != pair.rejected
    row = pair.as_row()
    assert PreferencePair.from_row(row) == pair and row["prompt"] == list(pair.prompt)
    if pair.kind == "feedback":
        criticised, chosen, rejected = _feedbacks(pair, outcome)
        assert shown == [turn["content"] for turn in feedback_chat(outcome.assignment, criticised.answer)]
        assert _share(chosen, "valid", hopeful=False) > _share(rejected, "valid", hopeful=True)
        assert "```" not in chosen.text
        return
    chosen, rejected = _try(pair.chosen_path, outcome), _try(pair.rejected_path, outcome)
    assert (chosen.text, rejected.text) == (pair.chosen, pair.rejected)
    names = {_name(chosen), _name(rejected)}
    assert "undecided" not in names and "none" not in names
    plain = _plain(pair, outcome)
    assert shown[:-1] == plain[:-1]
    if pair.kind in ("validity", "validity-revision", "original-revision"):
        assert (_name(chosen), _name(rejected)) == ("valid", "invalid")
        assert last == plain[-1]
    elif pair.kind.startswith("mistakes"):
        assert (_name(chosen), _name(rejected)) == ("invalid", "valid")
        made = [finding.message for finding in chosen.verdict.findings if not finding.undecided]
        assert last != plain[-1] and "with mistakes" in last
        assert all(message in last for message in made[:MOST_FINDINGS])
        assert all(finding.message not in last for finding in chosen.verdict.findings if finding.undecided)
    elif pair.kind.startswith("virtue"):
        assert names == {"valid"}
        virtue = next(one for one in TASK.virtues if one.name == pair.virtue)
        scores = [virtue.score(TASK.case(PROBLEM.source, one.text)) for one in (chosen, rejected)]
        assert scores[0] > scores[1] and virtue.hint in last
    else:
        assert pair.kind.startswith("failure") and names == {"invalid"}
        ours = Counter(finding.code for finding in chosen.verdict.findings)
        theirs = Counter(finding.code for finding in rejected.verdict.findings if not finding.undecided)
        assert not ours - theirs and set(theirs) - set(ours) == set(pair.codes) != set()
        assert last != plain[-1] and "none" not in last.removeprefix(plain[-1]).lower()


def _plain(pair: PreferencePair, outcome: Outcome) -> list[str]:
    if not pair.kind.endswith("-revision") or pair.kind == "original-revision":
        return [turn["content"] for turn in answer_chat(outcome.assignment)]
    path = pair.chosen_path.rpartition(".r")[0]
    assert pair.rejected_path.rpartition(".r")[0] == path
    for criticised in outcome.criticised:
        for feedback in criticised.feedbacks:
            if feedback.path == path:
                return [turn["content"] for turn in revision_chat(outcome.assignment, criticised.answer, feedback.text)]
    raise AssertionError(path)


def _feedbacks(pair: PreferencePair, outcome: Outcome) -> tuple[Criticised, Feedback, Feedback]:
    for criticised in outcome.criticised:
        by_path = {one.path: one for one in criticised.feedbacks}
        if pair.chosen_path in by_path:
            return criticised, by_path[pair.chosen_path], by_path[pair.rejected_path]
    raise AssertionError(pair.chosen_path)


def _share(feedback: Feedback, name: str, hopeful: bool) -> float:
    there = {one.text: _name(one) for one in feedback.revisions if one.text}
    wanted = {name, "undecided"} if hopeful else {name}
    return sum(one in wanted for one in there.values()) / len(there) if there else 0.0


def _try(path: str, outcome: Outcome) -> Try:
    revisions = [one for criticised in outcome.criticised for feedback in criticised.feedbacks for one in feedback.revisions]
    return next(one for one in (*outcome.tries, *revisions) if one.path == path)


def _name(one: Try) -> str:
    return one.verdict.name if one.verdict else "none"
