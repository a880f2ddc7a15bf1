#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Compares the kinds of misses, their groups, and coherence that trace-cache reports with the slow model.

usage: trace-dump --format=csv TRACE | cache_study_check.py RESULT LEVELS CORES KEY
RESULT: of trace-cache --levels=LEVELS --cores=CORES --by=KEY --top=1000000 --format=json; KEY:
instruction, thread, cacheline or page.
"""
import collections
import json
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'oracle'))
import cache_levels
import coherence_model
import dump_accesses

KIND = {'I': 'fetch', 'R': 'load', 'W': 'store'}
EFFECTS = ('invalidations', 'transfers', 'upgrades')
SHARING = ('true_sharing', 'false_sharing')


def counts_of(row, names):
    return {name: row[name] for name in names if row[name]}


def key_of(row, key):
    """Returns the value of the key of a row of the result."""
    if key == 'instruction':
        return int(row['pc'], 16)
    if key == 'thread':
        return row['thread']
    return row['process'], int(row[key], 16)


def value_of(insn, first, key):
    """Returns the value of the key of an access; first: its lowest address in the line."""
    if key == 'instruction':
        return insn.pc
    if key == 'thread':
        return insn.thread
    address = first - insn.space
    return insn.space >> 48, address - address % (64 if key == 'cacheline' else 4096)


def simulate(text, n_cores, key):
    n_shared = 1 if ',' in text else 0
    cores = coherence_model.Cores(lambda: cache_levels.levels(text), n_cores, n_shared)
    groups, lines = (collections.defaultdict(collections.Counter) for _ in range(2))
    accesses = collections.defaultdict(collections.Counter)
    contended = set()
    for insn in dump_accesses.instructions(sys.stdin):
        core = insn.thread % n_cores
        for letter, address, size in insn.accesses:
            for line, effect, misses in cores.access(core, address, size, KIND[letter]):
                first = max(address, line)
                for level, kind in misses:
                    groups[level, value_of(insn, first, key)][kind] += 1
                if effect['invalidations']:
                    contended.add(line)
                if line not in contended:
                    continue
                last = min(address + max(size, 1), line + cores.rows[0][0][0].line)
                sharing = [kind for _, kind in misses if kind in SHARING][:1]
                one = collections.Counter(effect) + collections.Counter(sharing)
                one['stores' if letter == 'W' else 'loads'] += 1
                lines[line] += one
                accesses[line, first - line, last - first, insn.thread, insn.pc] += one
    return cores, groups, lines, accesses


def main():
    path, text, n_cores, key = sys.argv[1:]
    with open(path) as file:
        result = json.load(file)
    cores, groups, lines, accesses = simulate(text, int(n_cores), key)
    found = {row['level']: counts_of(row, coherence_model.KINDS) for row in result['kinds']}
    expected = {level: dict(cores.kinds[level]) for level in found}
    assert found == expected, (found, expected)
    found = {(row['level'], key_of(row, key)): counts_of(row, coherence_model.KINDS)
             for row in result['by_' + key]}
    assert found == groups, set(map(str, found.items())) ^ set(map(str, groups.items()))
    for row in result['by_' + key]:
        assert row['misses'] == sum(row[kind] for kind in coherence_model.KINDS), row
    print(len(groups), 'groups', len(lines), 'contended lines', *cores.counts.items())
    if n_cores == '1':
        return
    found = counts_of(result['coherence'][0], EFFECTS)
    assert found == dict(cores.counts), (found, cores.counts)
    names = EFFECTS + SHARING + ('loads', 'stores')
    found = {(row['process'] << 48) + int(row['line'], 16): counts_of(row, names)
             for row in result['contended_lines']}
    assert found == lines, (found, lines)
    found = {(int(row['line'], 16), row['offset'], row['size'], row['thread'], int(row['pc'], 16)):
             counts_of(row, names) for row in result['contended_accesses']}
    assert found == accesses, (found, accesses)


main()
