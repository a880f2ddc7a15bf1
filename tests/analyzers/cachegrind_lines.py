#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Compares the misses of data in level 1 by function and line of trace-cache and of cachegrind.

usage: cachegrind_lines.py CACHEGRIND-OUT TRACE-CACHE-JSON
"""
import json
import sys


def of_cachegrind(path):
    found = {}
    with open(path) as file:
        for line in file:
            if line.startswith('events:'):
                reads, writes = (line.split().index(name) for name in ('D1mr', 'D1mw'))
            elif line.startswith('fn='):
                function = line.strip().partition('=')[2]
            elif line[0].isdigit():
                numbers = [int(number) for number in line.split()]
                misses = numbers[reads] + numbers[writes]
                if misses and numbers[0]:
                    found[function, numbers[0]] = found.get((function, numbers[0]), 0) + misses
    return found


def of_trace_cache(path):
    with open(path) as file:
        rows = json.load(file)['by_function_line']
    return {(row['symbol'], int(row['line'].rpartition(':')[2])): row['misses'] for row in rows
            if row['level'] == 'L1D' and row['line'] != '[unknown]'}


cachegrind, trace_cache = of_cachegrind(sys.argv[1]), of_trace_cache(sys.argv[2])
assert len(cachegrind) > 5 and cachegrind == trace_cache, (cachegrind, trace_cache)
