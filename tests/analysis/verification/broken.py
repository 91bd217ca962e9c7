"""For every check of every task an answer that breaks that check alone: the task's worked example with something done to it.

``BREAKS`` has for each check one way or several; the first whose pieces of text all occur in a task's example is taken. A new check needs
an entry here, or ``test_broken_answers.py`` fails.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TypeAlias

from suasion.analysis.tasks import Task

Edit: TypeAlias = "tuple[str, str] | Callable[[str], str]"
Way: TypeAlias = "tuple[Edit, ...]"


def break_example(task: Task, code: str) -> str | None:
    """The example's answer, broken so that this check finds something; ``None`` where no way is known."""
    for way in BREAKS.get(code, ()):
        answer = task.example.answer
        for edit in way:
            if callable(edit):
                answer = edit(answer)
            elif edit[0] in answer:
                answer = answer.replace(*edit, 1)
            else:
                break
        else:
            return answer
    return None


def at_end(text: str) -> Edit:
    """Put text at the end of the last block."""
    return lambda answer: text.join(answer.rsplit("\n```", 1)[:1]) + text + "\n```"


def in_map(text: str) -> Edit:
    """Put lines below the last of the map."""
    return lambda answer: re.sub(r"(        <- <On foot>:.*)", lambda found: found[1] + text, answer, count=1)


def unmarked(ids: str) -> Edit:
    """Take the tags of some propositions away."""
    return lambda answer: re.sub(rf'<proposition id="{ids}"[^>]*>(.*?)</proposition>', r"\1", answer)


def line(number: int, text: str, formula: str = "", meaning: str = "") -> Callable[[str], str]:
    """A numbered line in the style of an answer: with ids of annotations, with a formula, or bare."""

    def written(answer: str) -> str:
        parts = ["annotation_ids: []"] if "annotation_ids" in answer else []
        if "formalization" in answer and formula:
            parts.append(f"formalization: '{formula}', declarations: {{{meaning}}}")
        return f"({number}) {text}" + (f" {{{', '.join(parts)}}}" if parts else "") + "\n"

    return written


def before(anchor: str, written: Callable[[str], str]) -> Edit:
    """Put a line before another."""
    return lambda answer: answer.replace(anchor, written(answer) + anchor, 1)


def without_structures(answer: str) -> str:
    """Reconstructions with nothing but titles and gists left."""
    start = answer.rindex("<Health>:")
    return answer[:start] + re.sub(r"\n(?:\(|--|    ><).*", "", answer[start:])


def only_one_argument(answer: str) -> str:
    """The debate without all but its first argument."""
    answer = re.sub(r"\n\n<Shops>:.*?(?=\n```)", "", answer, flags=re.DOTALL)
    return unmarked("[45]")(re.sub(r"\n +<- <.*", "", answer))  # type: ignore[operator]


def with_many_lines(answer: str) -> str:
    """More premises than are proved."""
    numbers = range(100, 305)
    lines = "".join(line(number, f"Cars have {number} wheels.", f"W{number}", f"W{number}: 'w'")(answer) for number in numbers)
    last = "-- {from: ['3', '4']} --"
    return answer.replace(last, lines + last.replace("'4'", f"'4', {', '.join(map(str, numbers))}"), 1)


H2, H4 = "'all x.(U(x) -> I(x))'", "'all x.(I(x) -> C(x))'"
LAST = "-- {from: ['3', '4']} --"
AIR = "Cars make the air in the centre unhealthy."
SECOND = "(2) Whatever makes the air in the centre unhealthy makes the town's people ill."
FOURTH = "(4) The town should close its centre to whatever makes its people ill."
MEANS_I = "{I: 'x make the people of the town ill'}"
GIST = "<Health>: The town should close its centre to cars, because they make its people ill."
TITLE_AND_GIST = GIST + "\n\n"

ANNOTATION: dict[str, tuple[Way, ...]] = {
    "annotation.markup": ((("</proposition>.\n```", ".\n```"),),),
    "annotation.element": ((("in the narrow streets", "in the <em>narrow</em> streets"),),),
    "annotation.nested": ((("in the narrow streets", 'in the <proposition id="6">narrow</proposition> streets'),),),
    "annotation.attribute": ((('id="1"', 'id="1" kind="claim"'),),),
    "annotation.empty": ((unmarked(r"\d"),),),
    "annotation.empty-proposition": (
        (lambda answer: re.sub(r'(<proposition id="5"[^>]*>)(.*?)</proposition>', r"\1</proposition>\2", answer),),
    ),
    "annotation.missing-id": (((' id="5"', ""),),),
    "annotation.id-with-blank": ((('id="5"', 'id="5 a"'),),),
    "annotation.duplicate-id": ((('id="3"', 'id="2"'),),),
    "annotation.unknown-label": ((('argument_label="On foot"', 'argument_label="On wheels"'),),),
    "annotation.unknown-support": ((('supports="1"', 'supports="1 9"'),),),
    "annotation.unknown-attack": ((('attacks="4"', 'attacks="4 9"'),),),
    "annotation.self-relation": ((('attacks="4"', 'attacks="4 5"'),),),
    "annotation.support-and-attack": ((('attacks="4"', 'attacks="4" supports="4"'),),),
    "annotation.source": ((("object that they will lose", "object that they will not lose"),),),
}
MAP: dict[str, tuple[Way, ...]] = {
    "map.syntax": ((in_map("\n[Odd]: Begun without an empty line."),),),
    "map.empty": ((lambda answer: re.sub(r"\[Close\]: .*?(?=\n```)", "// nothing", answer, count=1, flags=re.DOTALL),),),
    "map.no-text": ((in_map("\n    <+ <Noise>"),),),
    "map.no-relation": ((lambda answer: re.sub(r"\n +<[+-] ", "\n\n", answer, count=3),),),
    "map.repetition": ((in_map("\n\n[Close]: The town should close its centre to cars." * 11),),),
    "map.unlabelled-claim": ((in_map("\n    <+ Cars are loud."),),),
    "map.duplicate-label": ((in_map("\n\n[Close]: The town should close its harbour."),),),
    "map.premise-conclusion": ((in_map("\n\n<Health>\n\n(1) Cars are loud.\n----\n(2) Cars are bad."),),),
    "map.unknown-annotation": ((("['5']", "['5', '9']"),),),
    "map.self-relation": ((in_map("\n            <+ <On foot>"),),),
    "map.support-and-attack": ((in_map("\n        <+ <On foot>"),),),
}
RECONSTRUCTION: dict[str, tuple[Way, ...]] = {
    "reconstruction.repetition": (
        (("    >< [Close]", "    >< [Close]\n" * 11),),
        ((GIST, (GIST + "\n\n") * 11 + GIST),),
    ),
    "reconstruction.syntax": ((("(2) Whatever", "\n(2) Whatever"),),),
    "reconstruction.no-argument": ((without_structures,),),
    "reconstruction.no-structure": ((at_end("\n\n<Noise>: Cars are loud."),),),
    "reconstruction.too-few-arguments": ((only_one_argument,),),
    "reconstruction.several-arguments": ((at_end("\n\n<Noise>: Cars are loud."),),),
    "reconstruction.starts-with-conclusion": ((("(1) Cars make", "-- {from: ['2']} --\n(1) Cars make"),),),
    "reconstruction.ends-with-premise": (((f"{LAST}\n", ""),),),
    "reconstruction.second-structure": ((at_end("\n\n<Health>\n\n(1) Cars are loud.\n-- {from: ['1']} --\n(2) Cars are bad."),),),
    "reconstruction.no-title": (((TITLE_AND_GIST, ""),),),
    "reconstruction.no-gist": (((GIST, "<Health>"),),),
    "reconstruction.several-gists": ((at_end("\n\n<Health>: Cars are loud."),),),
    "reconstruction.relation": ((at_end("\n    <+ [Noise]: Cars are loud."),),),
    "reconstruction.argument-data": (((GIST, f"{GIST} {{strength: 1}}"),),),
    "reconstruction.proposition-data": (((AIR, f"{AIR} {{strength: 1}}"),),),
    "reconstruction.repeated-number": ((("(2) Whatever", "(1) Whatever"),),),
    "reconstruction.inference-data": (((LAST, "----"),), ((LAST, "-- {from: 3} --"),)),
    "reconstruction.reference": (((LAST, "-- {from: ['3', '6']} --"),),),
    "reconstruction.repeated-reference": (((LAST, "-- {from: ['3', '4', 4]} --"),),),
    "reconstruction.unused": ((before(LAST, line(7, "Cars are loud.", "N(c)", "N: 'x are loud'")),),),
    "reconstruction.petitio": (((FOURTH, "(4) The town should close its centre to cars."), (H4, "'C(c)'")),
                               ((FOURTH, "(4) The town should close its centre to cars."),)),
    "reconstruction.empty-proposition": (((SECOND, "(2) [Air]"),),),
    "reconstruction.extra-proposition": ((at_end("\n\n[Noise]: Cars are loud."),),),
}  # fmt: skip
LOGIC: dict[str, tuple[Way, ...]] = {
    "logic.formula-missing": (((" {formalization: 'I(c)'}", ""),), ((", formalization: 'I(c)'", ""),)),
    "logic.formula": ((("'I(c)'", "'I(c'"),),),
    "logic.notation": (((H2, "'∀x.(U(x) → I(x))'"),),),
    "logic.symbol-use": ((("'I(c)'", "'I(c, c)'"),),),
    "logic.open-formula": (((H2, "'U(x) -> I(x)'"),),),
    "logic.declarations": (((MEANS_I, "{I: 3}"),),),
    "logic.undeclared": (((f", declarations: {MEANS_I}", ""),),),
    "logic.declared-twice": ((("'I(c)'", "'I(c)', declarations: {I: 'x make the town green'}"),),),
    "logic.unused-declaration": ((("'I(c)'", "'I(c)', declarations: {Z: 'x are grey'}"),),),
    "logic.too-large": ((with_many_lines,),),
    "logic.formalised-twice": (((AIR, "Cars make the town's people ill."),),),
    "logic.relation": (((">< [Loss]", ">< [Loss]\n    +> [Leave open]"),),),
    "logic.inconsistent-premises": (((H4, "'all x.(I(x) -> C(x)) & -U(c)'"),),),
    "logic.not-valid": (((H4, "'all x.(C(x) -> I(x))'"),),),
    "logic.step-not-valid": ((("-- {from: ['1', '2']} --", "-- {from: ['1']} --"), (LAST, "-- {from: ['2', '3', '4']} --")),),
    "logic.irrelevant-premise": (
        (before(LAST, line(7, "Cars are loud.", "N(c)", "N: 'x are loud'")), (LAST, "-- {from: ['3', '4', '7']} --")),
    ),
    "logic.redundant-reference": (((LAST, "-- {from: ['1', '3', '4']} --"),),),
    "logic.irrelevant-conjunct": (((H4, "'all x.(I(x) -> C(x)) & N(c)'"), ("declarations: {C:", "declarations: {N: 'x are loud', C:")),),
    "logic.tautology": ((("'C(c)'", "'C(c) | -C(c)'"),),),
    "logic.petitio": (((H4, "'C(c)'"),),),
    "logic.trivial-conjunction": (
        (
            lambda answer: re.sub(r"-- \{from: \['1', '2'\]\} --\n\(3\) Cars.*\n", "", answer, count=1),
            (LAST, "-- {from: ['1', '2', '4']} --"),
            ("'C(c)'", "'U(c) & all x.(U(x) -> I(x)) & all x.(I(x) -> C(x))'"),
        ),
    ),
}
COHERENCE: dict[str, tuple[Way, ...]] = {
    "coherence.annotation-without-node": (((' argument_label="Shops"', ""),), ((' argument_label="Shops"', ' argument_label="Shop"'),)),
    "coherence.node-without-annotation": (((" {annotation_ids: ['4']}", ""),),),
    "coherence.node-unknown-annotation": ((("['4']", "['4', '9']"),),),
    "coherence.annotation-node-mismatch": ((("['2', '3']", "['2']"),),),
    "coherence.annotated-relation-not-in-map": ((('id="5"', 'id="5" supports="1"'),),),
    "coherence.map-relation-not-annotated": (((' attacks="4"', ""),),),
    "coherence.annotation-without-argument": (((' argument_label="Shops"', ""),),),
    "coherence.annotation-without-line": (((' ref_reco_label="4"', ""),),),
    "coherence.argument-without-annotation": ((unmarked("5"), ("annotation_ids: ['5']", "annotation_ids: []")),),
    "coherence.line-without-annotation-ids": (
        (("people ill. {annotation_ids: []}", "people ill."),),
        (("{annotation_ids: [], formalization: 'I(c)'}", "{formalization: 'I(c)'}"),),
    ),
    "coherence.line-unknown-annotation": ((("annotation_ids: ['5']", "annotation_ids: ['5', '9']"),),),
    "coherence.annotation-in-two-lines": ((("annotation_ids: []", "annotation_ids: ['2']"),),),
    "coherence.annotation-line-mismatch": ((("annotation_ids: ['3']", "annotation_ids: []"),),),
    "coherence.annotated-relation-not-reconstructed": ((('id="5"', 'id="5" supports="1"'),),),
    "coherence.inference-not-annotated": (((' supports="1"', ""),),),
    "coherence.argument-not-reconstructed": ((in_map("\n    <- <Noise>: Cars are loud."),),),
    "coherence.argument-not-in-map": ((lambda answer: re.sub(r"\n        <- <On foot>:.*", "", answer, count=1),),),
    "coherence.claim-not-reconstructed": ((in_map("\n    <- [Noise]: Cars are loud."),),),
    "coherence.map-relation-not-reconstructed": ((in_map("\n        <+ <Health>"),),),
    "coherence.reconstructed-relation-not-in-map": ((("        <- <On foot>:", "\n<On foot>:"),),),
    "coherence.ungrounded-relation": (
        (("Closing the centre to cars does not cost its shops customers.", "NOT: Closing the centre to cars costs its shops customers."),
         ("\n    >< [Loss]", "")),
    ),
}  # fmt: skip
BREAKS = {**ANNOTATION, **MAP, **RECONSTRUCTION, **LOGIC, **COHERENCE}
