# SPDX-License-Identifier: MIT
"""check_distances.py BIN TRACE ENTRY PLAN PLAN: plans of slices from one parallel region to the next, without and with vectors
of distances. Each half of a vector counts the same, so that the spread with both is the mean of the spread without distances
and of that of the distances, which a plain LRU stack gives."""
import json
import subprocess
import sys
from collections import Counter, defaultdict

binaries, trace, entry = sys.argv[1:4]
entry = int(entry, 16)
out = subprocess.run([f"{binaries}/trace-dump", "--format=jsonl", trace], stdout=subprocess.PIPE, check=True).stdout
stacks = defaultdict(list)
slices = [[0, Counter()]]


def weight(distance):
    if distance is None:
        return 32, 200
    power = max(distance, 1).bit_length() - 1
    return power, 0.1 if power < 11 else min(max(2 ** (power / 4), 4), 200)


def touch(thread, line):
    stack = stacks[thread]
    distance = None
    if line in stack:
        distance = len(stack) - 1 - stack.index(line)
        stack.remove(line)
    stack.append(line)
    power, cost = weight(distance)
    slices[-1][1][thread, power] += cost


for insn in map(json.loads, out.splitlines()):
    if insn["type"] != "insn":
        continue
    if int(insn["pc"], 16) == entry and slices[-1][0]:
        slices.append([0, Counter()])
    slices[-1][0] += 1
    for access in insn["mem"]:
        address, size = int(access["address"], 16), access["size"]
        for element in range(access["count"]):
            first = address + element * size
            for line in range(first // 64, (first + max(size, 1) - 1) // 64 + 1):
                touch(insn["thread"], line)

total = sum(n for n, _ in slices)
shares = [(n / total, {key: cost / sum(costs.values()) for key, cost in costs.items()}) for n, costs in slices]
whole = Counter()
for part, share in shares:
    for key, cost in share.items():
        whole[key] += part * cost
spread = sum(part * (1 - sum(min(cost, whole[key]) for key, cost in share.items())) for part, share in shares)
without, both = (json.load(open(name))["spread"] for name in sys.argv[4:])
assert abs(both - (without + 100 * spread) / 2) < 1e-6, (both, without, spread)
assert spread > 0.01
