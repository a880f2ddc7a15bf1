#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""What trace-cache --format=csv prints of the levels of a trace, by the slow model of caches.

usage: trace-dump --format=csv TRACE | cache_check.py [--accesses=all|data|fetches] LEVELS...
LEVELS as --levels has them.
"""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'oracle'))
import cache_model
import dump_accesses

KIND = {'I': 'fetch', 'R': 'load', 'W': 'store'}


def size_of(text):
    units = {'K': 10, 'M': 20, 'G': 30}
    text = text.removesuffix('i')
    return int(text[:-1]) << units[text[-1]] if text[-1] in units else int(text)


def level(name, text):
    """Returns a level of SIZE/WAYS/LINE:WORD:WORD."""
    numbers, *words = text.split(':')
    size, ways, line = (numbers.split('/') + ['64'])[:3]
    size, line = size_of(size), size_of(line)
    ways = size // line if ways == 'full' else int(ways)
    made = cache_model.Level(name, size // line // ways, ways, line)
    for word in words:
        if word in ('nine', 'inclusive', 'exclusive'):
            made.inclusion = word
        elif word == 'write-through':
            made.write_back = False
        elif word == 'no-allocate':
            made.allocate = False
        elif word != 'unified':
            made.policy = word
    return made


def levels(text):
    """Returns the levels for instructions and those for data; unified ones are in both."""
    code, data = [], []
    for depth, one in enumerate(text.split(','), 1):
        parts = one.split('+')
        if len(parts) == 2 or depth == 1 and ':unified' not in one:
            code.append(level('L%dI' % depth, parts[0]))
            data.append(level('L%dD' % depth, parts[-1]))
        else:
            data.append(level('L%d' % depth, one))
            code.append(data[-1])
    return [data, code]


def print_levels(text, program, instructions):
    data_and_code = []

    def make():
        data_and_code[:] = levels(text)
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
