# SPDX-License-Identifier: MIT
"""points_plan.py PROGRAM TRACE CUT SYMBOL NTH...: a plan for trace-record --points, on standard output.

PROGRAM has fixed addresses, TRACE is a trace of it, CUT is trace-cut. For each NTH, a point begins with the nth
call of the function, and ends with the next one. Its warm-up begins with the call before, and has a marker, too.
"""
import json
import os
import re
import subprocess
import sys


def symbol(program, name):
    """Returns the function's address and the lowest address of the program."""
    names = subprocess.run(['nm', program], check=True, capture_output=True, text=True).stdout
    headers = subprocess.run(['readelf', '-lW', program], check=True, capture_output=True, text=True).stdout
    low = min(int(address, 16) for address in re.findall(r'LOAD +0x\w+ (0x\w+)', headers))
    return int(re.search(fr'^(\w+) [tT] {name}$', names, re.M).group(1), 16), low


def main():
    program, trace, cut, name = sys.argv[1:5]
    pc, low = symbol(program, name)

    def ordinal(nth):
        out = subprocess.run([cut, '--force', '--format=json', f'--from-symbol={name}', f'--nth={nth}', '--count=1',
                              '-o', f'{trace}.call', trace], check=True, capture_output=True, text=True).stdout
        return json.loads(out)['slices'][0]['first']

    def marker(nth):
        return {'module': os.path.basename(program), 'path': program, 'build_id': '', 'offset': hex(pc - low),
                'pc': hex(pc), 'count': nth, 'tier': 1}

    points = [{'cluster': i, 'interval': nth, 'weight': 0.25, 'multiplier': 2.5, 'start': ordinal(nth),
               'end': ordinal(nth + 1), 'first': marker(nth), 'behind': marker(nth + 1),
               'warmup': {'start': ordinal(nth - 1), 'first': marker(nth - 1)} if nth > 1 else None}
              for i, nth in enumerate(map(int, sys.argv[5:]))]
    json.dump({'trace': trace, 'uuid': '00112233-4455-6677-8899-aabbccddeeff', 'thread': 0,
               'interval_size': points[0]['end'] - points[0]['start'], 'instructions': 123456789,
               'points': points}, sys.stdout, indent=2)


main()
