#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Checks trace-simpoint's numbers for the recorded vectors of a trace against its own, of each plan.

usage: run_points_check.py TRACE concatenated|sum|sorted NAME...    NAME.json is a plan, and NAME.labels its labels

Vectors are by instruction, not by block, and a block is not always executed as a whole: numbers agree to 0.2 %.
"""
import json
import sys
from collections import Counter, defaultdict
from os.path import dirname, realpath

sys.path.insert(0, dirname(dirname(realpath(__file__))))
from traceread.encodings import BLOCKS  # noqa: E402
from traceread.trace import Trace  # noqa: E402
from traceread.vectors import executions, places  # noqa: E402


def rows(name, mode):
    """The vector of each interval but the last, as instructions by place."""
    with open(name, "rb") as file:
        trace = Trace(file.read(), walk=False)
    blocks = {id(block): places(block) for block in trace.records[BLOCKS].values()}
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
            for (block, n), times in executions(threads[thread][1]).items():
                for insn in blocks[block][:n]:
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


class Vectors:
    """The vectors of a trace, and what follows from them."""

    def __init__(self, trace, mode):
        vectors = rows(trace, mode)
        self.total = sum(sum(row.values()) for row in vectors)
        self.weights = [sum(row.values()) / self.total for row in vectors]
        self.whole = Counter()
        for row in vectors:
            self.whole.update(row)
        self.whole = shares(self.whole)
        self.rows = [shares(row) for row in vectors]
        self.spread = sum(w * distance(row, self.whole) for w, row in zip(self.weights, self.rows))


def check(vectors, plan, labels):
    weights = vectors.weights
    assert len(vectors.rows) == plan["intervals"] == len(labels)
    assert vectors.total == plan["filtered"], (vectors.total, plan["filtered"])
    near("spread", 100 * vectors.spread, plan["spread"])
    points = defaultdict(list)
    chosen = Counter()
    for point in plan["points"]:
        cluster = point["stratum"]
        points[cluster].append(vectors.rows[point["interval"]])
        assert labels[point["interval"]] == cluster
        expected = sum(w for w, label in zip(weights, labels) if label == cluster)
        n = sum(p["stratum"] == cluster for p in plan["points"])
        assert abs(point["weight"] - expected / n) < 1e-9, point
        for key, share in points[cluster][-1].items():
            chosen[key] += point["weight"] * share
    near("vector_error", 100 * distance(vectors.whole, chosen), plan["vector_error"])
    near("mean_distance", 100 * sum(w * min(distance(row, p) for p in points[label])
                                    for w, row, label in zip(weights, vectors.rows, labels)), plan["mean_distance"])
    near("singletons", 100 * sum(w for w, label in zip(weights, labels) if labels.count(label) == 1),
         plan["singletons"])
    multiplied = sum(p["multiplier"] * (p["filtered_end"] - p["filtered_start"]) for p in plan["points"])
    assert abs(multiplied - vectors.total) <= 1e-9 * vectors.total, (multiplied, vectors.total)


def main():
    trace, mode, *names = sys.argv[1:]
    vectors = Vectors(trace, mode)
    for name in names:
        print(name)  # so that a failure says which plan is wrong
        with open(f"{name}.json", encoding="utf-8") as file:
            plan = json.load(file)
        with open(f"{name}.labels", encoding="ascii") as file:
            labels = [int(line.split()[0]) for line in file]
        check(vectors, plan, labels)


main()
