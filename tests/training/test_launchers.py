"""The launchers themselves: ``torchrun`` on one host and on two, a process killed and restarted, ``accelerate launch`` on a CPU."""

from __future__ import annotations

import os
import shlex
import signal
import subprocess
import sys
import time
from pathlib import Path

import psutil
import pytest
from accelerate.commands.config.config_args import load_config_from_file

from suasion.files import read_jsonl
from suasion.runs.run import find_runs
from tests.forks import CommandLine
from tests.nano import same_weights, write_pairs

pytestmark = pytest.mark.timeout(900)

ROOT = Path(__file__).resolve().parents[2]
_TORCHRUN = [sys.executable, "-m", "torch.distributed.run"]
#: Two hosts in namespaces of the kernel: a cable between them, and no other network.
_HOSTS = """
set -e
mount -t tmpfs none /run && mkdir /run/netns
ip netns add first && ip netns add second
ip -n first link add cable type veth peer name cable netns second
for host in first:10.77.0.1 second:10.77.0.2; do
  ip -n ${host%%:*} addr add ${host##*:}/24 dev cable && ip -n ${host%%:*} link set cable up && ip -n ${host%%:*} link set lo up
done
"""


@pytest.fixture(scope="module")
def pairs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_pairs(tmp_path_factory.mktemp("pairs") / "pairs")


def sft(model: Path, pairs: Path, root: Path, *more: str) -> list[str]:
    words = ["sft", "--pairs", str(pairs), "-R", str(root), f"base.model={model}", "rendering.prompt_tokens=96"]
    words += ["rendering.reply_tokens=8", "rendering.total_tokens=160", "sft.batch_size=1", "sft.learning_rate=1e-3"]
    return [*words, "sft.checkpoint_every=5", *more]


def environment(**more: str) -> dict[str, str]:
    return os.environ | {"OMP_NUM_THREADS": "1", "PYTHONPATH": str(ROOT)} | more


def test_two_hosts_end_at_the_weights_of_one(nano_folder: Path, pairs: Path, tmp_path: Path, suasion: CommandLine) -> None:
    possible = subprocess.run(["unshare", "-rnm", "sh", "-c", _HOSTS], capture_output=True, text=True)
    if possible.returncode:
        pytest.skip(f"no network namespaces can be made here: {possible.stderr.strip()[:200]}")
    command = sft(nano_folder, pairs, tmp_path / "two", "sft.max_steps=4", "processes=2")
    lines = []
    for rank, host in enumerate(("first", "second")):
        address = [
            "--nnodes",
            "2",
            "--nproc-per-node",
            "1",
            "--node-rank",
            str(rank),
            "--master-addr",
            "10.77.0.1",
            "--master-port",
            "29511",
        ]
        launched = shlex.join(["ip", "netns", "exec", host, *_TORCHRUN, *address, "-m", "suasion", *command])
        lines.append(f"{launched} >{shlex.quote(str(tmp_path / host))} 2>&1 & pid{rank}=$!")
    script = _HOSTS + "\n".join(lines) + "\nwait $pid0\nwait $pid1\n"
    ended = subprocess.run(
        ["unshare", "-rnm", "sh", "-c", script], env=environment(GLOO_SOCKET_IFNAME="cable"), capture_output=True, text=True, timeout=800
    )
    told = (tmp_path / "first").read_text() + (tmp_path / "second").read_text()
    assert ended.returncode == 0, told
    assert "the 2 processes hold the same weights (largest difference 0)" in told
    for one in suasion.together(2, *sft(nano_folder, pairs, tmp_path / "one", "sft.max_steps=4", "processes=2")):
        assert one.status == 0, one.err
    (there,), (here,) = find_runs(tmp_path / "two"), find_runs(tmp_path / "one")
    assert there.manifest.status == "done" and same_weights(there.path / "adapter", here.path / "adapter")


def test_torchrun_restarts_all_when_one_is_killed_and_they_go_on(nano_folder: Path, pairs: Path, tmp_path: Path) -> None:
    command = sft(nano_folder, pairs, tmp_path, "sft.max_steps=120", "processes=2")
    launcher = subprocess.Popen(
        [*_TORCHRUN, "--standalone", "--nproc-per-node", "2", "--max-restarts", "1", "-m", "suasion", *command],
        env=environment(TORCH_DISABLE_SHARE_RDZV_TCP_STORE="1"),  # else the restarted may read where the killed ones were to be found
        stderr=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        text=True,
    )
    try:
        while not any(row["step"] >= 6 for file in tmp_path.glob("*/metrics.jsonl") for row in read_jsonl(file)):
            assert launcher.poll() is None, launcher.stderr and launcher.stderr.read()
            time.sleep(0.05)
        victim = next(child for child in psutil.Process(launcher.pid).children() if child.environ().get("RANK") == "1")
        victim.send_signal(signal.SIGKILL)
        _, told = launcher.communicate(timeout=800)
    finally:
        launcher.kill()
    assert launcher.returncode == 0, told
    (run,) = find_runs(tmp_path)
    assert run.manifest.status == "done" and len(run.manifest.resumed) == 1
    assert [row["step"] for row in run.metrics()] == list(range(1, 121))
    assert "goes on from checkpoint-" in told and "the 2 processes hold the same weights" in told


def test_separate_copies_are_found_out(nano_folder: Path, pairs: Path, tmp_path: Path, suasion: CommandLine) -> None:
    """``accelerate launch --cpu --num_processes 2`` starts one process that believes to be alone."""
    launch = [sys.executable, "-m", "accelerate.commands.launch", "--cpu", "--num_processes", "2", "-m", "suasion"]
    ended = subprocess.run(
        [*launch, *sft(nano_folder, pairs, tmp_path, "sft.max_steps=1", "processes=2")], env=environment(), capture_output=True, text=True
    )
    assert ended.returncode != 0 and "processes=2, and this one is alone" in ended.stderr
    assert list(tmp_path.iterdir()) == []


def test_more_processes_than_the_recipe_says_are_refused(nano_folder: Path, pairs: Path, tmp_path: Path, suasion: CommandLine) -> None:
    ended = suasion.together(2, *sft(nano_folder, pairs, tmp_path, "sft.max_steps=1"))
    assert [one.status for one in ended] == [2, 2]
    assert all("processes=1, and there are 2" in one.err and "Say processes=2" in one.err for one in ended)
    assert ended[0].err.startswith("Error: ") and "[rank 1] Error: " in ended[1].err


@pytest.mark.parametrize("file", sorted((ROOT / "recipes" / "cluster").glob("*.yaml")), ids=lambda path: path.name)
def test_accelerate_reads_the_shipped_files(file: Path) -> None:
    read = load_config_from_file(str(file))
    assert read.num_processes == 8 and not read.use_cpu
