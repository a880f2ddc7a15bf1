#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Confidence intervals of trace-extrapolate, computed independently, and how often they contain the truth.

confidence_check.py student                          checks the quantiles of Student's distribution below
confidence_check.py make BB LABELS FOLDER SAMPLES POINTS   draws samples of intervals; each is one number of the results
confidence_check.py check FOLDER REPORT SHARE LEAST MOST   compares a report with its own numbers; the bounds of so great a
                                                           part of the samples contain the truth
"""
import json
import math
import random
import re
import sys
from collections import defaultdict


# ---- Student's distribution, by Simpson's rule ----

def inside(t, freedom):
    """The probability of an absolute value below t: with t = sqrt(freedom) tan(a), the density becomes cos(a)^(f - 1)."""
    scale = math.exp(math.lgamma((freedom + 1) / 2) - math.lgamma(freedom / 2)) / math.sqrt(math.pi)
    end, steps = math.atan(t / math.sqrt(freedom)), 1000
    values = [math.cos(end * i / steps) ** (freedom - 1) for i in range(steps + 1)]
    total = values[0] + values[-1] + 4 * sum(values[1:-1:2]) + 2 * sum(values[2:-1:2])
    return 2 * scale * total * end / steps / 3


def quantile(confidence, freedom):
    low, high = 0.0, 1e6
    for _ in range(100):
        middle = (low + high) / 2
        low, high = (middle, high) if inside(middle, freedom) < confidence else (low, middle)
    return (low + high) / 2


def student():
    for confidence, freedom, expected in ((0.95, 1, 12.7062), (0.95, 10, 2.22814), (0.99, 5, 4.03214), (0.997, 60, 3.0923)):
        assert abs(quantile(confidence, freedom) / expected - 1) < 1e-3, (confidence, freedom, quantile(confidence, freedom))


# ---- samples ----

def costs(name):
    """Of each interval: instructions, and cycles of a machine on which each block has a rate of its own."""
    rows = []
    with open(name, encoding="ascii") as file:
        for line in file:
            if line.startswith("T"):
                pairs = [(int(b), int(n)) for b, n in re.findall(r":(\d+):(\d+)", line)]
                # Rates are numbers of 1 to 4; sums are whole, as counts are.
                rows.append((sum(n for _, n in pairs), sum(n * (1 + b * 2654435761 % 4) for b, n in pairs)))
    return rows


def make(bb, labels, folder, samples, points):
    rows = costs(bb)
    with open(labels, encoding="ascii") as file:
        labels = [int(line.split()[0]) for line in file]
    members = defaultdict(list)
    for interval, label in enumerate(labels):
        members[label].append(interval)
    strata, chosen = [], []
    for label in sorted(members):
        n = min(points, len(members[label]))
        weight = sum(rows[i][0] for i in members[label]) / sum(n for n, _ in rows)
        strata.append({"stratum": label, "weight": weight, "intervals": len(members[label]), "points": n})
        chosen += [{"cluster": len(chosen) + k, "interval": members[label][k], "weight": weight / n} for k in range(n)]
    plan = {"points": chosen, "strata": strata, "select": "random", "instructions": sum(n for n, _ in rows)}
    draw = random.Random(1)
    results = [{"instructions": 0} for _ in chosen]
    drawn = []
    for sample in range(samples):
        picked = [i for s in strata for i in sorted(draw.sample(members[s["stratum"]], s["points"]))]
        for result, interval in zip(results, picked):
            result[f"cycles{sample}"] = rows[interval][1]
            # All samples share the instructions, so all intervals have the same number: that of the first sample.
            result["instructions"] = result["instructions"] or rows[interval][0]
        drawn.append(picked)
    with open(f"{folder}/plan.json", "w", encoding="ascii") as file:
        json.dump(plan, file)
    for i, result in enumerate(results):
        with open(f"{folder}/{i:04}.json", "w", encoding="ascii") as file:
            json.dump(result, file)
    with open(f"{folder}/truth.json", "w", encoding="ascii") as file:
        json.dump({"cycles": sum(c for _, c in rows), "strata": strata, "instructions": plan["instructions"]}, file)


def check(folder, report, share, least, most):
    with open(f"{folder}/truth.json", encoding="ascii") as file:
        truth = json.load(file)
    with open(report, encoding="utf-8") as file:
        report = json.load(file)
    found = {e["name"]: e for e in report["estimates"]}
    strata, results = truth["strata"], []
    for i in range(sum(s["points"] for s in strata)):
        with open(f"{folder}/{i:04}.json", encoding="ascii") as file:
            results.append(json.load(file))
    contained = samples = 0
    for name, estimate in found.items():
        if name == "instructions":
            assert abs(estimate["estimate"] - truth["instructions"]) < 1, estimate
            continue
        samples += 1
        contained += estimate["low"] <= truth["cycles"] <= estimate["high"]
        if samples > 6:
            continue
        expected = bounds(strata, results, name, truth["instructions"], share)
        for key, value in expected.items():
            assert abs(estimate[key] - value) <= 1e-6 * abs(value) + (key == "needed_n"), (name, key, value, estimate)
    assert least * samples <= contained <= most * samples, f"{contained} of {samples} contain the truth"
    assert samples


def bounds(strata, results, name, instructions, share):
    groups, at = [], 0
    for stratum in strata:
        groups.append([(r[name], r["instructions"]) for r in results[at:at + stratum["points"]]])
        at += stratum["points"]

    def total(values):
        return sum(s["intervals"] * sum(v) / len(v) for s, v in zip(strata, values))

    y = total([[m for _, m in group] for group in groups])
    ratio = total([[x for x, _ in group] for group in groups]) / y
    residuals = [[x - ratio * m for x, m in group] for group in groups]
    variance, squares, between, single = 0, 0, 0, []
    size = sum(s["intervals"] for s in strata)
    for stratum, z in zip(strata, residuals):
        n, whole, mean = len(z), stratum["intervals"], sum(z) / len(z)
        between += whole * mean ** 2
        if n == 1:
            if whole > 1:
                single.append(whole * mean)
            continue
        s2 = sum((v - mean) ** 2 for v in z) / (n - 1)
        between += whole * s2
        g = whole ** 2 * (1 - n / whole) * s2 / n
        variance, squares = variance + g, squares + g * g / (n - 1)
    while single:
        take = 3 if len(single) == 3 else 2
        group, single = single[:take], single[take:]
        mean = sum(group) / take
        g = take / (take - 1) * sum((t - mean) ** 2 for t in group)
        variance, squares = variance + g, squares + g * g / (take - 1)
    half = quantile(share, variance ** 2 / squares) * math.sqrt(variance) / y * instructions
    value = ratio * instructions
    between = between / size
    n0 = (quantile(share, 1e5) * math.sqrt(between) / (ratio * y / size) / 0.03) ** 2
    return {"estimate": value, "low": max(value - half, 0), "high": value + half,
            "effective_n": between / (variance / size ** 2), "needed_n": n0 / (1 + n0 / size)}


if sys.argv[1] == "student":
    student()
elif sys.argv[1] == "make":
    make(sys.argv[2], sys.argv[3], sys.argv[4], int(sys.argv[5]), int(sys.argv[6]))
else:
    check(sys.argv[2], sys.argv[3], *map(float, sys.argv[4:]))
