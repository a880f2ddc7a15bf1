#!/bin/bash
# SPDX-License-Identifier: MIT
# trace-simpoint finds the phases that a program has by construction: from recorded vectors, and by the data that it uses.
. "$(dirname "$0")/../lib.sh"
cd "$work" || exit

# ---- 13 units of 10,000,000 instructions, of four kernels ----
schedule=AAABBAAACDDDD
"$BIN/trace-record" -q --vectors --interval=10M -o phases.trace -- "$PROGRAMS/phases" A3B2A3C1D4
check phases "$BIN/trace-simpoint" -q -o phases phases.trace
check phases.found /usr/bin/python3 - $schedule <<-'END'
	import json, sys
	schedule = sys.argv[1]
	points = json.load(open("phases.json"))["points"]
	weights = {}
	for p in points:
	    kernel = schedule[p["interval"]]
	    assert kernel not in weights, f"two points are of {kernel}"
	    weights[kernel] = p["weight"]
	    assert p["intervals"] == schedule.count(kernel), p
	assert set(weights) == set(schedule), weights
	assert all(abs(w - schedule.count(k) / len(schedule)) < 1 / len(schedule) for k, w in weights.items()), weights
	labels = [line.split()[0] for line in open("phases.labels")]
	assert len(set(zip(labels, schedule))) == 4 and len(labels) == len(schedule), labels
END

# ---- the same code in 16 KiB and in 64 MiB ----
"$BIN/trace-record" -q -o same_code.trace -- "$PROGRAMS/same_code"
clusters() { "$BIN/trace-simpoint" --counter=exact --interval=524288 --format=csv "$@" same_code.trace 2>/dev/null | tail -n +2; }
check_equal same_code.blocks 1 "$(clusters | wc -l)"
clusters --bbv=--memory=miss >two
check_equal same_code.memory 2 "$(wc -l <two)"
check_equal same_code.halves "10 10" "$(cut -d, -f4 two | sort | xargs)"

# Its parallel regions: the first slice is what comes before them, and too short for a point.
regions() { "$BIN/trace-simpoint" --interval-mark=parallel "$@" same_code.trace 2>says; }
regions -q -o code
check_equal regions.blocks 1 "$(tail -n +2 code.labels | cut -d' ' -f1 | sort -u | wc -l)"
check regions.distances regions -q --memory=distances -o distances
# The first slice in 16 KiB is a kind of its own, because it touches the lines for the first time.
check_equal regions.distances.kinds "1 3 4" "$(tail -n +2 distances.labels | cut -d' ' -f1 | uniq -c | awk '{ print $1 }' | xargs)"
check regions.some regions -q -k 4 --memory=distances -o some
check_equal regions.some.points 3 "$(wc -l <some.simpts)"
check regions.all regions -q -k 4 --memory=distances --least-weight=0 -o all
check_equal regions.all.points 4 "$(wc -l <all.simpts)"
"$BIN/trace-record" -q --no-addresses --count=1M -o bare.trace -- "$PROGRAMS/same_code"
check_status regions.bare 3 "$BIN/trace-simpoint" --interval-mark=parallel --memory=distances bare.trace
check_match regions.bare.says 'bare.trace has no data addresses, which --memory needs' "$work/err"
for option in --memory=distances --least-weight=1%; do
	check_status "usage $option" 2 "$BIN/trace-simpoint" $option bare.trace
done
