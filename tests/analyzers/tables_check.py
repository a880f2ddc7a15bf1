#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Compares the tables of analyzers as CSV files with the same tables in JSON.

usage: tables_check.py CSV-FOLDER JSON-FOLDER
Each CSV file NAME/TABLE.csv is read by pandas without options. Numbers must be columns of numbers, with the values in
JSON; units are in the heads as in JSON's "units". For R's read.csv, which needs rows of equal length, distinct heads and
one line for each row, the files are read by Python's csv as well. Prints the faults.
"""
import csv
import json
import math
import os
import sys

import pandas

faults = []


def head_of(name, unit):
    return "%s [%s]" % (name, unit) if unit and unit != name else name


def same(a, b):
    if b is None:
        return isinstance(a, float) and math.isnan(a)
    if isinstance(b, str) and b.startswith("0x"):
        return a == b
    if isinstance(b, float):
        return math.isclose(a, b, rel_tol=1e-12)
    return a == b or str(a).lstrip("'") == str(b)


def check_rows(place, frame, rows, units):
    if rows and list(frame.columns) != [head_of(k, units.get(k)) for k in rows[0]]:
        faults.append("%s: heads %s" % (place, list(frame.columns)))
        return
    if len(frame) != len(rows):
        faults.append("%s: %d rows of %d" % (place, len(frame), len(rows)))
    for number, row in enumerate(rows[:1000]):
        for column, value in enumerate(row.values()):
            cell = frame.iat[number, column]
            if not same(cell.item() if hasattr(cell, "item") else cell, value):
                faults.append("%s: row %d, column %d: %r, not %r" % (place, number, column, cell, value))


def check_facts(place, frame, result):
    for name, value, unit in frame.itertuples(index=False):
        known = result.get(name)
        if isinstance(known, list):  # a table of the same name
            continue
        if isinstance(known, bool):
            known = str(known).lower()
        if known is not None and float_or_text(value) != float_or_text(known):
            faults.append("%s: %s is %r, not %r" % (place, name, value, known))
        if (unit if isinstance(unit, str) else None) != result.get("units", {}).get(name) and name in result:
            faults.append("%s: the unit of %s is %r" % (place, name, unit))


def float_or_text(value):
    try:
        return float(value)
    except ValueError:
        return value


def check_plain(place, path):
    with open(path, newline="") as file:
        text = file.read()
    rows = list(csv.reader(text.splitlines()))
    if len({len(row) for row in rows}) != 1 or text.count("\n") != len(rows):
        faults.append("%s: rows differ in length" % place)
    if len(set(rows[0])) != len(rows[0]):
        faults.append("%s: heads are repeated" % place)


tables = 0
for name in sorted(os.listdir(sys.argv[1])):
    with open(os.path.join(sys.argv[2], name)) as file:
        result = json.load(file)
    expected = {k for k, v in result.items() if isinstance(v, list)}
    found = {f[:-len(".csv")] for f in os.listdir(os.path.join(sys.argv[1], name))}
    if found - {"facts"} != expected:
        faults.append("%s: has tables %s, not %s" % (name, sorted(found), sorted(expected)))
    for table in sorted(found):
        path = os.path.join(sys.argv[1], name, table + ".csv")
        place = name + "/" + table
        tables += 1
        check_plain(place, path)
        frame = pandas.read_csv(path)
        if table == "facts":
            check_facts(place, frame, result)
        elif table in expected:
            check_rows(place, frame, result[table], result.get("units", {}).get(table, {}))
if tables < 20:
    faults.append("only %d tables" % tables)
print(*faults[:40], sep="\n")
sys.exit(bool(faults))
