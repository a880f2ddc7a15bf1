# SPDX-License-Identifier: MIT
"""check_proven.py TRACE OTHER PLAN: which markers of a plan two runs execute equally often, by their vectors. Prints the
number of the ends of intervals that have markers, and of those that fail."""
import json
import sys
from collections import Counter
from os.path import dirname, realpath

sys.path.insert(0, dirname(dirname(realpath(__file__))))
from traceread.encodings import BLOCKS, MODULES  # noqa: E402
from traceread.trace import Trace  # noqa: E402


def load(path):
    with open(path, "rb") as file:
        return Trace(file.read(), walk=False)


def offsets(block):
    offset = block.start
    for insn in block.insns:
        yield offset
        offset += len(insn.code)


def name(trace, block):
    return None if block.module is None else trace.records[MODULES][block.module][1]


def totals(trace):
    exits, paths, counts = Counter(), {}, Counter()
    for _, _, _, vector in trace.vectors:
        for path, leave, times, partial in vector:
            left = partial if leave is None else sum(len(b.insns) for b in path.blocks[:leave.blocks])
            exits[id(path), left] += times
            paths[id(path)] = path
    for (key, left), times in exits.items():
        for block in paths[key].blocks:
            for offset in list(offsets(block))[:max(left, 0)]:
                counts[name(trace, block), offset] += times
            left -= len(block.insns)
    return counts


trace, other = map(load, sys.argv[1:3])
own, others = totals(trace), totals(other)
with open(sys.argv[3]) as file:
    plan = json.load(file)
proven = [True]
for _, _, _, marker, *_ in trace.intervals[:plan["intervals"]]:
    if marker:
        block = trace.records[BLOCKS][marker[0]]
        place = name(trace, block), list(offsets(block))[marker[1]]
        proven.append(place[0] is not None and own[place] == others[place])
    else:
        proven.append(None)
failed = proven.count(False)
assert plan["markers_failed"] == failed and plan["markers"] == sum(p is not None for p in proven[1:])
proven = [p is not False for p in proven]
intervals = {point["interval"] for point in plan["points"]}
assert len(intervals) == len(plan["points"])
for point in plan["points"]:
    for which, at in ("first", point["interval"]), ("behind", point["interval"] + 1):
        assert not point[which] or point[which]["proven"] == proven[at], point
bad = [i for i in intervals if not (proven[i] and proven[i + 1])]
good = [i for i in range(plan["intervals"]) if proven[i] and proven[i + 1]]
print(plan["markers"], failed, len(bad), len(set(good) - intervals))
