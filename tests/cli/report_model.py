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
where = {"symbols": "mix", "lines": "mix", "mnemonics": "mix", "modules": "mix", "threads": "mix"}
for name, command in document["commands"].items():
    words = command.split()
    printed = subprocess.run([f"{folder}/{words[0]}", "--format=json", *words[1:]], check=True,
                             capture_output=True).stdout
    expected = json.loads(printed)
    found = results[where.get(name, name)] if where.get(name, name) in results else results["mica"][name]
    if name in where:
        found = {name: found[name]}
    same(name, expected, found)
    missing = set(expected) - set(found) - {"trace", "command"}
    assert name in where or not missing, (name, missing)
