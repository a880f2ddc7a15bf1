#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Basic block vectors by the exact rules, one instruction after the other:
bbv_model.py dynamic|cfg INTERVAL <JSONL, of trace-dump --format=jsonl

Prints the lines of all intervals, the last one included, then "F:id:address" of each block. One
thread, no faults.
"""
import json
import sys

PREFIXES = {0xf2, 0xf3, 0x66, 0x2e, 0x3e, *range(0x40, 0x50)}


def transfer(code):
    """Returns whether the instruction transfers control, and the distance of a direct target from its end."""
    i = 0
    while i + 1 < len(code) and code[i] in PREFIXES:
        i += 1
    op = code[i]
    signed = lambda k: int.from_bytes(code[k:], 'little', signed=True)
    if 0x70 <= op <= 0x7f or op in (0xeb, 0xe0, 0xe1, 0xe2, 0xe3, 0xe8, 0xe9):
        return True, signed(i + 1)
    if op == 0x0f and i + 1 < len(code):
        if 0x80 <= code[i + 1] <= 0x8f:
            return True, signed(i + 2)
        return code[i + 1] in (0x05, 0x0b, 0x34), None
    if op == 0xff:
        return (code[i + 1] >> 3 & 7) in (2, 3, 4, 5), None
    return op in (0xc2, 0xc3, 0xcc, 0xcd, 0xf4), None


def main():
    shape, interval = sys.argv[1], int(sys.argv[2])
    steps = [json.loads(line) for line in sys.stdin if line.startswith('{"type":"insn"')]
    steps = [(int(s['pc'], 16), bytes.fromhex(s['bytes'])) for s in steps]
    begins = [True] * len(steps)
    leaders = set()
    for i, (pc, code) in enumerate(steps):
        ends, distance = transfer(code)
        if ends:
            leaders.add(pc + len(code))
            if distance is not None:
                leaders.add(pc + len(code) + distance)
        if i + 1 < len(steps):
            begins[i + 1] = ends or steps[i + 1][0] != pc + len(code)
    if shape == 'cfg':
        leaders.update(step[0] for step, begin in zip(steps, begins) if begin)
        begins = [step[0] in leaders for step in steps]
    ids, counts, length, block = {}, {}, 0, None

    def flush():
        print('T' + ''.join(':%d:%d   ' % (ids[k], counts[k]) for k in sorted(counts)))
        counts.clear()

    for (pc, _), begin in zip(steps, begins):
        if begin:
            block = pc
            ids.setdefault(block, len(ids) + 1)
        counts[block] = counts.get(block, 0) + 1
        length += 1
        if length == interval:
            flush()
            length = 0
    if length:
        flush()
    for block in sorted(ids):
        print('F:%d:%x' % (ids[block], block))


main()
