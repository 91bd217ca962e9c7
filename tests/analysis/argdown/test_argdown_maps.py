"""Which claims and arguments a map shows, in which groups, and what joins them; what structures imply."""

from __future__ import annotations

from suasion.analysis.argdown import implied_relations, parse
from suasion.analysis.argdown.maps import ArgumentMap, build_map

CHAIN = "<A>: a\n\n(1) [P]: p\n(2) q\n----\n(3) [C]: c\n\n<B>: b\n\n(1) [C]\n----\n(2) [D]: d\n  - [N]: no\n"


def shown(text: str) -> ArgumentMap:
    return build_map(parse(text))


def edges(text: str) -> set[tuple[str, str, str]]:
    return {(edge.type, edge.source.label, edge.target.label) for edge in shown(text).edges}


def labels(text: str) -> set[str]:
    return {node.label for node in shown(text).nodes}


def test_what_nothing_joins_is_left_out() -> None:
    text = "[A]\n  + <B>\n\n[C]: alone\n\n<D>: alone\n\n[E]: wished {isInMap: true}\n\n[A]\n  - <F> {isInMap: false}"
    assert labels(text) == {"A", "B", "E"}


def test_arguments_stand_for_claims_without_a_label() -> None:
    text = "<A>: a\n\n(1) p\n  - <X>\n----\n(2) c\n  +> [T]"
    assert edges(text) == {("attack", "X", "A"), ("support", "A", "T")}
    assert labels(text) == {"A", "X", "T"}


def test_structures_join_premises_arguments_and_conclusions() -> None:
    assert edges(CHAIN) == {
        ("support", "P", "A"),
        ("support", "A", "C"),
        ("support", "C", "B"),
        ("support", "B", "D"),
        ("attack", "N", "D"),
    }


def test_what_holds_both_ways_is_one_edge_between_claims() -> None:
    assert edges("[A]\n  >< [B]") == {("contradictory", "A", "B")}


def test_undercuts_end_at_the_argument() -> None:
    assert edges("<A>\n\n(1) p\n----\n  <_ <U>\n(2) c") == {("undercut", "U", "A")}


def test_headings_make_groups() -> None:
    text = "# Top\n\n## Left\n\n[A]: a\n  + <B>: b\n\n## Right {isGroup: false}\n\n[C]: c\n  - [A]\n\n# Empty\n"
    drawn = shown(text)
    assert {node.label: node.group for node in drawn.nodes} == {"A": 1, "B": 1, "C": 0}
    assert drawn.groups == {0: None, 1: 0, 3: None}
    assert shown("===\ngroup:\n  groupDepth: 1\n===\n\n" + text).groups == {1: None}


def test_implied_relations_come_one_by_one_and_once() -> None:
    document = parse(CHAIN)
    found = [(one.type, one.source.label, one.target.label) for one in implied_relations(document)]
    assert set(found) == {
        ("support", "P", "A"),
        ("support", "Untitled 1", "A"),
        ("support", "A", "C"),
        ("support", "C", "B"),
        ("support", "B", "D"),
        ("support", "A", "B"),
    }
    assert len(found) == len(set(found))


def test_relations_between_claims_hold_between_their_arguments_too() -> None:
    document = parse("<A>\n\n(1) p\n----\n(2) [C]: c\n  -> [P]\n\n<B>\n\n(1) [P]: p\n----\n(2) d")
    implied = {(one.type, one.source.kind, one.source.label, one.target.kind, one.target.label) for one in implied_relations(document)}
    assert ("attack", "argument", "A", "argument", "B") in implied
    assert ("attack", "argument", "A", "claim", "P") in implied
    assert ("attack", "claim", "C", "argument", "B") in implied


def test_a_claims_attack_on_an_argument_gives_way_to_its_attack_on_a_premise() -> None:
    document = parse("<A>: a\n  - [N]\n  - [M]\n\n(1) [P]: p\n  - [N]: no\n----\n(2) c")
    assert [(one.source.label, one.target.label) for one in document.relations] == [("M", "A"), ("N", "P")]
