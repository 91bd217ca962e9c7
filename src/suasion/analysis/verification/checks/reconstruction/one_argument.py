"""Exactly one argument, with its gist, and nothing beside it."""

from __future__ import annotations

from collections.abc import Iterator

from suasion.analysis.logic.prover import Prover
from suasion.analysis.verification.case import Case
from suasion.analysis.verification.check import Check
from suasion.analysis.verification.checks.reconstruction._form import READABLE
from suasion.analysis.verification.findings import Finding
from suasion.analysis.verification.telling import argument_name, listed, same_words, sentence, tell

ONLY = ("infreco", "logreco")
SEVERAL, GIST, GISTS = "reconstruction.several-arguments", "reconstruction.no-gist", "reconstruction.several-gists"
RELATION, DATA = "reconstruction.relation", "reconstruction.argument-data"


def find_several(case: Case, prover: Prover) -> Iterator[Finding]:
    """More than one argument."""
    arguments = list(case.reconstruction.arguments.values()) if case.reconstruction else []
    if len(arguments) > 1:
        names = listed([argument_name(argument) for argument in arguments])
        second = arguments[1]
        span = second.members[0].span if second.members else second.pcs_span
        yield tell(case, "reconstruction", SEVERAL, f"There are several arguments: {names}. Keep only the main one.", span)


def find_no_gist(case: Case, prover: Prover) -> Iterator[Finding]:
    """A title without a gist."""
    for argument in case.reconstruction.arguments.values() if case.reconstruction else ():
        if argument.labelled and not argument.gists:
            name = argument_name(argument)
            message = f"{sentence(name)} has no gist. Write in one sentence what it says: {name}: …"
            yield tell(case, "reconstruction", GIST, message, argument.members[0].span)


def find_several_gists(case: Case, prover: Prover) -> Iterator[Finding]:
    """Gists that differ."""
    for argument in case.reconstruction.arguments.values() if case.reconstruction else ():
        nodes = [node for node in argument.members if node.defines and node.text]
        other = next((node for node in nodes if same_words(node.text) != same_words(nodes[0].text)), None)
        if other:
            message = f"{sentence(argument_name(argument))} has two different gists. Keep one."
            yield tell(case, "reconstruction", GISTS, message, other.span)


def find_relations(case: Case, prover: Prover) -> Iterator[Finding]:
    """Supports and attacks that are written down."""
    for relation in case.reconstruction.sketched if case.reconstruction else ():
        message = (
            f"A relation ({relation.type}) is written here, but only an argument is asked for. Take it "
            "away: the inferences say what follows."
        )
        yield tell(case, "reconstruction", RELATION, message, relation.span)


def find_data(case: Case, prover: Prover) -> Iterator[Finding]:
    """Data on the argument itself."""
    for argument in case.reconstruction.arguments.values() if case.reconstruction else ():
        for node in argument.members:
            if node.data:
                message = f"{sentence(argument_name(argument))} has inline data {{…}}, which is not asked for. Take it away."
                yield tell(case, "reconstruction", DATA, message, node.data.span)


CHECKS = (
    Check(SEVERAL, "Reconstruct exactly one argument: the main one.", find_several, after=READABLE),
    Check(GIST, "Say the gist of the argument in one sentence behind its title: <Title>: gist.", find_no_gist, after=(*READABLE, SEVERAL)),
    Check(GISTS, "Give the argument one gist only.", find_several_gists, after=READABLE),
    Check(RELATION, "Write no relations of support, attack or contradiction between claims and arguments.", find_relations, after=READABLE),
    Check(DATA, "Write no inline data behind the title or the gist.", find_data, after=READABLE),
)
