#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Reads the profiles of trace-calls, and compares them with its result.

usage: calls_exports.py RESULT.json FOLDED SPEEDSCOPE PPROF FIREFOX CALLGRIND
RESULT.json is the output of trace-calls --format=json --threshold=0 --top=1000000 --demangle=no. All readers are
written from the descriptions of the formats. Prints differences, and "same" at last.
"""
import collections
import gzip
import json
import sys

COSTS = "instructions", "loads", "stores", "branches", "bytes_loaded", "bytes_stored"


def stacks_of_result(result):
    """Returns {stack of function names: costs}, exclusive ones."""
    paths, stacks = {0: ()}, collections.defaultdict(lambda: [0] * len(COSTS))
    for row in result["call_paths"]:
        paths[row["path"]] = stack = paths[row["caller"]] + (row["function"],)
        for i, cost in enumerate(COSTS):
            stacks[stack][i] += row["exclusive_" + cost]
    return {stack: costs for stack, costs in stacks.items() if any(costs)}


def instructions(stacks):
    return {stack: costs[0] for stack, costs in stacks.items() if costs[0]}


def read_folded(name):
    stacks, before = {}, ""
    for line in open(name, encoding="utf-8"):
        stack, count = line.rstrip("\n").rsplit(" ", 1)
        assert before < stack, "not sorted"
        before = stack
        stacks[tuple(stack.split(";"))] = int(count)
    return stacks


def read_speedscope(name):
    file = json.load(open(name, encoding="utf-8"))
    assert file["$schema"] == "https://www.speedscope.app/file-format-schema.json"
    frames = [frame["name"] for frame in file["shared"]["frames"]]
    profile, = file["profiles"]
    assert profile["type"] == "sampled" and profile["unit"] == "none" and profile["startValue"] == 0
    assert profile["endValue"] == sum(profile["weights"])
    assert len(profile["samples"]) == len(profile["weights"])
    stacks = collections.Counter()
    for sample, weight in zip(profile["samples"], profile["weights"]):
        stacks[tuple(frames[i] for i in sample)] += weight
    return dict(stacks)


def fields(message):
    """Yields (field, value) of a protocol buffer; value: a number or bytes."""
    at = 0

    def varint():
        nonlocal at
        value = shift = 0
        while True:
            byte = message[at]
            at += 1
            value |= (byte & 0x7F) << shift
            shift += 7
            if byte < 0x80:
                return value

    while at < len(message):
        key = varint()
        if key & 7 == 0:
            yield key >> 3, varint()
        else:
            assert key & 7 == 2
            size = varint()
            yield key >> 3, message[at:at + size]
            at += size


def lists(message):
    found = collections.defaultdict(list)
    for field, value in fields(message):
        found[field].append(value)
    return found


def read_pprof(name):
    """Returns {stack: costs}, and the lines of each function."""
    packed = open(name, "rb").read()
    assert packed[4:8] == bytes(4), "a time in the gzip header"
    profile = lists(gzip.decompress(packed))
    strings = [text.decode() for text in profile[6]]
    assert strings[0] == ""
    types = [lists(value) for value in profile[1]]
    assert [strings[t[1][0]] for t in types] == list(COSTS)
    assert [strings[t[2][0]] for t in types] == ["count"] * 4 + ["bytes"] * 2
    assert strings[profile[14][0]] == "instructions"
    functions, modules = {}, set()
    for value in profile[5]:
        function = lists(value)
        functions[function[1][0]] = strings[function[2][0]]
    for value in profile[3]:
        mapping = lists(value)
        modules.add(mapping[1][0])
    locations, lines = {}, collections.defaultdict(set)
    for value in profile[4]:
        location = lists(value)
        line, = [lists(v) for v in location[4]]
        assert location[1][0] and (not location[2] or location[2][0] in modules)
        locations[location[1][0]] = function = functions[line[1][0]]
        lines[function].add(line[2][0])
    stacks = collections.defaultdict(lambda: [0] * len(COSTS))
    for value in profile[2]:
        sample = lists(value)
        assert len(sample[2]) == len(COSTS)
        stack = tuple(locations[i] for i in reversed(sample[1]))
        for i, cost in enumerate(sample[2]):
            stacks[stack][i] += cost
    return dict(stacks), lines


def read_firefox(name):
    file = json.load(open(name, encoding="utf-8"))
    assert file["meta"]["preprocessedProfileVersion"] == 66
    assert any(category["color"] == "grey" for category in file["meta"]["categories"])
    shared = file["shared"]
    for table in shared.values():
        if isinstance(table, dict):
            assert all(len(column) == table["length"] for key, column in table.items() if key != "length")
    stack_table = shared["stackTable"]
    stacks = []
    for i in range(stack_table["length"]):
        function = shared["frameTable"]["func"][stack_table["frame"][i]]
        name = shared["stringArray"][shared["funcTable"]["name"][function]]
        offset = stack_table["prefixOffset"][i]
        assert offset <= i
        stacks.append((stacks[i - offset] if offset else ()) + (name,))
    thread, = file["threads"]
    samples, found = thread["samples"], collections.Counter()
    assert len(samples["stack"]) == len(samples["weight"]) == len(samples["timeDeltas"]) == samples["length"]
    for stack, weight in zip(samples["stack"], samples["weight"]):
        found[stacks[stack]] += weight
    return dict(found)


def read_callgrind(name):
    """Returns costs by function and (caller, callee): (calls, inclusive instructions), from the format's rules."""
    names, costs, calls = {}, collections.defaultdict(lambda: [0] * 4), collections.defaultdict(lambda: [0, 0])
    function = callee = None
    n_calls, summary = 0, None
    head = open(name, "rb").read(2047)
    assert b"\nevents: Ir Dr Dw Bc\n" in head

    def named(text):
        number, _, rest = text.partition(" ")
        if rest:
            assert number not in names, "defined twice"
            names[number] = rest
        return names[number]

    spaces = {"ob": "ob", "cob": "ob", "fl": "fl", "fi": "fl", "fe": "fl", "cfl": "fl", "fn": "fn", "cfn": "fn"}
    for line in open(name, encoding="utf-8", errors="replace"):
        key, _, value = line.rstrip("\n").partition("=")
        if key in spaces and value.startswith("("):
            # Each kind of name has numbers of its own.
            text = named(spaces[key] + value)
            if key == "fn":
                function = text
            elif key == "cfn":
                callee = text
        elif key == "calls":
            n_calls = int(value.split()[0])
        elif line.startswith("0x"):
            _, number, *values = line.split()
            assert int(number) >= 0 and len(values) == 4
            if n_calls or callee:
                calls[function, callee][0] += n_calls
                calls[function, callee][1] += int(values[0])
                n_calls, callee = 0, None
            else:
                costs[function] = [a + int(b) for a, b in zip(costs[function], values)]
        elif line.startswith("summary:"):
            summary = [int(value) for value in line.split()[1:]]
    assert summary == [sum(column) for column in zip(*costs.values())], "summary"
    return costs, calls


def compare(what, wanted, found):
    for key in sorted(set(wanted) | set(found), key=str):
        if wanted.get(key) != found.get(key):
            print(f"{what}: {key}: {found.get(key)} instead of {wanted.get(key)}")


def main():
    result = json.load(open(sys.argv[1], encoding="utf-8"))
    wanted = stacks_of_result(result)
    compare("folded", instructions(wanted), read_folded(sys.argv[2]))
    compare("speedscope", instructions(wanted), read_speedscope(sys.argv[3]))
    stacks, lines = read_pprof(sys.argv[4])
    compare("pprof", wanted, stacks)
    if len(lines["fib"] - {0}) < 3:
        print("pprof: fib has the lines", lines["fib"])
    compare("firefox", instructions(wanted), read_firefox(sys.argv[5]))
    by_function = collections.defaultdict(lambda: [0] * 4)
    for row in result["functions"]:
        for i, cost in enumerate(COSTS[:4]):
            by_function[row["function"]][i] += row["exclusive_" + cost]
    costs, calls = read_callgrind(sys.argv[6])
    compare("callgrind", {f: c for f, c in by_function.items() if any(c)}, costs)
    for caller, callee, times in ("main", "leaf", 10), ("main", "fib", 1), ("fib", "fib", 176), ("tail_end", "leaf", 1):
        if calls[caller, callee][0] != times:
            print(f"callgrind: {caller} calls {callee} {calls[caller, callee][0]} times")
    inclusive = {row["function"]: row["inclusive_instructions"] for row in result["functions"]}
    if calls["main", "fib"][1] != inclusive["fib"]:
        print("callgrind: fib", calls["main", "fib"], inclusive["fib"])
    print("same")


main()
