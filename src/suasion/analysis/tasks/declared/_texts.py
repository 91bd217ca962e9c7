"""The short debate that all worked examples are about, and its parts."""

from __future__ import annotations

from suasion.analysis.tasks.prompts.fences import fenced

SOURCE = (
    "Our town should close its centre to cars. Cars make the air in the narrow streets unhealthy, and a town should not let its people "
    "fall ill. Some shopkeepers object that they will lose customers. But in towns that have done it, more people come on foot than "
    "came by car before."
)

ANNOTATION = (
    '<proposition id="1">Our town should close its centre to cars.</proposition> '
    '<proposition id="2" supports="1">Cars make the air in the narrow streets unhealthy</proposition>, and '
    '<proposition id="3" supports="1">a town should not let its people fall ill</proposition>. '
    '<proposition id="4" attacks="1">Some shopkeepers object that they will lose customers.</proposition> But '
    '<proposition id="5" attacks="4">in towns that have done it, more people come on foot than came by car before</proposition>.'
)

LABELLED = (
    ANNOTATION.replace('id="1"', 'id="1" argument_label="Close"')
    .replace('id="2"', 'id="2" argument_label="Health"')
    .replace('id="3"', 'id="3" argument_label="Health"')
    .replace('id="4"', 'id="4" argument_label="Shops"')
    .replace('id="5"', 'id="5" argument_label="On foot"')
)
"""The passages belong to nodes of the map."""

REFERRING = (
    ANNOTATION.replace('id="1"', 'id="1" argument_label="Health" ref_reco_label="5"')
    .replace('id="2"', 'id="2" argument_label="Health" ref_reco_label="1"')
    .replace('id="3"', 'id="3" argument_label="Health" ref_reco_label="4"')
    .replace('id="4"', 'id="4" argument_label="Shops" ref_reco_label="1"')
    .replace('id="5"', 'id="5" argument_label="On foot" ref_reco_label="1"')
)
"""The passages are lines of the reconstructed arguments."""

MAP = """\
[Close]: The town should close its centre to cars.
    <+ <Health>: Cars make the air unhealthy, and a town should not let its people fall ill.
    <- <Shops>: Shops will lose customers.
        <- <On foot>: Elsewhere more people come on foot than came by car before."""

ANNOTATED_MAP = """\
[Close]: The town should close its centre to cars. {annotation_ids: ['1']}
    <+ <Health>: Cars make the air unhealthy, and a town should not let its people fall ill. {annotation_ids: ['2', '3']}
    <- <Shops>: Shops will lose customers. {annotation_ids: ['4']}
        <- <On foot>: Elsewhere more people come on foot than came by car before. {annotation_ids: ['5']}"""

_THREE = """\
<Health>: The town should close its centre to cars, because they make its people ill.

(1) Cars make the air in the centre unhealthy. {{{H1}}}
(2) Whatever makes the air in the centre unhealthy makes the town's people ill. {{{H2}}}
-- {{from: ['1', '2']}} --
(3) Cars make the town's people ill. {{{H3}}}
(4) The town should close its centre to whatever makes its people ill. {{{H4}}}
-- {{from: ['3', '4']}} --
(5) [Close]: The town should close its centre to cars. {{{H5}}}

<Shops>: Without cars in the centre, its shops will lose customers.

(1) [Loss]: Closing the centre to cars costs its shops customers. {{{S1}}}
(2) The town should not close its centre to anything if that costs its shops customers. {{{S2}}}
-- {{from: ['1', '2']}} --
(3) [Leave open]: The town should not close its centre to cars. {{{S3}}}
    >< [Close]

<On foot>: Elsewhere shops did not lose customers: more people came on foot than had come by car before.

(1) Where centres were closed to cars, more people came on foot than had come by car before. {{{F1}}}
(2) If more people come on foot where centres are closed to something, closing the centre to it costs no shops customers. {{{F2}}}
-- {{from: ['1', '2']}} --
(3) [No loss]: Closing the centre to cars does not cost its shops customers. {{{F3}}}
    >< [Loss]"""

_IDS = {"H1": "'2'", "H2": "", "H3": "", "H4": "'3'", "H5": "'1'", "S1": "'4'", "S2": "", "S3": "", "F1": "'5'", "F2": "", "F3": ""}

_FORMULAS = {
    "H1": "formalization: 'U(c)', declarations: {c: 'cars', U: 'x make the air in the centre unhealthy'}",
    "H2": "formalization: 'all x.(U(x) -> I(x))', declarations: {I: 'x make the people of the town ill'}",
    "H3": "formalization: 'I(c)'",
    "H4": "formalization: 'all x.(I(x) -> C(x))', declarations: {C: 'the town should close its centre to x'}",
    "H5": "formalization: 'C(c)'",
    "S1": "formalization: 'L(c)', declarations: {L: 'closing the centre to x costs its shops customers'}",
    "S2": "formalization: 'all x.(L(x) -> -C(x))'",
    "S3": "formalization: '-C(c)'",
    "F1": "formalization: 'M(c)', declarations: {M: 'where centres were closed to x more people came on foot than before'}",
    "F2": "formalization: 'all x.(M(x) -> -L(x))'",
    "F3": "formalization: '-L(c)'",
}


def three_arguments(*, annotated: bool, formal: bool) -> str:
    """All arguments of the debate, reconstructed: with the passages that the lines state, with formulas."""
    lines = {}
    for line, ids in _IDS.items():
        parts = [f"annotation_ids: [{ids}]"] if annotated else []
        lines[line] = ", ".join([*parts, _FORMULAS[line]] if formal else parts)
    return _THREE.format(**lines).replace(" {}\n", "\n")


def _first(text: str) -> str:
    return text.partition("\n\n<Shops>")[0].replace("[Close]: ", "")


INFORMAL = _first(three_arguments(annotated=False, formal=False))
FORMAL = _first(three_arguments(annotated=False, formal=True))


def one(kind: str, text: str) -> str:
    """An answer with one block."""
    return fenced(text, kind)


def several(annotation: str = "", map: str = "", reconstruction: str = "") -> str:
    """An answer with several blocks, each with its file name."""
    blocks = (("xml", "annotation.txt", annotation), ("argdown", "map.ad", map), ("argdown", "reconstructions.ad", reconstruction))
    return "\n\n".join(fenced(text, f'{kind} {{filename="{file}"}}') for kind, file, text in blocks if text)
