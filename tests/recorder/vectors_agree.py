#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Checks basic block vectors.

vectors_agree.py same BB PC BB PC     two files of vectors have the same counts of the same blocks
vectors_agree.py trace TRACE BB PC    a trace's vectors, read independently, have the sums of the file, and the
                                      counts of blocks of one instruction; prints instructions by interval
vectors_agree.py early TRACE SIZE     each interval but the last ends at most 1024 instructions before its place
"""

import re
import sys
from os.path import dirname, realpath

sys.path.insert(0, dirname(dirname(realpath(__file__))))
from traceread.trace import Trace  # noqa: E402


def vectors(bb, pc):
    """The intervals of a file, each a dictionary of counts by the place of the block."""
    with open(pc, encoding="ascii", errors="replace") as file:
        places = dict(re.findall(r"^F:(\d+):([^:\n]*)", file.read(), re.M))
    intervals = []
    with open(bb, encoding="ascii") as file:
        for line in file:
            if line.startswith("T"):
                counts = [(places[block], int(n)) for block, n in re.findall(r":(\d+):(\d+)", line)]
                intervals.append(dict(counts))
                assert len(intervals[-1]) == len(counts), "a block stands twice in a line"
    return intervals


def executed(path, leave, partial):
    """The instructions of the path up to the exit."""
    return partial if leave is None else sum(len(b.insns) for b in path.blocks[:leave.blocks])


def read(name):
    """The trace's vectors as (interval, thread, instructions); checks that counts add up."""
    with open(name, "rb") as file:
        trace = Trace(file.read(), walk=False)
    found = []
    for interval, thread, instructions, counts in trace.vectors:
        total = sum(times * executed(path, leave, partial) for path, leave, times, partial in counts)
        assert total == instructions, f"interval {interval}: {total} instead of {instructions}"
        assert all(times for _, _, times, _ in counts), f"interval {interval}: a count is 0"
        found.append((interval, thread, instructions))
    assert found == sorted(found), "vectors are not in order"
    return found


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
    elif what == "trace":
        sums = [n for _, _, n in read(arguments[0])]
        assert sums == [sum(v.values()) for v in vectors(*arguments[1:])], "the file has other sums"
        print(*sums, sep="\n")
    else:
        size, end = int(arguments[1]), 0
        found = read(arguments[0])
        for number, (_, _, instructions) in enumerate(found[:-1]):
            end += instructions
            assert 0 <= (number + 1) * size - end <= 1024, f"interval {number} ends at {end}"
        assert len(found) > 2, "there are too few intervals"


main(*sys.argv[1:])
