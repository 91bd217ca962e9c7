"""What quantifiers bind, and what is odd about it: no first-order formula quantifies over sentences, predicates or
functions."""

from __future__ import annotations

from dataclasses import dataclass

from suasion.analysis.logic.issues import Issue, shown
from suasion.analysis.logic.syntax import Atom, Exists, ForAll, Formula, Function, Node, Variable, children


@dataclass(slots=True)
class _Binder:
    at: int
    used: bool = False


def scope_issues(formula: Formula) -> tuple[list[Issue], list[Issue]]:
    """Errors and warnings about bound names, each once a name. Linear in the formula (times the depth of its
    quantifiers)."""
    errors: dict[tuple[str, str], Issue] = {}
    warnings: dict[tuple[str, str], Issue] = {}
    binders: list[tuple[str, _Binder]] = []
    waiting: list[tuple[Node, dict[str, _Binder]]] = [(formula, {})]
    while waiting:
        node, bound = waiting.pop()
        if isinstance(node, ForAll | Exists):
            bound = dict(bound)
            for name in node.variables:
                if name in bound:
                    hint = "Give each quantifier a variable of its own."
                    issue = Issue("rebound-variable", f"'{shown(name)}' is bound twice over.", hint, node.at)
                    warnings.setdefault((issue.code, name), issue)
                bound[name] = _Binder(node.at)
                binders.append((name, bound[name]))
        elif isinstance(node, Variable) and node.name in bound:
            bound[node.name].used = True
        elif isinstance(node, Atom | Function) and node.name in bound:
            bound[node.name].used = True
            errors.setdefault((node.name, ""), _misused(node))
        waiting.extend((child, bound) for child in reversed(children(node)))
    for name, binder in binders:
        if not binder.used:
            message = f"'{shown(name)}' is quantified, but does not occur in the scope of its quantifier."
            hint = "Put brackets around the scope, all x.(… -> …), and write F(x), not Fx."
            warnings.setdefault(("vacuous-quantifier", name), Issue("vacuous-quantifier", message, hint, binder.at))
    return sorted(errors.values(), key=lambda issue: issue.position), list(warnings.values())


def _misused(node: Atom | Function) -> Issue:
    name = shown(node.name)
    if not node.arguments:
        message = f"The variable '{name}' stands where a sentence is needed."
        return Issue("variable-as-sentence", message, f"Say something about it: F({name}).", node.at)
    message = f"'{name}' is quantified and used as a predicate or function: that is not first-order logic."
    return Issue("second-order", message, "Quantify only over things; give the predicate a name of its own.", node.at)
