# SPDX-License-Identifier: MIT
"""check_run_regions.py TRACE PREFIX EACH FACTOR: the plan and the region CSV of a trace of vectors, against its vectors and
the ends of its intervals, read independently. EACH: recorded intervals in one interval of the points."""
import json
import sys
from collections import Counter, defaultdict
from os.path import dirname, realpath

from region_readers import gem5_csv, sde_records

sys.path.insert(0, dirname(dirname(realpath(__file__))))
from traceread.encodings import BLOCKS, MODULES  # noqa: E402
from traceread.trace import Trace  # noqa: E402

with open(sys.argv[1], "rb") as file:
    trace = Trace(file.read(), walk=False)
prefix, each, factor = sys.argv[2], int(sys.argv[3]), int(sys.argv[4])


def offsets(block):
    offset = block.start
    for insn in block.insns:
        yield offset
        offset += len(insn.code)


def add(counts, vector):
    """Adds the executions of a vector's instructions."""
    for path, leave, times, partial in vector:
        left = partial if leave is None else sum(len(b.insns) for b in path.blocks[:leave.blocks])
        for block in path.blocks:
            for offset in list(offsets(block))[:max(left, 0)]:
                counts[block.module, offset] += times
            left -= len(block.insns)


# At the begin of each interval of the points: instructions and filtered instructions so far, the marker, and the
# executions so far of each instruction.
by_interval = defaultdict(list)
for interval, _, _, vector in trace.vectors:
    by_interval[interval].append(vector)
begins, counts = [(0, 0, None, Counter(), b"")], Counter()
for number, instructions, filtered, marker, digest, _ in trace.intervals:
    for vector in by_interval[number]:
        add(counts, vector)
    if (number + 1) % each:
        continue
    place = None
    if marker:
        block = trace.records[BLOCKS][marker[0]]
        offset = list(offsets(block))[marker[1]]
        place = (block.module, offset, marker[3])
    begins.append((instructions, filtered, place, Counter(counts), digest))

with open(f"{prefix}.json") as file:
    plan = json.load(file)
records = {r["id"]: r for r in sde_records(f"{prefix}.pc.csv")}
loaded, total = gem5_csv(f"{prefix}.pc.csv"), 0
assert len(loaded) == len(plan["points"])
threads = len({thread for _, thread, _, _ in trace.vectors})
assert plan["profile"] and plan["boundary"] and plan["threads"] >= threads
assert all(r["global"] == (plan["threads"] > 1) for r in records.values())


def check_marker(marker, at):
    """The marker of the begin of an interval, or of the end of the program."""
    place, so_far = begins[at][2:4]
    if at == 0 or place is None:
        assert marker is None, marker
        return
    module, offset, tier = place
    assert marker["count"] == so_far[module, offset] + 1 and marker["tier"] == tier, (marker, so_far[module, offset])
    if module is None:
        assert marker["module"] is None and int(marker["pc"], 16) == offset
        return
    path = trace.records[MODULES][module][1]
    assert marker["path"] == path and marker["module"] == path.rpartition("/")[2]
    assert (int(marker["offset"], 16) - offset) % 4096 == 0


def check_record(record, first, behind):
    """The record from the begin of one interval to that of another."""
    for which, at in ("start", first), ("end", behind):
        place = begins[at][2]
        assert record[which][1] == (begins[at][3][place[:2]] + 1 if place else 0), record
    if begins[behind][2]:
        place = begins[behind][2][:2]
        same = begins[first][2] and begins[first][2][:2] == place
        # The execution at the begin does not count, if there it is the same instruction; that at the end does.
        relative = begins[behind][3][place] + 1 - begins[first][3][place] - (1 if same else 0)
        assert record["relative"] == relative, (record, relative)
    assert record["length"] == begins[behind][1] - begins[first][1]


for point in plan["points"]:
    i = point["interval"]
    (start, filtered_start, _, _, start_hash), (end, filtered_end, _, _, end_hash) = begins[i], begins[i + 1]
    assert (point["start"], point["end"]) == (start, end), (point, start, end)
    assert (point["filtered_start"], point["filtered_end"]) == (filtered_start, filtered_end)
    assert point["end_hash"] == end_hash.hex() and (not i or point["start_hash"] == start_hash.hex())
    check_marker(point["first"], i)
    check_marker(point["behind"], i + 1)
    total += point["multiplier"] * (filtered_end - filtered_start)
    number = point["cluster"] + 1
    check_record(records[number], i, i + 1)
    before = min(factor, i)
    if before:
        check_marker(point["warmup"]["first"], i - before)
        assert point["warmup"]["start"] == begins[i - before][0]
        check_record(next(r for r in records.values() if r["warms"] == number), i - before, i)
assert plan["filtered"] in (b[1] for b in begins) and plan["instructions"] in (b[0] for b in begins)
assert abs(total / plan["filtered"] - 1) < 1e-9, (total, plan["filtered"])
