#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Compares the counts of trace-cache and of Valgrind's cachegrind, access by access.

usage: trace-dump --format=csv TRACE | cachegrind_check.py I1 D1 LL CACHEGRIND-OUT TRACE-CACHE-JSON
I1, D1, LL: SIZE,WAYS,LINE as cachegrind has them; write-back, LRU, L1 split.

Cachegrind counts otherwise in three ways, of which Valgrind's manual and cg_sim.c tell:
- an instruction that reads and writes the same memory is one read;
- an access of two lines is one access with one miss at most; if any of them misses in level 1, it
  touches both in level 2, and that is one miss at most there;
- each repetition of a rep instruction is a fetch, and so is the last look at the count.
By these rules the model must give cachegrind's counts, without them those of trace-cache. If no
access of two lines ever had just one miss in level 1, both must have the same misses.
"""
import json
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'oracle'))
import cache_model
import dump_accesses

EVENTS = ('Ir', 'I1mr', 'ILmr', 'Dr', 'D1mr', 'DLmr', 'Dw', 'D1mw', 'DLmw')


def make(text):
    size, ways, line = map(int, text.split(','))
    return cache_model.Level(text, size // line // ways, ways, line)


def touch(level, line):
    """Touches a line. Returns whether it is missing."""
    number, way = level.find(line)
    if way is None:
        level.place(line, False)
    else:
        level.states[number].touched(way)
    return way is None


def touch_all(level, address, size):
    """Touches all lines of an access, from the lowest on. Returns the missing ones."""
    first, last = address // level.line, (address + size - 1) // level.line
    return [line for line in range(first, last + 1) if touch(level, line)]


def accesses(lines):
    """Yields (event, repetitions, address, size) as cachegrind sees them, and whether it does so."""
    for insn in dump_accesses.instructions(lines):
        reads = {(address, size) for letter, address, size in insn.accesses if letter == 'R'}
        n_data = len(insn.accesses) - 1
        repetitions = n_data // 2 + 1 if insn.is_repeated else 1
        for letter, address, size in insn.accesses:
            event = {'I': 'Ir', 'R': 'Dr', 'W': 'Dw'}[letter]
            yield (event, repetitions if letter == 'I' else 1, address, size,
                   not (letter == 'W' and (address, size) in reads))


class Ours:
    """Level 2 sees the lines that level 1 lacks."""

    def __init__(self, texts):
        self.i1, self.d1, self.ll = map(make, texts)
        self.misses = dict.fromkeys(EVENTS, 0)

    def take(self, event, address, size):
        """Returns the missing lines of both levels."""
        level = self.i1 if event == 'Ir' else self.d1
        missing = touch_all(level, address, size)
        missing_ll = [line for line in missing if touch(self.ll, line)]
        self.misses[event[0] + '1m' + event[1]] += len(missing)
        self.misses[event[0] + 'Lm' + event[1]] += len(missing_ll)
        return missing, missing_ll


class Cachegrind(Ours):
    def take(self, event, address, size):
        level = self.i1 if event == 'Ir' else self.d1
        missing = touch_all(level, address, size)
        missing_ll = touch_all(self.ll, address, size) if missing else []
        self.misses[event[0] + '1m' + event[1]] += bool(missing)
        self.misses[event[0] + 'Lm' + event[1]] += bool(missing_ll)
        return missing, missing_ll


def summary(path):
    with open(path) as file:
        for line in file:
            if line.startswith('events:'):
                names = line.split()[1:]
            if line.startswith('summary:'):
                return dict(zip(names, map(int, line.split()[1:])))


def of_trace_cache(path):
    with open(path) as file:
        rows = {row['level']: row for row in json.load(file)['levels']}
    ours = {}
    for level, digit in (('L1I', '1'), ('L1D', '1'), ('L2', 'L')):
        for kind, letters in (('fetch', 'I%smr'), ('load', 'D%smr'), ('store', 'D%smw')):
            if level == 'L2' or (level == 'L1I') == (kind == 'fetch'):
                ours[letters % digit] = rows[level][kind + '_misses']
    return ours


def main():
    *texts, cachegrind_out, json_out = sys.argv[1:]
    ours, theirs, refs = Ours(texts), Cachegrind(texts), dict.fromkeys(EVENTS, 0)
    half_misses, differ = 0, []
    for event, repetitions, address, size, seen in accesses(sys.stdin):
        mine = ours.take(event, address, size)
        if not seen:
            assert mine == ([], []), (event, hex(address))
            continue
        refs[event] += repetitions
        their = theirs.take(event, address, size)
        half_misses += len(mine[0]) == 1 and len(
            range(address // ours.d1.line, (address + size - 1) // ours.d1.line + 1)) == 2
        if mine != their:
            assert half_misses, (event, hex(address))
            differ.append((event, hex(address), size))
    predicted = {name: refs[name] if name in refs and len(name) == 2 else theirs.misses[name]
                 for name in EVENTS}
    assert predicted == summary(cachegrind_out), (predicted, summary(cachegrind_out))
    found = of_trace_cache(json_out)
    assert found == {name: ours.misses[name] for name in found}, (found, ours.misses)
    if not half_misses:
        assert all(found[name] == predicted[name] for name in found)
    print('%d accesses, %d of two lines with one miss, %d differ' % (
        sum(refs.values()), half_misses, len(differ)), *differ[:20], sep='\n')


main()
