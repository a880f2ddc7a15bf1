#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Lookups and misses of a set-associative LRU cache by function, slowly: the rows of examples/setcache.

usage: reader.py TRACE | setcache_model.py SYMBOLS SIZE LINE WAYS
SYMBOLS: what nm prints of the program, which must be static. Rows are sorted by name.
"""
import bisect
import collections
import json
import sys


def accesses(lines):
    """Yields (pc, address, size) of each access, operand by operand."""
    for text in lines:
        row = json.loads(text)
        if row["type"] != "insn":
            continue
        for operand in row["mem"]:
            addresses = operand.get("lanes", [operand.get("address")])
            step = -operand["size"] if operand.get("down") else operand["size"]
            for address in addresses:
                for i in range(operand["count"] if len(addresses) == 1 else 1):
                    yield int(row["pc"], 16), int(address, 16) + i * step, operand["size"]


def functions(file):
    """Returns the addresses of functions, ascending, and their names."""
    found = {}
    for line in file:
        address, kind, name = line.split()[-3:]
        if kind in "tTwWi":
            found.setdefault(int(address, 16), set()).add(name)
    return sorted(found), found


def main():
    with open(sys.argv[1]) as file:
        starts, names = functions(file)
    size, line, ways = (int(a) for a in sys.argv[2:])
    recent = collections.defaultdict(list)
    lookups, misses = collections.Counter(), collections.Counter()
    for pc, address, length in accesses(sys.stdin):
        name = starts[bisect.bisect_right(starts, pc) - 1]
        for number in range(address // line, (address + length - 1) // line + 1):
            entries = recent[number % (size // line // ways)]
            lookups[name] += 1
            if number in entries:
                entries.remove(number)
            else:
                misses[name] += 1
            entries.insert(0, number)
            del entries[ways:]
    for start, count in lookups.items():
        print(count, misses[start], ",".join(sorted(names[start])))


main()
