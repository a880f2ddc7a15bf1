#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Instruction-level parallelism cycle by cycle, with latencies: a slow model of trace-ilp.

usage: ilp_model.py WINDOW LOG2_BLOCK LATENCIES TEXT

TEXT: a program in the text format of mica_oracle.py. LATENCIES: lines "TYPE, NAME, CYCLES". WINDOW 0: no limit.
"""
import sys

window, block = int(sys.argv[1]), int(sys.argv[2])
latencies = {}
for line in open(sys.argv[3]):
    if line.split("#")[0].strip():
        kind, name, cycles = (word.strip() for word in line.split("#")[0].split(","))
        latencies[kind, name] = int(cycles)


def accesses(text, k):
    """(address, size) of repetition k"""
    result = []
    for word in text.split(",") if text else ():
        address, size, step = (word.split(":") + [None])[:3]
        result.append((int(address, 0) + k * int(step or size), int(size)))
    return result


def places(accesses):
    if accesses and accesses[0][0] == 0:
        return
    for address, size in accesses:
        if size and address:
            yield from range(address >> block, (address + size - 1 >> block) + 1)


def executions():
    for line in open(sys.argv[4]):
        words = line.split()
        keys = dict(word.split("=") for word in words[4:])
        latency = latencies.get(("OPCODE", words[3]), latencies.get(("CATEGORY", words[2]), 1))
        latency += latencies.get(("SPECIAL", "mem_read"), 0) if "ld" in keys else 0
        for k in range(max(1, int(keys.get("rep", 1)))):
            loads = accesses(keys.get("ld"), k)
            loads = [(address, loads[0][1]) for address, _ in loads]
            yield (latency, list(filter(None, keys.get("r", "").split(","))) + list(places(loads)),
                   list(filter(None, keys.get("w", "").split(","))) + list(places(accesses(keys.get("st"), k))))


cycle, inside, done, longest = 0, [], {}, 0
for latency, needs, makes in executions():
    end = max([cycle] + [done.get(need, 0) for need in needs]) + latency
    for made in makes:
        done[made] = end
    longest = max(longest, end)
    inside.append(end)
    while window and len(inside) == window:
        cycle += 1
        while inside and inside[0] <= cycle:
            inside.pop(0)
print(cycle if window else longest)
