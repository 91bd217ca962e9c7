from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from suasion.files import read_json
from suasion.runs.run import find_runs
from tests.forks import CommandLine, Ended
from tests.nano import write_pairs

COMMANDS = [
    *([], ["run"], ["mine"], ["pairs"], ["judge"], ["audit"], ["sft"], ["practice"], ["evaluate"]),
    *(["pairs", "verify"], ["runs"], ["runs", "list"], ["runs", "show"], ["runs", "lineage"], ["runs", "verify"]),
    *(["arena"], ["arena", "create"]),
]
_ASK = """
import sys
from suasion.cli import main
sys.argv = ["suasion", *sys.argv[1:]]
try:
    main()
finally:
    print("HEAVY", *(name for name in ("torch", "transformers", "trl", "peft", "datasets", "pyarrow", "matplotlib", "scipy", "pandas")
                     if name in sys.modules))
"""


@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
def test_help_is_quick_to_come(command: list[str]) -> None:
    """Measured by what is imported, which does not depend on the machine."""
    done = subprocess.run([sys.executable, "-c", _ASK, *command, "--help"], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[-1].split() == ["HEAVY"]
    assert "Usage" in done.stdout


def test_the_version() -> None:
    from suasion import __version__

    done = subprocess.run([sys.executable, "-m", "suasion", "--version"], capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stdout.strip()) == (0, __version__)


def assert_plain_error(ended: Ended, said: str) -> None:
    assert ended.status == 2, ended.err
    assert "Traceback" not in ended.err + ended.out
    assert said in ended.err, ended.err
    assert ended.out == ""


@pytest.fixture(scope="module")
def pairs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_pairs(tmp_path_factory.mktemp("pairs"), train=24, test=12)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["run", "nowhere.yaml"], "Cannot read the recipe"),
        (["run", "{folder}/torn.yaml"], "not valid YAML"),
        (["run", "{folder}/typo.yaml"], "did you mean 'learning_rate'"),
        (["run", "{folder}/empty.yaml"], "No source of debates"),
        (["run", "{folder}/empty.yaml", "nonsense"], "is not an override"),
        (["run", "{folder}/empty.yaml", "practice.lerning_rate=1"], "did you mean 'learning_rate'"),
        (["run", "{folder}/empty.yaml", "--data", "{folder}/nowhere"], "nowhere"),
        (["mine", "{folder}/nowhere"], "nowhere"),
        (["mine"], "Missing argument"),
        (["pairs", "{folder}/nowhere"], "There is no run"),
        (["pairs", "{folder}"], "holds no posts.parquet"),
        (["sft", "--pairs", "{folder}/nowhere"], "There is no run"),
        (["sft", "--pairs", "{folder}"], "holds no train.parquet"),
        (["sft", "--pairs", "{pairs}", "base.model=./no-such-model"], "no model at this path"),
        (["judge", "--pairs", "{pairs}", "base.model=owner/no-such-model"], "could not be had from the hub"),
        (["audit", "nobody", "--pairs", "{pairs}"], "There is no run 'nobody'"),
        (["audit", "longest", "--pairs", "{pairs}", "--transfer", "{folder}/nowhere"], "There is no such transfer set"),
        (["audit", "longest", "--pairs", "{pairs}", "--transfer", "{pairs}", "--transfer", "{pairs}"], "Two transfer sets"),
        (["audit", "longest", "--pairs", "{pairs}", "--transfer", "{folder}/torn.yaml"], "torn.yaml"),
        (["practice", "--writer", "w", "--judge", "j", "--pairs", "{pairs}"], "There is no run 'w'"),
        (["evaluate", "--writer", "w", "--judge", "j", "--pairs", "{pairs}"], "There is no run 'w'"),
        (["runs", "show", "nobody"], "There is no run 'nobody'"),
        (["runs", "lineage", "nobody"], "There is no run 'nobody'"),
        (["no-such-verb"], "No such command"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_wrong_calls_are_told_plainly(suasion: CommandLine, tmp_path: Path, pairs: Path, words: list[str], said: str) -> None:
    (tmp_path / "torn.yaml").write_text("sft: [1, 2")
    (tmp_path / "typo.yaml").write_text("sft: {lerning_rate: 1}")
    (tmp_path / "empty.yaml").write_text("")
    root = [] if words[0] == "no-such-verb" else ["-R", tmp_path / "runs"]
    ended = suasion(*[word.format(folder=tmp_path, pairs=pairs) for word in words], *root)
    assert_plain_error(ended, said)
    assert all(run.manifest.status == "failed" for run in find_runs(tmp_path / "runs"))


def test_each_stage_alone(suasion: CommandLine, nano_folder: Path, tmp_path: Path) -> None:
    """mine, pairs, sft, judge, audit, practice, evaluate, each with a folder of its own."""
    small = [f"base.model={nano_folder}", "rendering.prompt_tokens=160", "rendering.reply_tokens=8", "rendering.total_tokens=240"]

    def done(*words: object) -> Ended:
        ended = suasion(*words, "-R", tmp_path / "runs")
        assert ended.status == 0, ended.err
        assert "Traceback" not in ended.err
        return ended

    done("mine", "sample", "-o", tmp_path / "mined")
    assert {"posts.parquet", "comments.parquet", "awards.parquet", "counts.json"} <= {path.name for path in (tmp_path / "mined").iterdir()}
    done("pairs", tmp_path / "mined", "-o", tmp_path / "pairs", "pairs.min_words=25", "pairs.test=0.3", *small)
    assert {"train.parquet", "validation.parquet", "test.parquet", "README.md"} <= {path.name for path in (tmp_path / "pairs").iterdir()}
    given = ["--pairs", tmp_path / "pairs"]
    done("sft", *given, "-o", tmp_path / "sft", *small, "sft.max_steps=2")
    judged = json.loads(done("judge", *given, "-o", tmp_path / "judge", "--json", *small, "judge.max_steps=2").out)
    assert judged["head_proof"]["reloaded"] < 1e-4 and judged["folder"] == str(tmp_path / "judge")

    audited = suasion("audit", tmp_path / "judge", *given, "-o", tmp_path / "audit", "--json", *small, *QUICK, "-R", tmp_path / "runs")
    found = json.loads(audited.out)
    assert audited.status == (0 if found["verdict"] == "pass" else 1)
    written = read_json(tmp_path / "audit" / "audit.json")
    assert {key: found[key] for key in written if key != "judge"} == {key: written[key] for key in written if key != "judge"}

    practice = ["practice", "--writer", tmp_path / "sft", "--judge", tmp_path / "judge", *given, "--audit", tmp_path / "audit", *small]
    practice += ["practice.max_steps=2", "practice.cut_off=score", "practice.preflight.max_cut_off=1"]
    if found["verdict"] == "fail":
        refused = suasion(*practice, "-R", tmp_path / "runs")
        assert refused.status == 1 and found["failed"][0] in refused.err and "Traceback" not in refused.err
    done(*practice, "-o", tmp_path / "grpo", "practice.allow_failed_audit=true")

    writers = ["--writer", tmp_path / "sft", "--writer", tmp_path / "grpo"]
    evaluated = done("evaluate", *writers, "--judge", tmp_path / "judge", *given, "-o", tmp_path / "eval", "--json", *small)
    found = json.loads(evaluated.out)
    assert found["systems"].keys() == {"base", "SFT", "GRPO"}
    written = read_json(tmp_path / "eval" / "evaluation.json")
    assert {key: found[key] for key in written} == written
    assert (tmp_path / "eval" / "report.html").is_file()
    again = suasion("sft", *given, "-o", tmp_path / "sft", *small, "sft.max_steps=2", "-R", tmp_path / "runs")
    assert_plain_error(again, "holds the finished run")


QUICK = ["audit.replies=6", "audit.search_calls=60"]
#: Limits that hold a judge to being right and to nothing else.
MILD = [
    *("audit.min_lead=-1", "audit.min_premise_effect=-1", "audit.max_overconfidence=1", "audit.max_length_correlation=1"),
    *("audit.max_length_slope=100", "audit.min_accuracy_loser_longer=0", "audit.min_accuracy_equal_length=0"),
    *("audit.max_trick_gain=100", "audit.max_substance_gain=100", "audit.max_search_gain=100", "audit.max_exploit_wins=1"),
]


def test_a_judge_that_is_right_passes_where_no_more_is_asked(suasion: CommandLine, nano_folder: Path, pairs: Path, tmp_path: Path) -> None:
    small = [f"base.model={nano_folder}", "rendering.prompt_tokens=96", "rendering.reply_tokens=8", "rendering.total_tokens=160"]
    common = ["--pairs", pairs, "-R", tmp_path, *small]
    trained = suasion("judge", *common, "judge.max_steps=40", "judge.batch_size=8", "judge.learning_rate=2e-3", "judge.checkpoint_every=0")
    assert trained.status == 0, trained.err
    judge = find_runs(tmp_path)[-1]
    strict = suasion("audit", judge.name, *common, *QUICK, "--json")
    assert strict.status == 1
    # one word tells winner from loser in these pairs: who knows it is right, no better than a bag of words, and does not read the premise
    assert {"beats-words", "reads-premise"} <= set(json.loads(strict.out)["failed"])
    mild = suasion("audit", judge.name, *common, *QUICK, *MILD, "--json")
    assert mild.status == 0, json.loads(mild.out)["failed"]
    assert json.loads(mild.out)["verdict"] == "pass"
    assert suasion("sft", *common, "sft.max_steps=1").status == 0
    writer = find_runs(tmp_path)[-1]
    settings = ["practice.max_steps=1", "practice.cut_off=score", "practice.preflight.max_cut_off=1"]
    practised = suasion("practice", "--writer", writer.name, "--judge", judge.name, *common, *settings, "--json")
    assert practised.status == 0, practised.err
    assert json.loads(practised.out)["judge_passed_audit"] is True


@pytest.mark.parametrize("rule", ["longest", "words"])
def test_a_baseline_fails_its_audit(suasion: CommandLine, pairs: Path, tmp_path: Path, rule: str) -> None:
    ended = suasion("audit", rule, "--pairs", pairs, "--transfer", pairs, "-R", tmp_path, "--json", *QUICK)
    assert ended.status == 1
    found = json.loads(ended.out)
    assert f"beats-{rule}" in found["failed"]
    assert set(found["baselines"]) == {"longest", "shortest", "shallow", "words"}
    assert found["transfer"][pairs.name]["judge"]["value"] == found["findings"][0]["value"]


def test_another_base_is_refused_with_both_names(
    suasion: CommandLine, nano_folder: Path, other_nano_folder: Path, pairs: Path, tmp_path: Path
) -> None:
    small = ["rendering.prompt_tokens=96", "rendering.reply_tokens=8", "rendering.total_tokens=160"]
    common = ["--pairs", pairs, "-R", tmp_path, *small]
    assert suasion("sft", *common, f"base.model={nano_folder}", "sft.max_steps=1").status == 0
    assert suasion("judge", *common, f"base.model={nano_folder}", "judge.max_steps=1").status == 0
    writer, judge = find_runs(tmp_path)
    parents = ["--writer", writer.name, "--judge", judge.name]
    ended = suasion("practice", *parents, *common, f"base.model={other_nano_folder}", "practice.allow_failed_audit=true")
    refused = find_runs(tmp_path)[-1]
    assert_plain_error(ended, "do not stand on the same base")
    assert refused.name in ended.err and writer.name in ended.err and "weights" in ended.err
    assert refused.manifest.kind == "GRPO" and refused.manifest.status == "failed"
    swapped = suasion("practice", "--writer", judge.name, "--judge", writer.name, *common, f"base.model={nano_folder}")
    assert_plain_error(swapped, "is needed")
