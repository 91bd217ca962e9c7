"""Answers of ordinary size, as the reference figures were measured on: a source of 125 words, 10 propositions, a map of 9 nodes, a
reconstruction of 7 lines; 3 arguments where several are asked for. Each also with one planted fault."""

from __future__ import annotations

from typing import NamedTuple

SOURCE = (
    "Our town should close its centre to cars. Cars make the air in the narrow streets unhealthy, and their noise keeps "
    "the people who live there awake at night. They also take up most of the room between the houses, where children could "
    "play and neighbours could meet. What makes the people of a town ill and takes up the room they need should be kept "
    "out of its centre. Some shopkeepers object that closed streets will cost them customers. A town should do nothing "
    "that costs its shops their customers, they say. But in towns that have done it, more people come on foot than came by "
    "car before. People on foot also stay longer and look into more windows. So no shopkeeper needs to fear for the "
    "customers of the years to come."
)

ANNOTATION = (
    '<proposition id="1" argument_label="Health" ref_reco_label="7">Our town should close its centre to '
    'cars.</proposition> <proposition id="2" argument_label="Health" ref_reco_label="1" supports="1">Cars make the air in '
    'the narrow streets unhealthy</proposition>, and <proposition id="3" argument_label="Health" ref_reco_label="3" '
    'supports="1">their noise keeps the people who live there awake at night.</proposition> <proposition id="4" '
    'argument_label="Health" ref_reco_label="5" supports="1">They also take up most of the room between the houses, where '
    'children could play and neighbours could meet.</proposition> <proposition id="5" argument_label="Health" '
    'ref_reco_label="6" supports="1">What makes the people of a town ill and takes up the room they need should be kept '
    'out of its centre.</proposition> Some shopkeepers object that <proposition id="6" argument_label="Shops" '
    'ref_reco_label="1" attacks="1">closed streets will cost them customers.</proposition> <proposition id="7" '
    'argument_label="Shops" ref_reco_label="2" attacks="1">A town should do nothing that costs its shops their '
    'customers</proposition>, they say. But <proposition id="8" argument_label="On foot" ref_reco_label="1" supports="10" '
    'attacks="6">in towns that have done it, more people come on foot than came by car before.</proposition> <proposition '
    'id="9" argument_label="On foot" ref_reco_label="2" supports="10">People on foot also stay longer and look into more '
    'windows.</proposition> So <proposition id="10" argument_label="On foot" ref_reco_label="4" attacks="6">no shopkeeper '
    "needs to fear for the customers of the years to come.</proposition>"
)

MAP = """\
[Close]: The town should close its centre to cars.
    <+ <Air>: Cars make the air in the narrow streets unhealthy.
    <+ <Noise>: The noise of cars keeps people awake at night.
    <+ <Room>: Cars take up most of the room between the houses.
        <+ <Play>: Children could play there and neighbours could meet.
    <- <Customers>: Closed streets will cost the shops customers.
        <- <On foot>: Elsewhere more people come on foot than came by car before.
        <- <Longer>: People on foot stay longer and look into more windows.
    <- <Duty>: A town should do nothing that costs its shops their customers."""

COMPOUND_MAP = """\
[Close]: The town should close its centre to cars.
    <+ <Health>: Cars make people ill and take up the room that they need.
    <- <Shops>: The shops will lose customers.
        <- <On foot>: Elsewhere more people come on foot, and they stay longer."""

_HEALTH = """\
<Health>: Cars make people ill and take up the room that they need, so the centre should be closed to them.

(1) Cars make the air in the centre unhealthy. @1@
(2) Whatever makes the air unhealthy and keeps people awake at night makes the people of the town ill. @2@
(3) The noise of cars keeps people awake at night. @3@
-- {from: ['1', '2', '3']} --
(4) Cars make the people of the town ill. @4@
(5) Cars take up most of the room between the houses. @5@
(6) The centre should be closed to whatever makes people ill and takes up most of the room. @6@
-- {from: ['4', '5', '6']} --
(7) @label@The town should close its centre to cars. @7@"""
_OTHERS = """\
<Shops>: The shops will lose customers.

(1) [Loss]: Closing the centre to cars costs the shops customers. {annotation_ids: ['6'], formalization: 'L(c)', \
declarations: {L: 'closing the centre to x costs the shops customers'}}
(2) The town should not close its centre to anything if that costs the shops customers. {annotation_ids: ['7'], \
formalization: 'all x.(L(x) -> -C(x))'}
-- {from: ['1', '2']} --
(3) [Leave open]: The town should not close its centre to cars. {annotation_ids: [], formalization: '-C(c)'}
    >< [Close]

<On foot>: Elsewhere more people come on foot, and they stay longer.

(1) Where centres were closed to cars, more people came on foot than by car before. {annotation_ids: ['8'], formalization: 'M(c)', \
declarations: {M: 'where centres were closed to x, more people came on foot than before'}}
(2) Where centres are closed to cars, people stay longer. {annotation_ids: ['9'], formalization: 'S(c)', \
declarations: {S: 'where centres are closed to x, people stay longer'}}
(3) If more people come and they stay longer, closing the centre costs no shop customers. {annotation_ids: [], \
formalization: 'all x.(M(x) & S(x) -> -L(x))'}
-- {from: ['1', '2', '3']} --
(4) [No loss]: Closing the centre to cars does not cost the shops customers. {annotation_ids: ['10'], formalization: '-L(c)'}
    >< [Loss]"""
_FORMULAS = {
    "1": "formalization: 'U(c)', declarations: {c: 'cars', U: 'x make the air in the centre unhealthy'}",
    "2": "formalization: 'all x.(U(x) & N(x) -> I(x))', declarations: {I: 'x make the people of the town ill'}",
    "3": "formalization: 'N(c)', declarations: {N: 'x keep people awake at night'}",
    "4": "formalization: 'I(c)'",
    "5": "formalization: 'T(c)', declarations: {T: 'x take up most of the room between the houses'}",
    "6": "formalization: 'all x.(I(x) & T(x) -> C(x))', declarations: {C: 'the town should close its centre to x'}",
    "7": "formalization: 'C(c)'",
}
_IDS = {"1": "'2'", "2": "", "3": "'3'", "4": "", "5": "'4'", "6": "'5'", "7": "'1'"}


class Ordinary(NamedTuple):
    """A task's name, a valid answer, and the same with one fault."""

    task: str
    valid: str
    invalid: str


def _health(annotated: bool, formal: bool) -> str:
    """The argument of seven lines."""
    text = _HEALTH.replace("@label@", "[Close]: " if annotated else "")
    for line, formula in _FORMULAS.items():
        data = ([f"annotation_ids: [{_IDS[line]}]"] if annotated else []) + ([formula] if formal else [])
        text = text.replace(f" @{line}@", " {" + ", ".join(data) + "}" if data else "")
    return text


def _fence(text: str, kind: str, name: str = "") -> str:
    return f"```{kind}" + (f' {{filename="{name}"}}' if name else "") + f"\n{text}\n```"


def ordinary() -> list[Ordinary]:
    """The answers, for argmap, infreco, logreco, and all three artefacts together."""
    informal, formal = _fence(_health(False, False), "argdown"), _fence(_health(False, True), "argdown")
    compound = "\n\n".join(
        [
            _fence(ANNOTATION, "xml", "annotation.txt"),
            _fence(COMPOUND_MAP, "argdown", "map.ad"),
            _fence(_health(True, True) + "\n\n" + _OTHERS, "argdown", "reconstructions.ad"),
        ]
    )
    return [
        Ordinary("argmap", _fence(MAP, "argdown"), _fence(MAP.replace("[Close]: ", ""), "argdown")),
        Ordinary("infreco", informal, informal.replace("['4', '5', '6']", "['4', '5', '8']")),
        Ordinary("logreco", formal, formal.replace("'I(c)'", "'-I(c)'")),
        Ordinary("argmap_plus_arganno_plus_logreco", compound, compound.replace("'-L(c)'", "'L(c)'")),
    ]
