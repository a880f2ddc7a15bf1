#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""What trace-cache --format=csv prints of the levels of a trace, by the slow model of caches.

usage: trace-dump --format=csv TRACE | cache_check.py [--accesses=all|data|fetches] LEVELS...
LEVELS as --levels has them.
"""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'oracle'))
import cache_levels
import cache_model
import dump_accesses

KIND = {'I': 'fetch', 'R': 'load', 'W': 'store'}


def print_levels(text, program, instructions):
    data_and_code = []

    def make():
        data_and_code[:] = cache_levels.levels(text)
        return data_and_code

    cache_model.run(make, program)
    for data, code in zip(*data_and_code):
        for one in [code, data] if code is not data else [data]:
            counts = one.counts
            lookups = [counts[kind + '_lookups'] for kind in cache_model.KINDS]
            misses = [counts[kind + '_misses'] for kind in cache_model.KINDS]
            ratio = '%.15g' % (100 * sum(misses) / sum(lookups)) if sum(lookups) else ''
            print(text, one.name, sum(lookups), sum(misses), ratio,
                  '%.15g' % (1000 * sum(misses) / instructions), *misses, counts['evictions'],
                  counts['write_backs'], sep=',')


def main():
    wanted = 'IRW'
    arguments = sys.argv[1:]
    if arguments[0].startswith('--accesses='):
        wanted = {'all': 'IRW', 'data': 'RW', 'fetches': 'I'}[arguments.pop(0).split('=')[1]]
    insns = list(dump_accesses.instructions(sys.stdin))
    program = [(letter == 'I', address, size, KIND[letter]) for insn in insns
               for letter, address, size in insn.accesses if letter in wanted]
    for text in arguments:
        print_levels(text, program, len(insns))


main()
