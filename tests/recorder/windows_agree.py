# SPDX-License-Identifier: MIT
"""windows_agree.py WHOLE WINDOWS: listings (JSON lines) of a program recorded whole and in windows.

Thread by thread, each instruction in a window must be the one of the whole recording at the place
that gap events give, with the same addresses. Prints how many instructions were compared, and how
many gaps there were between them.
"""
import json
import sys


def what(row):
    return row['pc'], row['bytes'], json.dumps(row['mem'])


def threads(path):
    """Returns the rows of each thread."""
    rows = {}
    with open(path, encoding='utf-8') as lines:
        for line in lines:
            row = json.loads(line)
            rows.setdefault(row['thread'], []).append(row)
    return rows


def main():
    whole = {thread: [what(r) for r in rows if r['type'] == 'insn']
             for thread, rows in threads(sys.argv[1]).items()}
    compared = gaps = 0
    for thread, rows in threads(sys.argv[2]).items():
        at = 0
        for row in rows:
            if row['type'] == 'insn':
                if at >= len(whole[thread]) or what(row) != whole[thread][at]:
                    sys.exit(f'thread {thread}, instruction {at}: {row} is not '
                             f'{whole[thread][at:at + 1]}')
                at += 1
                compared += 1
            elif row['event'] == 'gap' and row['reason'] == 'skipped':
                at += row['instructions']
                gaps += 1
    print(compared, gaps)


main()
