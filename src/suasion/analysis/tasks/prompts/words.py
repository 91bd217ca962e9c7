"""What prompts say of each kind of artefact: what it is, how it is written, how one goes about it, what to look for in it."""

from __future__ import annotations

from dataclasses import dataclass

from suasion.analysis.tasks.task import Task
from suasion.analysis.verification.case import ArtefactName


@dataclass(frozen=True, slots=True)
class Form:
    """One kind of artefact in words.

    Attributes:
        name: "argument map", for the middle of a sentence.
        kind: the word after the opening fence.
        file: the file name that addresses it where an answer has several artefacts.
        what: what it is, for grown-ups.
        simple: what it is, for children.
        notation: how things are written: a snippet, and what it means.
        steps: how one goes about it.
        look_for: what a reviewer asks of it.
    """

    name: str
    kind: str
    file: str
    what: str
    simple: str
    notation: tuple[tuple[str, str], ...]
    steps: tuple[str, ...]
    look_for: tuple[str, ...]


ANNOTATION = Form(
    name="annotated text",
    kind="xml",
    file="annotation.txt",
    what=(
        "An annotated text is the source, word for word, in which each passage that claims something or gives a reason stands in a "
        "`<proposition>` element. Attributes name the passage and say which other passages it supports or attacks."
    ),
    simple=(
        "An annotated text is like a text marked with coloured pens. You copy the text just as it is, and put a mark before and behind "
        "each bit in which somebody says what they think, or why. Each bit gets a number, and you note which bit helps which other bit, "
        "and which one speaks against it."
    ),
    notation=(
        ('`<proposition id="1">…</proposition>`', "a marked passage and its id, which is given once and holds no blank"),
        ('`supports="2"`', "the passage is a reason for passage 2; several ids are separated by blanks"),
        ('`attacks="3 4"`', "the passage speaks against passages 3 and 4"),
        ('`argument_label="Name"`', "the label of the argument or claim, in an Argdown document, that the passage belongs to"),
        ('`ref_reco_label="1"`', "the number of the premise or conclusion, in that argument, that the passage states"),
    ),
    steps=(
        "Read the text and find what is claimed, and what is said for or against it.",
        "Copy the text, and put each of these passages in a `<proposition>` element with an id of its own.",
        "Add to each passage which others it supports or attacks.",
        "Compare your text with the source: the words must be the same.",
    ),
    look_for=(
        "Is each marked passage a whole thought, and is none of importance left unmarked?",
        "Do the supports and attacks say what the text says?",
    ),
)

MAP = Form(
    name="argument map",
    kind="argdown",
    file="map.ad",
    what=(
        "An argument map, written in Argdown, shows claims and arguments with a label and a short text each, and which of them support "
        "or attack which. How an argument works inside is not shown."
    ),
    simple=(
        "An argument map is like a family tree of a debate. At the top stands what everybody is talking about. Below it, a little further "
        "to the right, stand the reasons for it and the reasons against it, and below those what is said for or against them. "
        "Everything in it has a short name."
    ),
    notation=(
        ("`[Label]: text`", "a claim"),
        ("`<Label>: text`", "an argument, with its gist"),
        ("`<+ <Label>: text`", "indented below something: supports it"),
        ("`<- <Label>: text`", "indented below something: attacks it"),
        ("`+> [Label]`, `-> [Label]`", "indented below something: is supported, is attacked by it"),
        ("`[Label]` or `<Label>` alone", "names again what was introduced before"),
    ),
    steps=(
        "Find the claim or the claims that the text is about.",
        "Collect the arguments for and against them, and sum up each in a sentence.",
        "Give each claim and each argument a short label.",
        "Write down, by indentation, which argument supports or attacks what.",
    ),
    look_for=(
        "Are the central claim and all arguments of weight there, each once?",
        "Does each support and attack start and end at the right place?",
        "Do the labels say what the texts say?",
    ),
)

RECONSTRUCTION = Form(
    name="reconstruction",
    kind="argdown",
    file="reconstructions.ad",
    what=(
        "A reconstruction, written in Argdown, takes an argument apart into a premise-conclusion structure: numbered premises, perhaps "
        "intermediate conclusions, and a final conclusion. An inference line above each conclusion says what it is drawn from."
    ),
    simple=(
        "A reconstruction takes an argument apart, like a machine whose parts are laid out in a row. First come the reasons, each with a "
        "number. Then comes a line, and below the line stands what follows from the reasons. On the line you note the numbers of the "
        "reasons that were used."
    ),
    notation=(
        ("`<Title>: gist`", "the argument's name, and what it says in a sentence; an empty line follows"),
        ("`(1) sentence`", "a premise; lines are numbered from 1"),
        ("`-- {from: ['1', '2']} --`", "an inference line, which says what the conclusion below it is drawn from"),
        ("`(3) sentence`", "directly below an inference line: a conclusion"),
        ("`(3) [Label]: sentence`", "a line may have a label, by which other arguments can refer to it"),
    ),
    steps=(
        "Say in one sentence what the argument is for: its final conclusion.",
        "Collect the reasons given for it, and add those that are taken for granted.",
        "Write premises and conclusions as whole sentences, in an order in which each conclusion stands below what it is drawn from.",
        "Put an inference line above each conclusion and name in it the numbers that it is drawn from.",
    ),
    look_for=(
        "Is the final conclusion what the text argues for?",
        "Does each conclusion follow from what its inference line names, with no gap?",
        "Are the premises what the author says or must take for granted, as charitably as the text allows?",
    ),
)

FORMAL = Form(
    name="logical reconstruction",
    kind="argdown",
    file="reconstructions.ad",
    what=(
        f"{RECONSTRUCTION.what} A logical reconstruction is deductively valid: each premise and each conclusion is formalised in "
        "propositional or first-order logic, and the formulas prove it."
    ),
    simple=(
        f"{RECONSTRUCTION.simple} Because we want to be quite sure, you also write each sentence in the language of logic, and explain "
        "what your signs mean. Then a computer can check that the last sentence really follows."
    ),
    notation=(
        *RECONSTRUCTION.notation,
        (
            "`(1) sentence {formalization: 'p -> q', declarations: {p: 'it rains', q: 'the street is wet'}}`",
            "a line with its formula and the meaning of the symbols that are new in it",
        ),
        ("`-` `&` `|` `->` `<->`", "not, and, or, if … then, if and only if"),
        (
            "`all x.(F(x) -> G(x))`, `exists x.F(x)`, `a = b`",
            "every x, some x, identity; quote formulas: they hold signs that YAML reads as its own",
        ),
    ),
    steps=(
        *RECONSTRUCTION.steps,
        "Formalise each sentence, and declare each symbol where it is first used.",
        "Check that each conclusion follows from the formulas that its inference line names, and that no premise could be spared.",
    ),
    look_for=(
        *RECONSTRUCTION.look_for,
        "Does each formula, read with the declared meanings, say what its sentence says?",
        "Is every premise needed, and do the premises not contradict each other?",
    ),
)

_FORMS: dict[ArtefactName, Form] = {"annotation": ANNOTATION, "map": MAP, "reconstruction": RECONSTRUCTION}

_LINKS: tuple[tuple[ArtefactName, ArtefactName, str, str], ...] = (
    ("annotation", "map", '`argument_label="Label"`', "in the text: the node of the map that a passage belongs to"),
    ("map", "annotation", "`<Label>: text {annotation_ids: ['1', '2']}`", "in the map: the passages that a node stands for"),
    (
        "annotation",
        "reconstruction",
        '`argument_label="Title" ref_reco_label="1"`',
        "in the text: the argument, and the line of it, that a passage states",
    ),
    (
        "reconstruction",
        "annotation",
        "`(1) sentence {annotation_ids: ['2']}`",
        "in the reconstruction: the passages that a line states; `[]` where the text leaves it unsaid",
    ),
    ("reconstruction", "map", "`<Title>`", "the same in map and reconstruction: one argument"),
    ("reconstruction", "map", "`(3) [Label]: sentence`", "a line that is the claim `[Label]` of the map"),
    (
        "reconstruction",
        "map",
        "`>< [Label]` or `- [Label]`",
        "indented below a line of a reconstruction: it contradicts, or is attacked by, that claim",
    ),
)
"""How one artefact names parts of another: where it is written, what it names, how, and what that means."""


def forms_of(task: Task) -> tuple[Form, ...]:
    """The forms of a task's artefacts, in order."""
    return tuple(form_of(artefact, task.formal) for artefact in task.artefacts)


def form_of(artefact: ArtefactName, formal: bool = False) -> Form:
    """The form of an artefact."""
    return FORMAL if formal and artefact == "reconstruction" else _FORMS[artefact]


def links_of(task: Task) -> tuple[tuple[str, str], ...]:
    """How the parts of the task's answer name each other, or what was given."""
    there = {*task.artefacts, task.given}
    reads_three = len(task.artefacts) == 3  # there map and text are joined by the reconstruction alone
    return tuple(
        (sign, meaning)
        for written, named, sign, meaning in _LINKS
        if written in task.artefacts and named in there and not (reads_three and {written, named} == {"annotation", "map"})
    )
