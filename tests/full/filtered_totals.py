#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""filtered_totals.py BIN REGIONS TRACE...: vectors of runs of the same program with OpenMP. REGIONS: how often all threads
together enter a parallel loop that hands out its iterations in chunks.

Such a loop executes some code once for each thread that gets a chunk, for example to load constants, and a thread that
comes late gets none: these executions depend on when the threads run. Without them, the filtered instructions of all runs
must be equal within 2e-6. A block is such code if it is in a parallel function, is executed in some runs more often than
in others, and at most once for each thread that enters a region."""
import collections
import glob
import json
import subprocess
import sys
import tempfile

binaries, regions, traces = sys.argv[1], int(sys.argv[2]), sys.argv[3:]
MOST_INSNS = 8	# of such a block


def blocks_of(trace):
    """The instructions of each block of the parallel functions."""
    names, totals = {}, collections.Counter()
    with tempfile.TemporaryDirectory(dir=".") as folder:
        subprocess.run([f"{binaries}/trace-bbv", "-q", "--key=module+offset", "--keep-last", f"--bb-out-file={folder}/bb",
                        f"--pc-out-file={folder}/pc", trace], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=True)
        with open(f"{folder}/pc") as file:
            for line in file:
                if line.startswith("F:"):
                    _, number, name = line.rstrip("\n").split(":", 2)
                    names[number] = name
        for path in glob.glob(f"{folder}/bb*"):
            with open(path) as file:
                for line in file:
                    for pair in line[1:].split() if line.startswith("T") else ():
                        _, number, count = pair.split(":")
                        if "._omp_fn." in names[number]:
                            totals[names[number]] += int(count)
    return totals


def filtered_of(trace):
    out = subprocess.run([f"{binaries}/trace-info", "--format=json", trace], stdout=subprocess.PIPE, check=True).stdout
    return json.loads(out)["vector_filtered"]


runs = [blocks_of(trace) for trace in traces]
varying = {name for run in runs for name in run if len({other[name] for other in runs}) > 1}
for name in varying:
    assert all(run[name] <= MOST_INSNS * regions for run in runs), (name, [run[name] for run in runs])
totals = [filtered_of(trace) - sum(run[name] for name in varying) for trace, run in zip(traces, runs)]
print(sorted(varying), min(totals), max(totals))
assert len(varying) <= 1 and min(totals) > 0, (varying, totals)
assert max(totals) - min(totals) <= 2e-6 * min(totals), totals
