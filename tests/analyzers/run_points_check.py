#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Checks trace-simpoint's numbers for the recorded vectors of a trace against its own.

usage: run_points_check.py TRACE PLAN LABELS concatenated|sum|sorted

Vectors are by instruction, not by block, and a block is not always executed as a whole: numbers agree to 0.2 %.
"""
import json
import sys
from collections import Counter, defaultdict
from os.path import dirname, realpath

sys.path.insert(0, dirname(dirname(realpath(__file__))))
from traceread.trace import Trace  # noqa: E402


def executions(counts):
    """The instructions of a vector: module, offset, times."""
    for path, leave, times, partial in counts:
        left = partial if leave is None else sum(len(b.insns) for b in path.blocks[:leave.blocks])
        for block in path.blocks:
            offset = block.start
            for insn in block.insns[:left]:
                yield (block.module, offset), times
                offset += len(insn.code)
            left = max(left - len(block.insns), 0)


def rows(name, mode):
    """The vector of each interval but the last, as instructions by place."""
    with open(name, "rb") as file:
        trace = Trace(file.read(), walk=False)
    excluded = set()
    for record in trace.intervals:
        excluded |= {block for block, _ in getattr(record, "excluded", ())}
    intervals = defaultdict(dict)
    for interval, thread, instructions, counts in trace.vectors:
        intervals[interval][thread] = (instructions, counts)
    found = []
    for interval in sorted(intervals)[:-1]:
        threads = intervals[interval]
        order = sorted(threads, key=lambda t: (-threads[t][0], t) if mode == "sorted" else t)
        row = Counter()
        for place, thread in enumerate(order):
            key = {"sum": 0, "sorted": place, "concatenated": thread}[mode]
            for insn, times in executions(threads[thread][1]):
                row[key, insn] += times
        found.append(row)
    return found


def shares(row):
    total = sum(row.values())
    return {key: n / total for key, n in row.items()}


def distance(a, b):
    return sum(abs(a.get(key, 0) - b.get(key, 0)) for key in a.keys() | b.keys()) / 2


def near(name, ours, theirs):
    assert abs(ours - theirs) < 0.2, f"{name}: {theirs} instead of {ours}"


def main():
    trace, plan, labels, mode = sys.argv[1:]
    with open(plan, encoding="utf-8") as file:
        plan = json.load(file)
    with open(labels, encoding="ascii") as file:
        labels = [int(line.split()[0]) for line in file]
    vectors = rows(trace, mode)
    total = sum(sum(row.values()) for row in vectors)
    assert len(vectors) == plan["intervals"] == len(labels)
    assert total == plan["filtered"], (total, plan["filtered"])
    weights = [sum(row.values()) / total for row in vectors]
    whole = shares(sum(vectors, Counter()))
    near("spread", 100 * sum(w * distance(shares(row), whole) for w, row in zip(weights, vectors)), plan["spread"])
    points = defaultdict(list)
    chosen = Counter()
    for point in plan["points"]:
        cluster = point["stratum"]
        points[cluster].append(shares(vectors[point["interval"]]))
        assert labels[point["interval"]] == cluster
        expected = sum(w for w, label in zip(weights, labels) if label == cluster)
        n = sum(p["stratum"] == cluster for p in plan["points"])
        assert abs(point["weight"] - expected / n) < 1e-9, point
        for key, share in points[cluster][-1].items():
            chosen[key] += point["weight"] * share
    near("vector_error", 100 * distance(whole, chosen), plan["vector_error"])
    near("mean_distance", 100 * sum(w * min(distance(shares(row), p) for p in points[label])
                                    for w, row, label in zip(weights, vectors, labels)), plan["mean_distance"])
    near("singletons", 100 * sum(w for w, label in zip(weights, labels) if labels.count(label) == 1),
         plan["singletons"])
    multiplied = sum(p["multiplier"] * (p["filtered_end"] - p["filtered_start"]) for p in plan["points"])
    assert abs(multiplied - total) <= 1e-9 * total, (multiplied, total)


main()
