"""What counts as the same in annotation, map and reconstruction; the plain faults are in ``broken.py``."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from suasion.analysis.logic.prover import Prover
from suasion.analysis.tasks import get_task
from suasion.analysis.verification.verify import verify

KEEP = "<Loyal>: g\n\n(1) [Loyalty]: Dogs are loyal.\n-- {from: ['1']} --\n(2) [Keep]: Keep dogs.\n\n"
SMELL = "<Smell>: g\n\n(1) Dogs smell.\n-- {from: ['1']} --\n(2) [Not keep]: Do not keep dogs.\n"


@pytest.fixture(scope="module")
def prover() -> Iterator[Prover]:
    with Prover(workers=0) as one:
        yield one


def codes(task: str, prover: Prover, source: str = "", **blocks: str) -> list[str]:
    """The codes of what is found, without ``coherence.`` before them."""
    fences = {"annotation": 'xml {filename="annotation.txt"}', "map": 'argdown {filename="map.ad"}'}
    answer = "\n\n".join(f"```{fences.get(name, 'argdown {filename=reconstructions.ad}')}\n{text}\n```" for name, text in blocks.items())
    return [one.code.removeprefix("coherence.") for one in verify(get_task(task), source, [answer], prover=prover)[0].findings]


NOT_ARGUED, NOT_DRAWN = ["map-relation-not-reconstructed"], ["reconstructed-relation-not-in-map"]


@pytest.mark.parametrize(
    ("drawn", "argued", "found"),
    [
        ("[Keep]: k.\n    <+ <Loyal>: l.", KEEP, []),
        ("[Keep]: k.\n    <- <Loyal>: l.", KEEP, NOT_ARGUED),
        ("[Keep]: k.\n    <+ <Loyal>: l.\n    <- <Smell>: s.", KEEP + SMELL, NOT_ARGUED),
        ("[Keep]: k.\n    <+ <Loyal>: l.\n    <- <Smell>: s.", KEEP + SMELL + "    >< [Keep]", []),
        ("[Keep]: k.\n    <+ <Loyal>: l.\n    <- <Smell>: s.", KEEP + SMELL + "    -> [Keep]", []),
        ("[Keep]: k.\n    <+ <Loyal>: l.\n    <- <Smell>: s.", KEEP + SMELL + "    <- [Keep]", NOT_ARGUED),
        ("[Keep]: k.\n    <+ <Loyal>: l.\n    <- <Smell>: s.", KEEP + SMELL.replace("Do not keep", "NOT: Keep"), []),
        ("[Keep]: k.\n    <+ <Loyal>: l.\n    >< [Not keep]: n.\n        <+ <Smell>: s.", KEEP + SMELL + "    >< [Keep]", []),
        # an attack on a premise is an attack on the argument; one on the conclusion is not
        ("<Loyal>: l.\n    +> [Keep]: k.\n    <- <Smell>: s.", KEEP + SMELL + "    >< [Loyalty]", []),
        ("<Loyal>: l.\n    +> [Keep]: k.\n    <- <Smell>: s.", KEEP + SMELL + "    >< [Keep]", NOT_ARGUED),
        ("<Loyal>: l.\n    +> [Keep]: k.\n    <_ <Smell>: s.", KEEP.replace("} --", "} --\n    <_ <Smell>") + SMELL, []),
        # one argument's conclusion is another's premise, by label or by wording
        ("<Loyal>: l.\n    +> <Smell>: s.", KEEP.replace("[Keep]: Keep dogs", "Dogs smell") + SMELL, []),
        ("<Loyal>: l.\n\n<Smell>: s.\n    -> [Keep]: k.\n    <- [Keep]", KEEP + SMELL.replace("Dogs smell", "[Keep]"), None),
        ("[Keep]: k.\n    <+ <Loyal>: l.\n\n<Smell>: s.\n    +> [Not keep]: n.", KEEP + SMELL.replace("Dogs smell.", "[Keep]"), NOT_DRAWN),
        ("[Keep]: k.\n    <+ <Loyal>: l.\n    +> <Smell>: s.", KEEP + SMELL.replace("Dogs smell.", "[Keep]"), []),
        # between claims
        ("[Keep]: k.\n    <+ [Loyalty]: l.\n    <+ <Loyal>: l.\n        <+ [Loyalty]", KEEP, []),
        ("[Keep]: k.\n    <- [Loyalty]: l.\n    <+ <Loyal>: l.", KEEP, NOT_ARGUED),
        ("[Keep]: k.\n    +> [Loyalty]: l.\n    <+ <Loyal>: l.", KEEP, NOT_ARGUED),
    ],
)
def test_map_and_reconstruction(drawn: str, argued: str, found: list[str] | None, prover: Prover) -> None:
    assert found is None or codes("argmap_plus_infreco", prover, map=drawn, reconstruction=argued) == found


ANNOTATED = (
    '<proposition id="1" argument_label="Keep">Keep dogs.</proposition> '
    '<proposition id="2" argument_label="Loyal"{}>They are loyal.</proposition>'
)


@pytest.mark.parametrize(
    ("relation", "sign", "found"),
    [
        (' supports="1"', "<+", []),
        (' attacks="1"', "<-", []),
        (' attacks="1"', "><", []),
        (' attacks="1"', "<+", ["annotated-relation-not-in-map", "map-relation-not-annotated"]),
        ("", "<+", ["map-relation-not-annotated"]),
    ],
)
def test_annotation_and_map(relation: str, sign: str, found: list[str], prover: Prover) -> None:
    kind = "[Loyal]" if sign == "><" else "<Loyal>"
    drawn = f"[Keep]: k. {{annotation_ids: [1]}}\n    {sign} {kind}: l. {{annotation_ids: ['2']}}"
    annotation = ANNOTATED.format(relation)
    assert sorted(codes("argmap_plus_arganno", prover, "Keep dogs. They are loyal.", annotation=annotation, map=drawn)) == found


PASSAGES = (
    '<proposition id="1" argument_label="Loyal" ref_reco_label="3">Keep dogs.</proposition> '
    '<proposition id="2" argument_label="Loyal" ref_reco_label="1"{}>They are loyal.</proposition>'
)
CHAIN = (
    "<Loyal>: g\n\n(1) Dogs are loyal. {{annotation_ids: [2]}}\n-- {{from: [1]}} --\n(2) Dogs are good. {{annotation_ids: []}}\n"
    "-- {{from: [{}]}} --\n(3) Keep dogs. {{annotation_ids: ['1']}}\n"
)


@pytest.mark.parametrize(
    ("relation", "named", "found"),
    [
        (' supports="1"', "2", []),  # by way of a line that no passage states
        ("", "2", ["inference-not-annotated"]),
        (' attacks="1"', "2", ["annotated-relation-not-reconstructed"]),
    ],
)
def test_annotation_and_reconstruction(relation: str, named: str, found: list[str], prover: Prover) -> None:
    blocks = {"annotation": PASSAGES.format(relation), "reconstruction": CHAIN.format(named)}
    assert codes("arganno_plus_infreco", prover, "Keep dogs. They are loyal.", **blocks) == found


def test_a_supported_premise_is_not_supported_by_its_conclusion(prover: Prover) -> None:
    passages = PASSAGES.format("").replace('ref_reco_label="3"', 'ref_reco_label="3" supports="2"')
    blocks = {"annotation": passages, "reconstruction": CHAIN.format("2")}
    assert codes("arganno_plus_infreco", prover, "Keep dogs. They are loyal.", **blocks) == ["annotated-relation-not-reconstructed"]
