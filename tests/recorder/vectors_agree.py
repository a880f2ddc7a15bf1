#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Checks basic block vectors.

vectors_agree.py same BB PC BB PC     two files of vectors have the same counts of the same blocks
vectors_agree.py trace TRACE BB PC    a trace's vectors, read independently, have the sums of the file, and the ends of
                                      intervals follow from them; prints instructions by interval
vectors_agree.py ends TRACE           the ends of intervals follow from the vectors as FORMAT.md 4.6 says; prints for each
                                      instructions, filtered instructions, tier, count and place of its marker
vectors_agree.py hashes TRACE TRACE   two traces have the same rolling hashes
vectors_agree.py loops ENDS SIZE      in a file printed by `ends`, no interval but the last ends before its filtered
                                      instructions, nor much later; prints the tiers of markers
vectors_agree.py early TRACE SIZE     each interval but the last ends at most 1024 instructions before its place
"""

import re
import sys
from collections import Counter, defaultdict
from functools import cache
from os.path import dirname, realpath

from xxhash import xxh3_128_digest, xxh3_64_intdigest

sys.path.insert(0, dirname(dirname(realpath(__file__))))
from traceread.encodings import BLOCKS, M64, MODULES  # noqa: E402
from traceread.trace import Trace  # noqa: E402
from traceread.vectors import executed, executions, places  # noqa: E402


def vectors(bb, pc):
    """The intervals of a file, each a dictionary of counts by the place of the block."""
    with open(pc, encoding="ascii", errors="replace") as file:
        names = dict(re.findall(r"^F:(\d+):([^:\n]*)", file.read(), re.M))
    intervals = []
    with open(bb, encoding="ascii") as file:
        for line in file:
            if line.startswith("T"):
                counts = [(names[block], int(n)) for block, n in re.findall(r":(\d+):(\d+)", line)]
                intervals.append(dict(counts))
                assert len(intervals[-1]) == len(counts), "a block stands twice in a line"
    return intervals


def load(name):
    with open(name, "rb") as file:
        return Trace(file.read(), walk=False)


def read(trace):
    """The trace's vectors as (interval, thread, instructions); checks that counts add up."""
    found = []
    for interval, thread, instructions, counts in trace.vectors:
        total = sum(times * executed(path, leave, partial) for path, leave, times, partial in counts)
        assert total == instructions, f"interval {interval}: {total} instead of {instructions}"
        assert all(times for _, _, times, _ in counts), f"interval {interval}: a count is 0"
        assert all(len(path.blocks) == 1 and not path.recipes for path, *_ in counts), \
            f"interval {interval}: a path has several blocks, or recipes"
        found.append((interval, thread, instructions))
    assert found == sorted(found), "vectors are not in order"
    return found


# ---- the ends of intervals ----

def numbers(*values):
    return b"".join((value & M64).to_bytes(8, "little") for value in values)


def module_hash(trace, block):
    if block.module is None:
        return 0
    _, path, build_id, _ = trace.records[MODULES][block.module]
    return xxh3_64_intdigest(build_id or path.rpartition("/")[2].encode())


@cache
def place_hash(module, offset):
    return [int.from_bytes(half, "big") for half in batched(xxh3_128_digest(numbers(module, offset)), 8)]


def batched(data, size):
    return [data[at:at + size] for at in range(0, len(data), size)]


class Sums:
    """The hash and the counts that follow from the vectors so far."""

    def __init__(self, trace):
        self.trace, self.excluded, self.hash = trace, set(), bytes(16)
        self.instructions = self.filtered = 0
        self.times = defaultdict(Counter)  # by id of the block, by instructions executed
        self.holders = defaultdict(list)  # (id of the block, number of the instruction), by place
        self.modules, self.shares = {}, {}
        self.blocks = {id(block): block for block in trace.records[BLOCKS].values()}

    def module(self, block):
        if block.module not in self.modules:
            self.modules[block.module] = module_hash(self.trace, block)
        return self.modules[block.module]

    def share(self, key, n):
        """The summands, high and low, of the rolling hash by an execution of n instructions of the block."""
        if (key, n) not in self.shares:
            block = self.blocks[key]
            begin, end = (place_hash(self.module(block), places(block)[i][1]) for i in (0, n))
            self.shares[key, n] = begin[0] - end[0], begin[1] - end[1]
        return self.shares[key, n]

    def count(self, place):
        """How often the instruction of this place was executed."""
        if not self.holders:
            for key, block in self.blocks.items():
                for i, insn in enumerate(places(block)[:-1]):
                    self.holders[insn].append((key, i))
        return sum(times for key, i in self.holders[place] for n, times in self.times[key].items() if n > i)

    def add(self, number, threads):
        """Adds the vectors of an interval, by thread."""
        text = self.hash
        for thread, counts in sorted(threads.items()):
            low = high = 0
            for (key, n), times in executions(counts).items():
                self.instructions += n * times
                self.times[key][n] += times
                if key in self.excluded:
                    continue
                self.filtered += n * times
                share = self.share(key, n)
                high += times * share[0]
                low += times * share[1]
            if low & M64 or high & M64:
                text += numbers(thread, low, high)
        self.hash = xxh3_128_digest(text + numbers(number))


def ends(trace):
    """Compares the ends of intervals with the vectors; yields a line for each."""
    by_interval = defaultdict(dict)
    for interval, thread, _, counts in trace.vectors:
        by_interval[interval][thread] = counts
    blocks = trace.records[BLOCKS]
    sums = Sums(trace)
    assert len(trace.intervals) == len(by_interval), "intervals and vectors have different numbers"
    for i, (number, instructions, filtered, marker, digest, excluded) in enumerate(trace.intervals):
        assert number == i, f"interval {i} has number {number}"
        sums.excluded |= {id(blocks[block]) for block in excluded}
        sums.add(number, by_interval[number])
        assert (sums.instructions, sums.filtered) == (instructions, filtered), f"interval {i}: sums differ"
        assert digest == sums.hash, f"interval {i}: its hash differs"
        if not marker:
            yield instructions, filtered, "none"
            continue
        block, insn, _, tier = marker
        place = places(blocks[block])[insn]
        yield instructions, filtered, tier, sums.count(place) + 1, *place


def same(*names):
    """Compares two files of vectors."""
    one, other = vectors(*names[:2]), vectors(*names[2:])
    assert len(one) == len(other), f"{len(one)} and {len(other)} intervals"
    for number, pair in enumerate(zip(one, other)):
        differ = [(place, *(counts.get(place, 0) for counts in pair))
                  for place in sorted({*pair[0], *pair[1]})
                  if pair[0].get(place, 0) != pair[1].get(place, 0)]
        assert not differ, f"interval {number}: {len(differ)} blocks differ: {differ[:5]}"
    assert one and any(one), "there are no vectors"


def main(what, *arguments):
    if what == "same":
        same(*arguments)
    elif what == "ends":
        for line in ends(load(*arguments)):
            print(*line)
    elif what == "loops":
        with open(arguments[0], encoding="ascii") as file:
            found, size = [line.split() for line in file], int(arguments[1])
        for number, (_, filtered, *_) in enumerate(found[:-1], start=1):
            late = int(filtered) - number * size
            assert 0 <= late < size // 4, f"interval {number} ends {late} instructions late"
        assert len(found) > 2 and found[-1][2] == "none", "there are too few intervals"
        for tier, n in sorted(Counter(end[2] for end in found[:-1]).items()):
            print(tier, n)
    elif what == "hashes":
        one, other = ([end[4] for end in load(name).intervals] for name in arguments)
        assert one == other, f"the hashes of {sum(a != b for a, b in zip(one, other))} intervals differ"
        assert len(one) > 1, "there are too few intervals"
    elif what == "trace":
        trace = load(arguments[0])
        sums = [n for _, _, n in read(trace)]
        assert sums == [sum(v.values()) for v in vectors(*arguments[1:])], "the file has other sums"
        assert len(list(ends(trace))) == len(trace.intervals)
        print(*sums, sep="\n")
    else:
        size, end = int(arguments[1]), 0
        found = read(load(arguments[0]))
        for number, (_, _, instructions) in enumerate(found[:-1]):
            end += instructions
            assert 0 <= (number + 1) * size - end <= 1024, f"interval {number} ends at {end}"
        assert len(found) > 2, "there are too few intervals"


main(*sys.argv[1:])
