from __future__ import annotations

import subprocess
import sys
from itertools import pairwise
from pathlib import Path

import pytest
import zstandard
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from suasion.errors import SuasionError
from suasion.persuasion.mining.sources.dumps import open_dump
from suasion.persuasion.mining.sources.frames import MAX_WINDOW, frame_end
from suasion.persuasion.mining.sources.lines import Reading
from tests.persuasion.mining.lines_for_tests import many

EMPTY = zstandard.ZstdCompressor().compress(b"")
SKIPPABLE = (0x184D2A5B).to_bytes(4, "little") + (3).to_bytes(4, "little") + b"abc"


def frame(data: bytes, checksum: bool = True, size: bool = True, blocks: int = 1) -> bytes:
    """A frame of at least so many blocks."""
    if blocks == 1 and size:
        return zstandard.ZstdCompressor(write_checksum=checksum).compress(data)
    compressor = zstandard.ZstdCompressor(write_checksum=checksum, write_content_size=size).compressobj()
    cuts = [len(data) * number // blocks for number in range(blocks + 1)]
    pieces = [compressor.compress(data[start:end]) + compressor.flush(zstandard.COMPRESSOBJ_FLUSH_BLOCK) for start, end in pairwise(cuts)]
    return b"".join(pieces) + compressor.flush()


def noise(size: int, seed: int = 0) -> bytes:
    """Text that hardly compresses, so that its frames have blocks of some length."""
    import random

    return bytes(random.Random(seed).choices(range(33, 127), k=size))


def read(path: Path, data: bytes, view: int = 1 << 16) -> tuple[bytes, dict[str, int], int]:
    """What was decompressed, what is said of damage, and the bytes that were told of as taken."""
    path.write_bytes(data)
    reading, taken = Reading(), []
    buffer, found = bytearray(view), []
    with open_dump(path, reading, taken.append) as stream:
        while read := stream.readinto(memoryview(buffer)):
            found.append(bytes(buffer[:read]))
        assert stream.readinto(memoryview(buffer)) == 0
    return b"".join(found), reading.damaged, sum(taken)


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("frames") / "c.zst"


FRAMES = st.lists(
    st.tuples(st.binary(max_size=40) | st.integers(0, 200_000).map(bytes), st.booleans(), st.booleans(), st.integers(1, 3))
    | st.just(SKIPPABLE),
    min_size=1,
    max_size=6,
)


@settings(max_examples=100, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(FRAMES, st.sampled_from([1, 3, 100, 1 << 17, 1 << 20]))
def test_frames_one_after_another_are_one_stream(place: Path, parts: list[tuple[bytes, bool, bool, int] | bytes], view: int) -> None:
    content = b"".join(part[0] for part in parts if isinstance(part, tuple))
    view = view if len(content) < 1000 else max(view, 1 << 10)
    data = b"".join(part if isinstance(part, bytes) else frame(*part) for part in parts)
    found, damaged, taken = read(place, data, view)
    assert found == content
    assert not damaged
    assert taken <= len(data)


def test_the_end_of_a_frame_is_known_from_its_headers() -> None:
    for one in (frame(many(50)), frame(noise(400_000), blocks=4), frame(b"", False), frame(b"x" * 300, size=False), EMPTY):
        assert frame_end(one + b"more", 0) == (len(one), True)
        assert all(frame_end(one[:cut], 0) == (cut, False) for cut in range(4, len(one), max(1, len(one) // 50)))


def test_an_empty_file(tmp_path: Path) -> None:
    assert read(tmp_path / "c.zst", b"") == (b"", {}, 0)
    assert read(tmp_path / "c.zst", EMPTY * 3)[:2] == (b"", {})
    assert read(tmp_path / "c.zst", SKIPPABLE)[:2] == (b"", {})


@pytest.mark.parametrize("cut", [5, 7, 11, 3000, -3, -1])
def test_a_truncated_file_gives_what_stands_before_the_cut(tmp_path: Path, cut: int) -> None:
    """In the header, in a block, in the checksum."""
    whole, text = frame(many(5)), noise(60_000)
    last = frame(text, blocks=20)
    found, damaged, _ = read(tmp_path / "c.zst", whole + last[:cut])
    assert found.startswith(many(5))
    rest = found[len(many(5)) :]
    assert text.startswith(rest)
    assert len(rest) == (len(text) if cut < 0 else 0 if cut < 20 else len(rest))
    assert cut != 3000 or len(rest) >= 2000  # nearly all of the bytes that are there
    assert damaged == {"c.zst": len(whole + last[:cut])}


def test_damage_in_one_frame_loses_what_stands_behind_it_in_this_frame_alone(tmp_path: Path) -> None:
    first, spoilt, last = (frame(noise(200_000, seed), blocks=4) for seed in (1, 2, 3))
    middle = len(spoilt) // 2
    spoilt = spoilt[:middle] + bytes(value ^ 0xFF for value in spoilt[middle : middle + 64]) + spoilt[middle + 64 :]
    found, damaged, _ = read(tmp_path / "c.zst", first + spoilt + last)
    assert found.startswith(noise(200_000, 1) + noise(200_000, 2)[:50_000])
    assert found.endswith(noise(200_000, 3))
    assert len(found) < 600_000 + 10
    assert list(damaged) == ["c.zst"]
    assert len(first) < damaged["c.zst"] <= len(first + spoilt)


def test_garbage_between_frames_is_stepped_over(tmp_path: Path) -> None:
    first, last = frame(many(3)), frame(many(4))
    for garbage in (b"garbage", b"\0" * 5000, b"\x28\xb5\x2f\xfd" * 3, b"\x28\xb5\x2f\xfd\xff\xff", noise(3 << 20), SKIPPABLE[:-1]):
        found, damaged, _ = read(tmp_path / "c.zst", first + garbage + last)
        assert found.startswith(many(3)) and found.endswith(many(4)), garbage[:8]
        assert damaged
    found, damaged, _ = read(tmp_path / "c.zst", first + b"garbage" * 10)
    assert found == many(3) and damaged == {"c.zst": len(first)}


def test_a_wrong_length_that_leads_into_the_next_frame_does_not_lose_it(tmp_path: Path) -> None:
    """A raw block said to be longer than it is swallows the head of what follows."""
    raw = noise(1000)
    header = b"\x28\xb5\x2f\xfd\x00\x58"  # no checksum, no size, a window of 2 MiB
    first = header + (1 | (len(raw) + 40) << 3).to_bytes(3, "little") + raw
    found, damaged, _ = read(tmp_path / "c.zst", first + frame(many(20)) + frame(many(30)))
    assert found.startswith(raw)
    assert found.endswith(many(20) + many(30))
    assert damaged
    swallowing = SKIPPABLE[:4] + (30).to_bytes(4, "little") + b"abc"
    found, damaged, _ = read(tmp_path / "c.zst", swallowing + frame(many(20)) + frame(many(30)))
    assert found == many(20) + many(30) and damaged


def test_blocks_before_damage_in_the_same_read_are_kept(tmp_path: Path) -> None:
    compressor = zstandard.ZstdCompressor().compressobj()
    first = compressor.compress(many(1)) + compressor.flush(zstandard.COMPRESSOBJ_FLUSH_BLOCK)
    broken_block = bytes([0x06, 0x00, 0x00])  # block type 3 is reserved: an error by the format
    found, damaged, _ = read(tmp_path / "c.zst", first + broken_block + b"\0" * 20)
    assert found == many(1)
    assert damaged


def test_nothing_readable_is_damage_and_no_error(tmp_path: Path) -> None:
    assert read(tmp_path / "c.zst", b"\x28\xb5\x2f\xfd" + b"\xff" * 50)[:2] == (b"", {"c.zst": 0})


PARTS = [noise(3000, 1), noise(5, 2), many(8), b"", noise(2000, 3)]
DUMP = [frame(PARTS[0], blocks=3), frame(PARTS[1]), SKIPPABLE + frame(PARTS[2], size=False), frame(PARTS[3]), frame(PARTS[4], blocks=2)]


@settings(max_examples=600, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.integers(0, len(b"".join(DUMP)) - 1), st.integers(1, 255), st.sampled_from([64, 1 << 16]))
def test_any_damaged_byte_costs_its_own_frame_at_most(place: Path, position: int, flip: int, view: int) -> None:
    data = bytearray(b"".join(DUMP))
    data[position] ^= flip
    ends = [sum(map(len, DUMP[: number + 1])) for number in range(len(DUMP))]
    number = next(index for index, end in enumerate(ends) if position < end)
    if position < 4:
        return  # no zstd file any more
    try:
        found, damaged, _ = read(place, bytes(data), view)
    except SuasionError as error:  # the damage asks for a window of more than 2 GiB
        assert "window" in error.what
        return
    before, after = b"".join(PARTS[:number]), b"".join(PARTS[number + 1 :])
    assert found.startswith(before)
    assert found.endswith(after)
    spoilt = found[len(before) : len(found) - len(after)]
    assert damaged or spoilt == PARTS[number]
    assert len(spoilt) < 300_000


def long_window_frame(data: bytes, exponent: int = 21) -> bytes:
    """A frame whose header asks for a window of 2^(10 + exponent) bytes, as ``zstd --long`` writes it."""
    compressor = zstandard.ZstdCompressor().compressobj()
    one = compressor.compress(data) + compressor.flush()
    assert one[4] == 0  # no content size, no single segment: the next byte is the window
    return one[:5] + bytes([exponent << 3]) + one[6:]


def test_a_window_of_two_gibibytes_is_read_and_a_larger_one_is_an_error(tmp_path: Path) -> None:
    data = long_window_frame(many(20))
    with pytest.raises(zstandard.ZstdError):
        zstandard.ZstdDecompressor().decompressobj().decompress(data)  # what the library does unasked
    assert read(tmp_path / "c.zst", data)[0] == many(20)
    assert MAX_WINDOW == 2**31
    with pytest.raises(SuasionError, match="needs a window of 4 GiB; at most 2 GiB") as caught:
        read(tmp_path / "d.zst", long_window_frame(many(20), 22))
    huge = bytearray(frame(many(2)))
    assert huge[4] & 0b1110_0000 == 0b0110_0000  # one segment, so the window is the content's size, here of two bytes
    huge[4:7] = [huge[4] | 0b1100_0000, *(1 << 40).to_bytes(8, "little")]
    with pytest.raises(SuasionError, match=r"window of 1\.02e\+03 GiB"):
        read(tmp_path / "d.zst", bytes(huge))
    assert "d.zst" in str(caught.value) and "--long=31" in str(caught.value)


_BOMB = """
import resource, sys
from pathlib import Path
from suasion.persuasion.mining.sources.dumps import LineBlocks, open_dump
from suasion.persuasion.mining.sources.lines import Reading
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
reading, buffer, total = Reading(), memoryview(bytearray(24 << 20)), 0
with open_dump(Path(sys.argv[1]), reading, lambda size: None) as stream:
    blocks = LineBlocks(stream, reading)
    while used := blocks.fill(buffer):
        total += used
print(total, dict(reading.lines), list(reading.damaged), (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) // 1024)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="memory is told in other units elsewhere")
@pytest.mark.parametrize("damaged", [False, True])
def test_a_bomb_of_zeros_does_not_fill_the_memory(tmp_path: Path, damaged: bool) -> None:
    """Two gibibytes of zeros without an end of line: three bytes of header and one of content to 128 KiB."""
    blocks = (1 << 17 << 3 | 2).to_bytes(3, "little") + b"\0"
    data = b"\x28\xb5\x2f\xfd\x00\x58" + blocks * (2 << 30 >> 17) + (b"\x07\x00\x00" if damaged else b"\x01\x00\x00")
    (tmp_path / "bomb.zst").write_bytes(data + frame(many(2)))
    done = subprocess.run([sys.executable, "-c", _BOMB, str(tmp_path / "bomb.zst")], capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    *said, megabytes = done.stdout.rsplit(maxsplit=1)
    # the zeros and the first line behind them are one line, which is too long
    assert said == [f"{len(many(2)) - len(many(0))} {{'read': 1, 'line too long': 1}} {['bomb.zst'] if damaged else []}"]
    assert int(megabytes) < 700


@pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc")
def test_a_dump_is_not_mapped_into_memory(tmp_path: Path) -> None:
    """What is mapped counts as memory of the process, and a mapped file that gets shorter kills it."""
    path = tmp_path / "c.zst"
    path.write_bytes(frame(many(500)) * 3)
    with open_dump(path, Reading(), lambda size: None) as stream:
        while stream.readinto(memoryview(bytearray(1 << 12))):
            assert str(path) not in Path("/proc/self/maps").read_text()


def test_a_file_that_gets_shorter_meanwhile_is_an_error(tmp_path: Path) -> None:
    path = tmp_path / "c.zst"
    path.write_bytes(frame(noise(8 << 20), blocks=64))
    with pytest.raises(SuasionError, match="became shorter"), open_dump(path, Reading(), lambda size: None) as stream:
        view = memoryview(bytearray(1 << 16))
        stream.readinto(view)
        with path.open("r+b") as file:
            file.truncate(1000)
        while stream.readinto(view):
            pass
