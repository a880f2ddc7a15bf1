# SPDX-License-Identifier: MIT
"""The accesses of what trace-dump --format=csv prints."""
import collections
import csv
import re

OPERAND = re.compile(r'\[([a-z-]+) (\d+)(?: x(\d+))?( down)? @([^]]*)\]')

# accesses: (letter, address, size) in order: I fetches, R reads, W writes. space: to be added to an
# address for one that no other process has.
Instruction = collections.namedtuple('Instruction', 'thread ordinal pc space is_repeated accesses')


def operand(kind, size, count, down, addresses):
    """Returns (kind letters, address, size) of an operand of trace-dump."""
    size, addresses = int(size), [int(a, 16) for a in addresses.split(',') if a]
    if count and len(addresses) == 1:
        step = -size if down else size
        addresses = [addresses[0] + i * step for i in range(int(count))]
    letters = {'load': 'R', 'store': 'W', 'load-store': 'RW'}.get(kind, '')
    return [(letters, address, size) for address in addresses]


def accesses_of(row):
    one = [('I', int(row['pc'], 16), len(row['bytes']) // 2)]
    operands = [operand(*m) for m in OPERAND.findall(row['mem'])]
    if row['text'].startswith('rep'):
        return one + [(kind, a, s) for step in zip(*operands) for kind, a, s in step]
    for letter in 'RW':
        one += [(letter, a, s) for o in operands for kinds, a, s in o if letter in kinds]
    return one


def instructions(lines):
    """Yields an Instruction for each line of one."""
    process = {}
    for row in csv.DictReader(line.replace('\0', '') for line in lines):
        if row['type'] == 'event':
            started = re.match(r'thread-start .*process=(\d+)', row['text'])
            if started:
                process[row['thread']] = int(started.group(1)) << 48
        if row['type'] == 'insn':
            space = process.get(row['thread'], 0)
            yield Instruction(int(row['thread']), int(row['ordinal']), int(row['pc'], 16), space,
                              row['text'].startswith('rep'),
                              [(kind, a + space, s) for kind, a, s in accesses_of(row)])
