#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""A model of the table of functions of trace-compare, written from its manual.

usage: compare_model.py A.json B.json A.info B.info COMPARED.json
X.json: trace-calls --code --top=1000000 --threshold=0.02 --format=json; X.info: trace-info --modules --format=json.
Prints what differs; then how many functions were matched in which way.
"""
import collections
import json
import os
import re
import sys

CLONE = re.compile(r"\.(isra|constprop|part|cold|lto_priv|localalias|clone|llvm)[.0-9]*$")
METRICS = {"instructions": ("instructions",), "loads": ("loads",), "stores": ("stores",), "branches": ("branches",),
           "bytes": ("bytes_loaded", "bytes_stored")}


def stable_name(name):
    name = name.split(" [clone ")[0]
    if "@plt" not in name:
        name = re.sub(r"(.)@.*", r"\1", name)
    while CLONE.search(name):
        name = CLONE.sub("", name)
    return name


def stable_module(module, program):
    if module == program:
        return "[program]"
    library = re.match(r"(.+?)-[0-9.]+\.so(\..*)?$", module) or re.match(r"(.+?\.so)(\.[^/]*)?$", module)
    return library.group(1) if library else module


def functions_of(path, info_path):
    """Returns the functions of a trace as dictionaries."""
    calls, info = json.load(open(path)), json.load(open(info_path))
    program = os.path.basename(info["program"])
    builds = {os.path.basename(m["path"]): m["build_id"] for m in info["module_list"]}
    found = []
    for row, code in zip(calls["functions"], calls["code"]):
        place = re.fullmatch(re.escape(row["module"]) + r"(\+0x[0-9a-f]+)", row["function"])
        sketch = [int(code["sketch"][i:i + 8], 16) for i in range(0, len(code["sketch"]), 8)]
        found.append({"name": row["function"], "id": place.group(1) if place else row["function"], "module": row["module"], "stable": stable_name(row["function"]),
                      "home": stable_module(row["module"], program), "build": builds.get(row["module"]),
                      "named": not place,
                      "code": code["code"], "size": code["code_insns"], "sketch": sketch, "row": row})
    place_of = {(f["name"], f["module"]): f for f in reversed(found)}
    paths = {row["path"]: place_of[row["function"], row["module"]] for row in calls["call_paths"]}
    for f in found:
        f["edges"] = set()
    for row in calls["call_paths"]:
        if row["caller"]:
            caller, f = paths[row["caller"]], paths[row["path"]]
            caller["edges"].add(("calls", found.index(f)))
            f["edges"].add(("called by", found.index(caller)))
    return found


def similarity(a, b):
    smallest = sorted(set(a["sketch"]) | set(b["sketch"]))[:64]
    both = set(a["sketch"]) & set(b["sketch"])
    return sum(h in both for h in smallest) / len(smallest) if smallest else 0


STEPS = [
    ("name", lambda f: (f["home"], f["id"], f["code"])),
    ("name", lambda f: f["build"] and (f["home"], f["id"], f["build"])),
    ("name", lambda f: f["named"] and (f["home"], f["id"])),
    ("clone", lambda f: f["named"] and (f["home"], f["stable"])),
    ("module", lambda f: f["named"] and f["size"] and f["stable"]),
    ("code", lambda f: f["size"] >= 4 and (f["home"], f["code"])),
    ("code", lambda f: f["size"] >= 4 and f["code"]),
    ("short", lambda f: f["size"] and (f["home"], f["code"])),
]


def match(a, b):
    """Returns (function of a or None, function of b or None, how)."""
    left = [list(a), list(b)]
    pairs = []

    def take(x, y, how):
        pairs.append((x, y, how))
        left[0][:] = [f for f in left[0] if f is not x]
        left[1][:] = [f for f in left[1] if f is not y]

    for how, key_of in STEPS:
        groups = collections.defaultdict(lambda: ([], []))
        for side in (0, 1):
            for f in left[side]:
                if key_of(f):
                    groups[key_of(f)][side].append(f)
        for sides in groups.values():
            if how == "short" and (len(sides[0]), len(sides[1])) != (1, 1):
                continue
            for side in sides:
                side.sort(key=lambda f: (-f["row"]["exclusive_instructions"], f["name"]))
            for x, y in zip(*sides):
                take(x, y, how.replace("short", "code"))
    alike = [(similarity(x, y), x, y) for x in left[0] for y in left[1] if len(x["sketch"]) >= 4 and len(y["sketch"]) >= 4]
    alike = [c for c in alike if c[0] >= 0.5]
    alike.sort(key=lambda c: (-c[0], c[1]["home"] != c[2]["home"],
                              -c[1]["row"]["exclusive_instructions"] - c[2]["row"]["exclusive_instructions"],
                              sorted((c[1]["name"], c[2]["name"]))))
    for _, x, y in alike:
        if any(f is x for f in left[0]) and any(f is y for f in left[1]):
            take(x, y, "similar")
    match_calls(a, b, left, pairs, take)
    return pairs + [(x, None, "only in a") for x in left[0]] + [(None, y, "only in b") for y in left[1]]


def match_calls(a, b, left, pairs, take):
    """Matches functions that share matched neighbours, until no more do."""
    for _ in range(8):
        number = [{}, {}]
        for i, (x, y, _) in enumerate(pairs):
            number[0][next(k for k, f in enumerate(a) if f is x)] = number[1][next(k for k, f in enumerate(b) if f is y)] = i
        near = [{id(f): {(kind, number[side][k]) for kind, k in f["edges"] if k in number[side]} for f in left[side]}
                for side in (0, 1)]
        found = []
        for x in left[0]:
            for y in left[1]:
                both, all_of = near[0][id(x)] & near[1][id(y)], near[0][id(x)] | near[1][id(y)]
                if len(both) >= 2 and 2 * len(both) >= len(all_of) and similarity(x, y) >= 0.1:
                    found.append((-len(both) / len(all_of), -similarity(x, y), -value(x, "instructions") - value(y, "instructions"),
                                  x, y))
        found.sort(key=lambda c: c[:3])
        taken = [(x, y) for *_, x, y in found]
        done = set()
        for x, y in taken:
            if id(x) not in done and id(y) not in done:
                done |= {id(x), id(y)}
                take(x, y, "calls")
        if not done:
            return


def value(f, metric):
    if f is None:
        return 0
    return sum(f["row"]["exclusive_" + cost] for cost in METRICS[metric])


def key(x, y, how, values):
    name = [f and (f["name"], f["module"]) for f in (x, y)]
    return (*map(str, name), how, *values)


def main():
    a, b = functions_of(sys.argv[1], sys.argv[3]), functions_of(sys.argv[2], sys.argv[4])
    expected = [key(x, y, how, [value(f, m) for m in METRICS for f in (x, y)]) for x, y, how in match(a, b)]
    actual = []
    for row in json.load(open(sys.argv[5]))["functions"]:
        names = [{"name": row["function_" + s], "module": row["module_" + s]} if row["function_" + s] else None for s in "ab"]
        actual.append(key(*names, row["matched_by"], [row[f"{m}_{s}"] for m in METRICS for s in "ab"]))
        assert all(row[f"{m}_change"] == row[f"{m}_b"] - row[f"{m}_a"] for m in METRICS), row
    for row in sorted((collections.Counter(expected) - collections.Counter(actual)).elements()):
        print("missing:", row)
    for row in sorted((collections.Counter(actual) - collections.Counter(expected)).elements()):
        print("too much:", row)
    print(*(f"{how}: {n}" for how, n in sorted(collections.Counter(row[2] for row in expected).items())))


main()
