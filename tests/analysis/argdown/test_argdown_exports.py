"""DOT, Mermaid, SVG and JSON."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from suasion.analysis.argdown import parse
from suasion.analysis.argdown.drawings import to_dot, to_mermaid, to_svg
from suasion.analysis.argdown.export_json import summary, to_json
from suasion.errors import SuasionError

TEXT = (
    "# Pets\n\n[Dogs]: Dogs make good pets. #core\n  + <Loyal>: They are loyal.\n  - <Care>: They need care.\n"
    "    _ <Easy>: It is easy.\n  >< [No dogs]\n\n<Loyal>\n\n(1) Dogs are loyal. {a: 1}\n-- r1, r2 {uses: [1]} --\n(2) [Dogs]\n"
)
NASTY = '[A "]; x -> y [label="pwned"]\\]: "]; end\n  + <B --> C((x))<br/>|#quot;>: `click` \\" %%{init}%% </svg> ; {{\n'


def test_dot() -> None:
    drawn = to_dot(parse(TEXT))
    assert drawn.startswith("digraph map {") and drawn.endswith("}\n")
    assert 'subgraph cluster_0 { label="Pets";' in drawn
    assert 'label="Dogs\\nDogs make good pets."' in drawn
    assert re.search(r'n\d -> n0 \[color="#2e7d32", tooltip="support"\]', drawn)
    assert drawn.count('style="dashed"') == 1 and drawn.count('dir="both"') == 1


def test_mermaid() -> None:
    drawn = to_mermaid(parse(TEXT))
    assert drawn.startswith("flowchart BT\n")
    assert '["Dogs<br/>Dogs make good pets."]' in drawn and '("Loyal<br/>They are loyal.")' in drawn
    assert re.findall(r"(-->|--x|x--x|-\.-x)\|(\w+)\|", drawn).count(("x--x", "contradictory")) == 1


@settings(max_examples=150, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.text(st.sampled_from("\"\\'`;{}[]()<>|#&%$\n\r\t -=→x\u2028\x00"), max_size=30))
def test_no_text_becomes_code_in_a_drawing(words: str) -> None:
    document = parse(f"[{words.replace(']', '')} x]: {words}\n  + <y>: {words}")
    for line in to_dot(document).split("\n"):
        bare = re.sub(r'"(?:[^"\\]|\\.)*"', '""', line)
        assert re.fullmatch(r'[\w\s{}=\[\],;>"#()-]*', bare), line
        assert '"' not in bare.replace('""', "")
    for line in to_mermaid(document).split("\n"):
        bare = re.sub(r'"[^"]*"', '""', line)
        assert re.fullmatch(r'[\w\s\[\]()|".>-]*', bare), line


def test_nasty_labels_are_but_labels() -> None:
    document = parse(NASTY)
    assert to_dot(document).count(" -> ") - to_dot(document).count("x -> y [label") == 1
    assert "<svg" not in to_mermaid(document) and "%%" not in to_mermaid(document)


@pytest.mark.skipif(shutil.which("dot") is None, reason="needs Graphviz")
def test_graphviz_draws_it() -> None:
    for text in (TEXT, NASTY):
        drawn = to_svg(parse(text))
        assert drawn.rstrip().endswith("</svg>")


def test_svg_is_what_graphviz_makes_of_the_dot(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[Any] = []

    def graphviz(command: list[str], **options: Any) -> subprocess.CompletedProcess[str]:
        asked.append((command, options["input"]))
        return subprocess.CompletedProcess(command, 0, "<svg></svg>", "")

    monkeypatch.setattr(shutil, "which", lambda name: f"/bin/{name}")
    monkeypatch.setattr(subprocess, "run", graphviz)
    assert to_svg(parse(TEXT)) == "<svg></svg>"
    assert asked == [(["/bin/dot", "-Tsvg"], to_dot(parse(TEXT)))]


def test_without_graphviz_it_says_what_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shutil, "which", lambda name: None)
    with pytest.raises(SuasionError, match=r"Graphviz is not installed[\s\S]*apt install graphviz"):
        to_svg(parse(TEXT))


def test_a_failing_or_endless_graphviz_is_told_of(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shutil, "which", lambda name: name)
    monkeypatch.setattr(subprocess, "run", lambda command, **_: subprocess.CompletedProcess(command, 1, "", "syntax error"))
    with pytest.raises(SuasionError, match="syntax error"):
        to_svg(parse(TEXT))

    def endless(command: list[str], **options: Any) -> None:
        raise subprocess.TimeoutExpired(command, 1)

    monkeypatch.setattr(subprocess, "run", endless)
    with pytest.raises(SuasionError, match="too large"):
        to_svg(parse(TEXT))


def test_json_has_the_shape_of_the_official_export() -> None:
    made = json.loads(json.dumps(to_json(parse(TEXT))))
    assert list(made) == ["arguments", "statements", "relations", "map", "sections", "tags"]
    claim = made["statements"]["Dogs"]
    assert (claim["type"], claim["title"], claim["tags"], claim["section"]) == ("equivalence-class", "Dogs", ["core"], "s1")
    assert claim["isUsedAsTopLevelStatement"] and claim["isUsedAsMainConclusion"]
    assert [member["role"] for member in claim["members"]] == ["top-level-statement", "main-conclusion"]
    assert claim["members"][0] == {
        "type": "statement",
        "role": "top-level-statement",
        "isTopLevel": True,
        "title": "Dogs",
        "text": "Dogs make good pets.",
        "tags": ["core"],
        "startLine": 3,
        "startColumn": 1,
        "endLine": 3,
        "endColumn": 35,
    }
    assert {
        "type": "relation",
        "relationType": "undercut",
        "from": "Easy",
        "fromType": "argument",
        "to": "Care",
        "toType": "argument",
    } in made["relations"]
    assert all(relation in made["relations"] for relation in claim["relations"]) and len(claim["relations"]) == 2
    inference = made["arguments"]["Loyal"]["pcs"][1]["inference"]
    assert (inference["inferenceRules"], inference["data"], inference["argumentTitle"]) == (["r1", "r2"], {"uses": [1]}, "Loyal")
    assert made["arguments"]["Loyal"]["pcs"][0]["data"] == {"a": 1}
    group = made["map"]["nodes"][0]
    assert (group["type"], group["title"], group["level"]) == ("group-map-node", "Pets", 1)
    assert {child["type"] for child in group["children"]} == {"statement-map-node", "argument-map-node"}
    assert made["sections"][0]["title"] == "Pets" and made["tags"] == {"core": {"tag": "core"}}


def test_every_end_of_an_edge_is_a_node() -> None:
    made = to_json(parse(TEXT))
    nodes = {child["id"] for group in made["map"]["nodes"] for child in group.get("children", [group])}
    assert made["map"]["edges"] and all({edge["from"], edge["to"]} <= nodes for edge in made["map"]["edges"])


def test_the_summary_has_what_scripts_rely_on() -> None:
    made = json.loads(json.dumps(summary(parse("[A]: x #t [B]\n  + <C>: c\n\n<C>\n\n(1) p\n----\n(2) [A]"))))
    assert list(made) == ["errors", "claims", "arguments", "relations"]
    assert made["errors"][0].keys() == {"line", "column", "code", "message"}
    assert made["claims"][0] == {"label": "A", "texts": ["x #t [B]"], "tags": ["t"]}
    assert made["arguments"] == [
        {
            "label": "C",
            "gists": ["c"],
            "tags": [],
            "pcs": [{"role": "premise", "label": "Untitled 1"}, {"role": "main-conclusion", "label": "A"}],
        }
    ]
    assert summary(parse("[A]\n  + [B]"))["relations"] == [{"type": "support", "source": "B", "target": "A"}]
