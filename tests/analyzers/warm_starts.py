#!/usr/bin/python3
"""warm_starts.py WARM COLD WARMUP: plans of trace-simpoint for a slice with a warm-up of WARMUP instructions, and for the
same slice without. They must have the same points, which begin and end WARMUP instructions later in the first."""
import json
import sys


def load(path):
    with open(path) as file:
        plan = json.load(file)
    return plan, [(point["interval"], point["start"], point["end"]) for point in plan["points"]]


warm, warm_points = load(sys.argv[1])
cold, cold_points = load(sys.argv[2])
warmup = int(sys.argv[3])
assert cold_points and cold["intervals"] == warm["intervals"], f"{warm['intervals']}, not {cold['intervals']} intervals"
assert warm["instructions"] == cold["instructions"], f"{warm['instructions']}, not {cold['instructions']} instructions"
later = [(interval, start + warmup, end + warmup) for interval, start, end in cold_points]
assert warm_points == later, f"{warm_points}, not {later}"
