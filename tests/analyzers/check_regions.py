# SPDX-License-Identifier: MIT
"""check_regions.py BIN TRACE PREFIX INTERVAL FACTOR LIMIT [REP...]: the plan, region CSV and gem5's files of a trace's
points, with --counter=exact, against the executions of the trace. REP: addresses of rep instructions."""
import glob
import json
import subprocess
import sys

from region_readers import gem5_csv, gem5_json, sde_records, split_records

binaries, trace, prefix = sys.argv[1:4]
interval, factor, limit = map(int, sys.argv[4:7])
reps = {int(pc, 16) for pc in sys.argv[7:]}


out = subprocess.run([f"{binaries}/trace-dump", "--format=csv", "--no-events", trace], stdout=subprocess.PIPE,
                     check=True).stdout
pcs = [int(line.split(b",", 4)[3], 16) for line in out.splitlines()[1:]]
plan = json.load(open(f"{prefix}.json"))
whole = len(pcs) // interval * interval


def marker_at(ordinal):
    """The place of the marker of a bound: no rep, and not executed more often than the limit allows."""
    if ordinal == len(pcs):
        return None
    at = ordinal
    while pcs[at] in reps:
        at += 1
    if pcs[:at + 1].count(pcs[at]) <= limit:
        return at
    seen = set()
    for later in range(at, min(at + interval // 20 + 1, len(pcs))):
        if pcs[later] not in reps and pcs[later] not in seen:
            seen.add(pcs[later])
            if pcs[:later + 1].count(pcs[later]) <= limit:
                return later
    return at


def pair(at):
    return (pcs[at], pcs[:at + 1].count(pcs[at])) if at is not None else (0, 0)


assert plan["instructions"] == plan["filtered"] == whole and plan["threads"] == 1
points, total = plan["points"], 0
files, split = sde_records(f"{prefix}.pc.csv"), split_records(f"{prefix}.pc.csv")
assert len(split) == len(files)
simulations = {f["id"]: f for f in files if f["warms"] is None}
warmups = {f["warms"]: f for f in files if f["warms"] is not None}
loaded = gem5_csv(f"{prefix}.pc.csv")
assert len(simulations) == len(loaded) == len(points)
moved = 0
for point in points:
    number = point["cluster"] + 1
    start, end = point["start"], point["end"]
    assert (start, end) == (point["interval"] * interval, (point["interval"] + 1) * interval)
    assert (start, end) == (point["filtered_start"], point["filtered_end"])
    assert point["multiplier"] == point["intervals"]	# all intervals are of one size
    total += point["multiplier"] * (point["filtered_end"] - point["filtered_start"])
    first, behind = marker_at(start), marker_at(end)
    moved += first != start
    record = simulations[number]
    assert record["start"] == pair(first) and record["end"] == pair(behind), (record, pair(first), pair(behind))
    # Executions in (start, end] of the address at the end.
    relative = pcs[first + 1:behind + 1].count(pcs[behind]) if behind is not None else 0
    assert record["relative"] == relative, (record, relative)
    assert record["length"] == (len(pcs) if behind is None else behind) - first
    assert abs(record["multiplier"] - point["multiplier"]) < 1e-5 and abs(record["weight"] - point["weight"]) < 1e-5
    region = loaded[number]
    assert (region["start"], region["end"], region["relative"]) == (record["start"], record["end"], relative)
    for name, at, bound in ("first", first, start), ("behind", behind, end):
        if bound in (0, len(pcs)):
            assert point[name] is None
            continue
        marker = point[name]
        assert (int(marker["pc"], 16), marker["count"]) == pair(at), (marker, pair(at))
        which = name == "behind"
        if marker["module"] is None:
            assert record["images"][which] == "no_image" and record["offsets"][which] == 0
        else:
            assert marker["path"].endswith("/" + marker["module"])
            assert record["offsets"][which] == int(marker["offset"], 16)
            low = int(marker["pc"], 16) - int(marker["offset"], 16)
            assert low % 4096 == 0, "not an address that a file is mapped at"
    before = min(factor, point["interval"])
    if not before:
        assert number not in warmups and "warmup" not in region and "warmup" not in point
        continue
    warmup, at = warmups[number], marker_at(start - before * interval)
    assert (warmup["start"], warmup["end"]) == (pair(at), pair(first))
    assert warmup["relative"] == pcs[at + 1:first + 1].count(pcs[first])
    assert warmup["length"] == first - at and warmup["id"] == number + max(p["cluster"] for p in points) + 1
    assert region["warmup"] == (warmup["start"], warmup["end"])
    assert point["warmup"]["start"] == point["warmup"]["filtered_start"] == start - before * interval
    assert point["warmup"]["intervals"] == before
assert abs(total / whole - 1) < 1e-9, (total, whole)
if all(count < 1 << 31 for record in files for _, count in (record["start"], record["end"])):
    assert gem5_json(f"{prefix}.looppoint.json") == {
        number: dict(region, multiplier=round(region["multiplier"], 6)) for number, region in loaded.items()}
    single = {}
    for path in glob.glob(glob.escape(prefix) + ".looppoint.[0-9]*.json"):
        one = gem5_json(path)
        assert [path] == [f"{prefix}.looppoint.{number}.json" for number in one]
        single.update(one)
    assert single == gem5_json(f"{prefix}.looppoint.json")
print("moved", moved, "equal", sum(r["start"][0] == r["end"][0] for r in simulations.values()),
      "nowhere", sum(r["images"][0] == "no_image" for r in simulations.values()),
      "images", " ".join(sorted({i for r in files for i in r["images"]})))
