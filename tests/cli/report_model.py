#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Compares the document in a page of trace-report with what the analyzers print.

usage: report_model.py PAGE BIN TRACE
"""
import json
import re
import subprocess
import sys

page, folder, trace = sys.argv[1:]
text = open(page, encoding="utf-8").read()
elements = re.findall(r'<script type="application/json" id="data">(.*?)</script>', text, re.S)
assert len(elements) == 1, len(elements)
assert not re.search("[<>&\u2028\u2029]", elements[0])
document = json.loads(elements[0])


def rounded(value):
    """Returns a value with its reals rounded to the digits that the page has."""
    if isinstance(value, float):
        return float("%.6g" % value)
    if isinstance(value, list):
        return [rounded(item) for item in value]
    if isinstance(value, dict):
        return {name: rounded(item) for name, item in value.items()}
    return value


def same(name, expected, found):
    """Checks that everything in the page is in the result of the command."""
    for member, value in rounded(found).items():
        if member in expected and value != rounded(expected[member]):
            sys.exit(f"{name}: {member} is {value}, and not {expected[member]}")


assert document["tracelab_report"] == 1
assert document["traces"][0]["file"] == trace
assert set(document["commands"]) == set(document["exactness"]) | set(document.get("unsuitable", {}))
assert not document.get("failed"), document["failed"]
results = document["results"]


def printed(command):
    """Returns what a command line of the page prints as JSON."""
    words = command.split()
    return json.loads(subprocess.run([f"{folder}/{words[0]}", "--format=json", *words[1:]], check=True,
                                     capture_output=True).stdout)


def check_phases(phases):
    """Checks the phases of the page with what the commands print."""
    simpoints = printed(document["commands"]["phases"])
    rows = simpoints["interval_list"]
    assert len(rows) > 200 and len(rows) <= 600, len(rows)
    assert phases["labels"] == [row["cluster"] for row in rows]
    assert phases["projection"] == rounded([[row["x"], row["y"]] for row in rows])
    greatest = max(abs(row[axis]) for row in rows for axis in "xyz")
    for colour, row in zip(phases["colour"], rows, strict=True):
        for value, axis in zip(colour, "xyz", strict=True):
            assert 0 <= value <= 1 and abs(value - (0.5 + row[axis] / greatest / 2)) < 1e-5
    assert [point["interval"] for point in phases["points"]] == [point["interval"] for point in simpoints["points"]]
    columns = {
        "loads": lambda row: row["loads"] / row["instructions"],
        "misses of 1 MiB": lambda row: row["miss_ratio_percent"],
        "parallelism, window of 256": lambda row: row["ipc_256"],
        "mispredicted branches": lambda row: row["gas_12_misprediction_percent"],
        "touched data": lambda row: row["data_blocks"],
    }
    for metric in phases["metrics"]:
        if metric["name"] not in columns:
            continue
        rows = printed(metric["command"])["intervals"]
        number = columns.pop(metric["name"])
        expected = [number(row) for row in rows if row.get("cache_size_bytes", 1 << 20) == 1 << 20]
        expected = rounded([value if value is None else float(value) for value in expected])
        different = [pair for pair in zip(metric["values"], expected) if pair[0] != pair[1]]
        assert len(metric["values"]) == len(expected) and not different, (metric["name"], different)
    assert not columns, columns


def check_slo(expected, found):
    """Checks the refactorings, of which the page has more than trace-slo prints."""
    for row, printed_row in zip(found["refactorings"], rounded(expected["refactorings"]), strict=True):
        for member in ("rank", "kind", "reuses", "lost_cycles", "advice"):
            assert row[member] == printed_row[member], (member, row, printed_row)
    for member in ("instructions", "touches", "lost_cycles"):
        assert found[member] == expected[member], member


where = {"symbols": "mix", "lines": "mix", "mnemonics": "mix", "modules": "mix", "threads": "mix"}
for name, command in document["commands"].items():
    if name == "phases":
        check_phases(results[name])
        continue
    if name.endswith("_by_interval"):
        continue
    expected = printed(command)
    if name == "stackdist":
        expected["miss_ratio_curve"] = expected.pop("caches")
    found = results[where.get(name, name)] if where.get(name, name) in results else results["mica"][name]
    if name in where:
        found = {name: found[name]}
    if name == "slo":
        check_slo(expected, found)
        continue
    same(name, expected, found)
    missing = set(expected) - set(found) - {"trace", "command"}
    assert name in where or not missing, (name, missing)
