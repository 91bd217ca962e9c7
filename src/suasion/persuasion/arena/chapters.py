"""The chapters of a study's report, each a section made from the results."""

from __future__ import annotations

from suasion.config import to_yaml
from suasion.persuasion.arena import pictures
from suasion.persuasion.arena.clustering import Clustered
from suasion.persuasion.arena.numbers import Numbers
from suasion.persuasion.arena.power import Plan
from suasion.persuasion.arena.results import Results
from suasion.persuasion.arena.strengths import Strengths
from suasion.persuasion.arena.winrates import WinRate
from suasion.runs import plots
from suasion.runs.report import Picture, Section, Table
from suasion.statistics import told_interval

_LOW_ALPHA = 0.4
_MOST_REASONS = 50


def rates(results: Results) -> Section:
    """How often each system's replies were taken, with screening and without."""
    pairs, everybody = head_to_head(results.screened), {(one.system, one.other): one for one in results.everybody.win_rates}
    labels = [f"{one.system} over {one.other}" for one in pairs]
    series = _both(results, [one.rate for one in pairs], [everybody[one.system, one.other].rate for one in pairs])
    figure = pictures.forest(labels, series, "Win rates", "share of ballots won; ties are half", 0.5)
    rows = [
        [
            one.system,
            one.other or "all others",
            one.rate.value,
            told(one.rate),
            one.rate.n,
            everybody[one.system, one.other].rate.value,
            told(everybody[one.system, one.other].rate),
            f"{one.ties:.0%}",
            *([f"{one.both_bad:.0%}"] if results.study.both_bad else []),
        ]
        for one in results.screened.win_rates
    ]
    columns = ["system", "against", "win rate", "95 % interval", "ballots", "everybody's", "interval", "ties"]
    columns += ["both bad"] if results.study.both_bad else []
    caption = (
        "Wilson intervals on the effective number of ballots, clustered by premise and by rater (Cameron, Gelbach & Miller 2011). "
        "“Everybody's” counts the raters, too, whom the rules leave out."
    )
    return Section("Win rates", pictures=[_picture(figure, "Dots and 95 % intervals.")], tables=[Table(columns, rows, caption)])


def strengths(results: Results) -> Section:
    """Bradley–Terry strengths, as they are and with side and length held equal."""
    plain, held, world = results.screened.plain, results.screened.held, results.world
    text = [
        "Bradley–Terry strengths put all systems on one scale: a lead of 1 wins 73 % of the time, a lead of 2 wins 88 %. "
        "“Side and length equal” is what is left when neither the side nor the number of words may speak."
    ]
    text += [f"No strengths: {one.why_not}" for one in (plain, held) if one.why_not]
    text += [f"The effect of {name} cannot be told apart from that of the systems, and is not held equal." for name in held.left_out]
    fitted = [(name, one) for name, one in (("as it is", plain), ("side and length equal", held)) if one.systems]
    if not fitted:
        return Section("Strengths", text)
    names = sorted(fitted[0][1].systems, key=lambda name: -fitted[0][1].systems[name].value)
    truth = [] if world is None else [world.truth(names)[name] for name in names]
    series = [(label, [one.systems[name] for name in names]) for label, one in fitted]
    figure = pictures.forest(names, series, "Strengths", "logits; the mean is zero", 0.0, truth)
    rows = [[name, *(cell for _, one in fitted for cell in (one.systems[name].value, told(one.systems[name])))] for name in names]
    columns = ["system", *(cell for label, _ in fitted for cell in (label, "95 % interval"))]
    return Section("Strengths", text, pictures=[_picture(figure, "")], tables=[Table(columns, rows), *_covariates(held)])


def _covariates(held: Strengths) -> list[Table]:
    said = {"side": "the left reply's advantage", "length": "what twice the words are worth"}
    rows = [[said[name], one.value, told(one)] for name, one in held.covariates.items()]
    caption = "Positive: raters prefer the left, or the longer, reply."
    return [Table(("held equal", "logits", "95 % interval"), rows, caption)] if rows else []


def views(results: Results) -> Section:
    """How far replies moved views."""
    alone = [one for one in results.screened.views if not one.other]
    everybody = {(one.system, one.other): one.change for one in results.everybody.views}
    series = _both(results, [one.change for one in alone], [everybody[one.system, ""] for one in alone])
    figure = pictures.forest([one.system for one in alone], series, "Views changed", f"points of {results.study.scale}", 0.0)
    rows = [
        [one.system, f"more than {one.other}" if one.other else "", one.change.value, told(one.change), one.change.n]
        for one in results.screened.views
    ]
    caption = "By how many points agreement with the premise falls after one reply; intervals clustered by premise and by rater."
    table = Table(("system", "compared", "falls by", "95 % interval", "ballots"), rows, caption)
    return Section("Did it change their view?", pictures=[_picture(figure, "Dots and 95 % intervals.")], tables=[table])


def agreement(results: Results) -> Section:
    """Whether raters agree, with one another and with themselves; and how long they took."""
    numbers = results.screened
    found = numbers.agreement
    rows = [
        ["Krippendorff's alpha", found.alpha.value, told(found.alpha), found.units],
        ["two raters say the same", found.alike.value, told(found.alike), found.units],
        ["the same pair again, sides swapped: same verdict", numbers.consistent.value, told(numbers.consistent), numbers.consistent.n],
        ["decided answers for the left reply", numbers.left.value, told(numbers.left), numbers.left.n],
    ]
    text = []
    if found.units:
        text.append(f"By chance alone, two raters would say the same {found.chance:.0%} of the time; alpha is 0 there and 1 if all agree.")
        if found.alpha.value < _LOW_ALPHA:
            text.append(
                "Such an alpha is usual where tastes are asked for; single verdicts mean little then, and the averages above rest on many."
            )
    picture = _picture(pictures.times(results.ballots, "Time per ballot"), "Everybody's ballots; the slowest twentieth is left out.")
    if results.study.design != "preference":  # opinions are each rater's own: there is nothing to agree on
        return Section("How long they took", pictures=[picture])
    return Section("Do raters agree?", text, pictures=[picture], tables=[Table(("", "value", "95 % interval", "units"), rows)])


def screening(results: Results) -> Section:
    """Who was left out, and by which rule."""
    found, rules = results.screening, results.study.screening
    rows = [[rule, number] for rule, number in found.by_rule().items()]
    text = [
        f"{len(found.dropped)} of {found.raters} raters are left out by rules that were fixed before the first ballot: fewer than "
        f"{rules.min_checks_passed:.0%} of the attention checks passed, a median below {rules.min_median_seconds:g} seconds a ballot, more "
        f"than {rules.max_side_share:.0%} of 12 or more decided answers on one side, or fewer than {rules.min_ballots} ballots.",
        "The rules do not look at which system a rater prefers. All numbers are given with and without them.",
    ]
    return Section("Who counts", text, tables=[Table(("rule", "raters"), rows)] if rows else [])


def judges(results: Results) -> Section:
    """Whether judges agree with people."""
    found = [one for one in results.screened.judges if one.shares["all"].n]
    rows = [[one.judge, split, share.value, told(share), share.n] for one in found for split, share in one.shares.items()]
    if results.study.design == "preference":
        alike = _percent(results.screened.agreement.alike)
        text = f"How often a judge prefers the reply that a rater preferred. Two raters say the same {alike} of the time, ties included."
    else:
        text = "How often a judge prefers the reply that moved its reader further than the other reply moved another reader."
    words = "A judge that is right only where people took the longer reply counts words."
    figure = pictures.judges(found, "Judges and people")
    caption = "“About as long”: the lengths differ by less than a tenth. People's ties are left out, a judge's ties count half."
    table = Table(("judge", "where", "agreement", "95 % interval", "comparisons"), rows, caption)
    return Section(
        "Do the judges see what people see?", [text, words], pictures=[_picture(figure, "Dots and 95 % intervals.")], tables=[table]
    )


def reasons(results: Results) -> list[Section]:
    """What raters wrote, as they wrote it: the first fifty of those who count."""
    said = [one for one in results.screening.kept if one.kind == "ballot" and one.reason.strip()]
    verdicts = {"left": "{0} over {1}", "right": "{1} over {0}", "tie": "{0} and {1} alike", "both_bad": "{0} and {1} both bad", "": "{0}"}
    rows = [[verdicts[one.answer].format(one.left, one.right), one.reason.strip()] for one in said[:_MOST_REASONS]]
    caption = f"The first {len(rows)} of {len(said)}."
    return [Section("In their words", tables=[Table(("verdict", "reason"), rows, caption)], folded=True)] if rows else []


def peeking(results: Results) -> Section:
    """Intervals for those who look while ballots come in."""
    found = results.screened.sequences
    preference = results.study.design == "preference"
    title = "Win rates as raters came in" if preference else "Lead in points as raters came in"
    figure = pictures.sequences(found, title, 0.5 if preference else 0.0)
    rows = [[one.system, one.other, *(one.as_dict()[key] for key in ("value", "low", "high", "raters"))] for one in found]
    text = [
        "These intervals hold at all times at once: one may look after every rater and stop for any reason (Waudby-Smith & Ramdas 2024). "
        "They are wider than those above, and each rater counts once; they speak of the premises of this study."
    ]
    table = Table(("system", "against", "mean of raters", "from", "to", "raters"), rows)
    return Section("While it runs", text, pictures=[_picture(figure, "Shaded: 95 %, anytime-valid.")], tables=[table])


def plan(results: Results) -> Section:
    """What could have been found."""
    made, shown = results.plan, []
    if isinstance(made, Plan):
        figure = pictures.reach(made, "What a study can find")
        shown.append(
            _picture(
                figure,
                "Found four times in five, at the 5 % level. The line is for many raters; with few, a study lies above it.",
            )
        )
    return Section("What it was able to show", made.told(), pictures=shown)


def origin(results: Results) -> Section:
    """The study's settings, and the simulated world's."""
    world = "" if results.world is None else "\n# the simulated raters\n" + to_yaml(results.world)
    return Section("How it was asked", code=to_yaml(results.study) + world, folded=True)


def _both(results: Results, screened: list[Clustered], everybody: list[Clustered]) -> list[tuple[str, list[Clustered]]]:
    return [("screened", screened), ("everybody", everybody)] if results.screening.dropped else [("all raters", screened)]


def _picture(figure: object, caption: str) -> Picture:
    return Picture(plots.inline(figure), caption, alt=caption)  # type: ignore[arg-type]


def told(one: Clustered, *, percent: bool = False) -> str:
    """An interval in words."""
    if one.n and min(one.premises, one.raters) < 2:
        return "unknown (one rater or one premise)"
    return told_interval(one.low, one.high, percent=percent) if one.n else "–"


def _percent(one: Clustered) -> str:
    return f"{one.value:.0%}" if one.n else "not known here"


def head_to_head(numbers: Numbers) -> list[WinRate]:
    """The win rates of one system against one other."""
    return [one for one in numbers.win_rates if one.other]
