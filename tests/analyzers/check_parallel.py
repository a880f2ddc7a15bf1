# SPDX-License-Identifier: MIT
"""check_parallel.py BIN TRACE PREFIX ENTRY: points of slices from one parallel region to the next, against the executions of
the trace. ENTRY: the address at which regions begin. Prints slices, points and points that were dropped."""
import json
import subprocess
import sys
from collections import defaultdict

from region_readers import sde_records

binaries, trace, prefix, entry = sys.argv[1:5]
entry = int(entry, 16)
out = subprocess.run([f"{binaries}/trace-dump", "--format=csv", "--no-events", trace], stdout=subprocess.PIPE,
                     check=True).stdout
pcs = [int(line.split(b",", 4)[3], 16) for line in out.splitlines()[1:]]
bounds = [0, *(step for step, pc in enumerate(pcs) if pc == entry), len(pcs)]
with open(f"{prefix}.json") as file:
    plan = json.load(file)
with open(f"{prefix}.labels") as file:
    labels = [int(line.split()[0]) for line in file]
assert plan["intervals"] == len(labels) == len(bounds) - 1
assert "profile" not in plan and "thread" not in plan and plan["threads"] > 1
sums = defaultdict(int)
for i, label in enumerate(labels):
    sums[label] += bounds[i + 1] - bounds[i]
records = {r["id"]: r for r in sde_records(f"{prefix}.pc.csv") if r["warms"] is None}
for point in plan["points"]:
    i = point["interval"]
    length = bounds[i + 1] - bounds[i]
    cluster = sums[labels[i]]
    assert (point["start"], point["end"]) == (bounds[i], bounds[i + 1])
    assert abs(point["multiplier"] - cluster / length) < 1e-12 and abs(point["weight"] - cluster / len(pcs)) < 1e-9
    assert cluster >= 0.005 * len(pcs), "a small cluster has a point"
    # The slice after the n-th entry begins before it: its execution has number n.
    assert (point["first"] and (int(point["first"]["pc"], 16), point["first"]["count"])) == ((entry, i) if i else None)
    last = i + 1 == len(labels)
    assert (point["behind"] and point["behind"]["count"]) == (None if last else i + 1)
    record = records[point["cluster"] + 1]
    assert record["global"] and record["length"] == length and (last or not i or record["relative"] == 1)
dropped = {label for label, size in sums.items() if size < 0.005 * len(pcs)}
assert {labels[p["interval"]] for p in plan["points"]} == set(sums) - dropped
print(len(labels), len(plan["points"]), len(dropped))
