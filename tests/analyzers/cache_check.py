#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Compares all counts of levels that trace-cache reports with the slow model of caches.

usage: trace-dump --format=csv TRACE | cache_check.py RESULT OPTION...
RESULT: of trace-cache OPTION... --format=json. OPTIONs: --accesses=all|data|fetches, and --levels=
and --tlb= in the order of the result.
"""
import json
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'oracle'))
import cache_levels
import cache_model
import dump_accesses

KIND = {'I': 'fetch', 'R': 'load', 'W': 'store'}
LETTERS = {'all': 'IRW', 'data': 'RW', 'fetches': 'I'}


def rows_of(made, program):
    """Yields the counts of each level, instructions first."""
    data_and_code = []

    def make():
        data_and_code[:] = made()
        return data_and_code

    cache_model.run(make, program)
    for data, code in zip(*data_and_code):
        for level in [code, data] if code is not data else [data]:
            row = dict(level.counts)
            for what in ('lookups', 'misses'):
                row[what] = sum(row[kind + '_' + what] for kind in cache_model.KINDS)
            yield level.name, row


def main():
    with open(sys.argv[1]) as file:
        found = json.load(file)['levels']
    options = [option.partition('=')[::2] for option in sys.argv[2:]]
    letters = LETTERS[dict(options).get('--accesses', 'all')]
    insns = list(dump_accesses.instructions(sys.stdin))
    program = [(letter == 'I', address, size, KIND[letter], insn.pc) for insn in insns
               for letter, address, size in insn.accesses if letter in letters]
    expected = []
    for name, text in options:
        if name in ('--levels', '--tlb'):
            made = lambda: cache_levels.levels(text, name == '--tlb')
            expected += [(text, level, row) for level, row in rows_of(made, program)]
    assert len(found) == len(expected), (len(found), len(expected))
    for row, (text, level, counts) in zip(found, expected):
        own = {name: row[name] for name in counts}
        assert row['level'] == level and own == counts, '\n'.join(
            ['%s %s' % (text, level)] + ['%s: %s, not %s' % (name, own[name], counts[name])
                                         for name in counts if own[name] != counts[name]])
    print(len(insns), 'instructions', sum(row['misses'] for row in found), 'misses')


main()
