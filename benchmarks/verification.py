"""Claims: a warm process judges argmap answers at 40 times the rate of the field's reference implementation, infreco at 30, logreco at 12
and argmap_plus_arganno_plus_logreco at 10 times; two workers judge 1.8 times as many as one; 10⁵ answers stream through in memory that
does not grow with their number.

Rival: the reference implementation may not be taken in here (AGPL). Its figures were measured elsewhere, on a machine of this kind
(2 cores, Python 3.11), on answers of the same size, valid and with one planted fault; they are cited. Our rate is that of valid and invalid
answers by turns, the same ones again and again, as there. Our prover remembers what it proved and the rival's does not, so beside each rate
stands that of a prover that forgets everything after each answer: answers no two of which have a formula in common.
"""

from __future__ import annotations

import os
import resource
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from functools import partial

from ordinary_answers import SOURCE, Ordinary, ordinary

from suasion.analysis.logic.prover import Prover
from suasion.analysis.service import Row, verify_many
from suasion.analysis.service.judging import make_judge
from suasion.analysis.tasks import get_task, scores
from suasion.analysis.verification.pool import Pool
from suasion.analysis.verification.stream import in_order
from suasion.analysis.verification.verify import judge

# task: (ms for a valid answer, ms for an invalid one, the ratio that is claimed)
CITED = {
    "argmap": (27.1, 26.2, 40),
    "infreco": (26.8, 27.5, 30),
    "logreco": (39.1, 39.4, 12),
    "argmap_plus_arganno_plus_logreco": (78.8, 76.2, 10),
}
SECONDS, ROUNDS, ANSWERS, STREAMED = 1.0, 5, 4000, 100_000


def main() -> None:
    """Print every claim with its figure."""
    for one in ordinary():
        rates(one)
    scaling()
    streaming()


def rates(one: Ordinary) -> None:
    """One process, warm."""
    task = get_task(one.task)
    prover = Prover(workers=0)

    def again(forget: bool) -> None:
        for answer, expected in ((one.valid, "valid"), (one.invalid, "invalid")):
            if forget:
                prover._known.clear()
            (verdict,) = judge(task, [task.case(SOURCE, answer)], prover, partial(scores, task))
            assert verdict.name == expected, verdict  # noqa: S101

    forgetful, remembering = (2 * rate(lambda forget=forget: again(forget)) for forget in (True, False))  # type: ignore[misc]
    valid, invalid, claimed = CITED[one.task]
    cited = 2000 / (valid + invalid)
    told(f"{one.task}: {remembering:,.0f}/s against {cited:.1f}/s, cited", remembering / cited, claimed)
    print(f"       with a prover that forgets: {forgetful:,.0f}/s, {forgetful / cited:.3g}x", flush=True)


def rate(work: Callable[[], None]) -> float:
    """Times a second of the processor's time, the best of several rounds; a busy machine is no slower that way."""
    best = 0.0
    for _ in range(ROUNDS):
        count, started = 0, time.process_time()
        while time.process_time() - started < SECONDS:
            work()
            count += 1
        best = max(best, count / (time.process_time() - started))
    return best


def scaling() -> None:
    """The same answers on one worker and on two, by turns."""
    ratios, counts = [], {1: 0.0, 2: 0.0}
    pools = {workers: Pool(make_judge, workers) for workers in counts}
    for pool in pools.values():
        pool.start()
    for _ in range(ROUNDS):
        for workers, pool in pools.items():
            started = time.perf_counter()
            done = sum(1 for _ in in_order(pool.submit, rows(ANSWERS), workers, label=None))
            counts[workers] = done / (time.perf_counter() - started)
        ratios.append(counts[2] / counts[1])
    for pool in pools.values():
        pool.close()
    said = ", ".join(f"{ratio:.2f}" for ratio in ratios)
    told(f"two workers ({counts[2]:,.0f}/s) against one ({counts[1]:,.0f}/s); median of {said}", statistics.median(ratios), 1.8)


def streaming() -> None:
    """10⁵ answers, and a tenth of them; each in a process of its own, so that the peak is its own."""
    peaks = {}
    for count in (STREAMED // 10, STREAMED):
        command = [sys.executable, __file__, "stream", str(count)]
        done = subprocess.run(
            command, stdout=subprocess.PIPE, text=True, check=True, env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
        )
        peak, worker, seconds = map(float, done.stdout.split())
        peaks[count] = peak
        print(f"{count:,} answers: {count / seconds:,.0f}/s, at most {peak:.0f} MB here and {worker:.0f} MB in a worker")
    growth = peaks[STREAMED] / peaks[STREAMED // 10]
    print(f"{'HOLDS' if growth < 1.1 else 'FAILS'}  memory for ten times as many answers: {growth:.2f}x (claimed: less than 1.1x)")


def stream(count: int) -> None:
    """Judge so many answers, and print both peaks in MB and the seconds."""
    started = time.perf_counter()
    names = {verdict.name for _, verdict in verify_many(rows(count), total=count)}
    assert names == {"valid", "invalid"}  # noqa: S101
    seconds = time.perf_counter() - started
    peaks = [resource.getrusage(who).ru_maxrss / 1024 for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    print(*peaks, seconds)


def rows(count: int) -> Iterator[Row]:
    """The ordinary answers by turns, no two alike."""
    answers = [(one.task, answer) for one in ordinary() for answer in (one.valid, one.invalid)]
    for number in range(count):
        task, answer = answers[number % len(answers)]
        yield Row(str(number), task, SOURCE, f"Answer {number}.\n\n{answer}")


def told(what: str, ratio: float, claimed: float) -> None:
    """One line for a claim."""
    print(f"{'HOLDS' if ratio >= claimed else 'FAILS'}  {what}: {ratio:.3g}x (claimed: {claimed}x)", flush=True)


if __name__ == "__main__":
    if sys.argv[1:2] == ["stream"]:
        stream(int(sys.argv[2]))
    else:
        main()
