#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Random programs of loops, calls and accesses, and the results of tests/oracle/slo_oracle.py for them.

usage: slo_model.py program SEED NAME   writes NAME.S; prints what trace-slo should find, a refactoring
                                        a line, sorted: kind, place, first, second, reuses, the sum of
                                        their distances, and how many have each log2 of a distance
       slo_model.py rows                the same of a report in JSON on the standard input

A program is functions that call later ones. Each loop counts in a register of its own, so that all that
touches memory is the accesses themselves, calls and returns. The text of its assembly is its source:
a loop is told by the line of the branch that decides whether it goes on.
"""
import collections
import json
import os
import random
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '../oracle'))
import slo_oracle

COUNTERS = ['%rbx', '%rcx', '%rdx', '%rsi', '%rdi', '%rbp'] + [f'%r{i}' for i in range(8, 16)]
ELEMENTS = 40


class Access:
    def __init__(self, rnd):
        self.element = rnd.randrange(ELEMENTS)
        self.write = rnd.random() < .3


class Loop:
    def __init__(self, form, trips, body):
        self.form, self.trips, self.body = form, trips, body


class Call:
    def __init__(self, function, tail=False):
        self.function, self.tail = function, tail


class Program:
    """functions: one list of statements each; function 0 is _start."""

    def __init__(self, seed):
        self.rnd = random.Random(seed)
        self.counters = list(COUNTERS)
        self.n_functions = self.rnd.randint(2, 5)
        self.functions = [self.function(i) for i in range(self.n_functions)]

    def function(self, index):
        body = self.body(index, 0)
        if 0 < index < self.n_functions - 1 and self.rnd.random() < .3:
            body.append(Call(self.rnd.randint(index + 1, self.n_functions - 1), tail=True))
        return body

    def body(self, index, depth):
        return [self.statement(index, depth) for _ in range(self.rnd.randint(1, 4))]

    def statement(self, index, depth):
        choice = self.rnd.random()
        if choice < .4 and depth < 3 and self.counters:
            self.counters.pop()
            form = self.rnd.choice(['bottom', 'top', 'middle'])
            return Loop(form, self.rnd.randint(1, 5), self.body(index, depth + 1))
        if choice < .6 and index + 1 < self.n_functions:
            return Call(self.rnd.randint(index + 1, self.n_functions - 1))
        return Access(self.rnd)


class Assembly:
    def __init__(self, program, name):
        self.lines, self.source, self.labels = [], name + '.S', 0
        self.counters = list(COUNTERS)
        self.emit('.section .note.GNU-stack, "", @progbits', '.bss', '.balign 4096', 'elements:',
                  f'.skip {8 * ELEMENTS}', '.text', '.globl _start')
        for index, body in enumerate(program.functions):
            self.function = index
            self.emit(f'.type {self.name(index)}, @function', f'{self.name(index)}:')
            self.statements(body)
            if index == 0:
                self.emit('mov $60, %eax', 'xor %edi, %edi', 'syscall')
            elif not (isinstance(body[-1], Call) and body[-1].tail):
                self.emit('ret')
            self.emit(f'.size {self.name(index)}, . - {self.name(index)}')

    @staticmethod
    def name(index):
        return f'f{index}' if index else '_start'

    def emit(self, *lines):
        self.lines += lines
        return f'{self.source}:{len(self.lines)}'

    def label(self):
        self.labels += 1
        return f'.L{self.labels}'

    def statements(self, body):
        for statement in body:
            if isinstance(statement, Access):
                place = f'elements+{8 * statement.element}(%rip)'
                self.emit(f'mov %rax, {place}' if statement.write else f'mov {place}, %rax')
            elif isinstance(statement, Loop):
                self.loop(statement)
            elif statement.tail:
                statement.place = self.emit(f'jmp {self.name(statement.function)}')
            else:
                statement.place = self.emit(f'call {self.name(statement.function)}')

    def loop(self, loop):
        """bottom: tested behind the body; top: before it; middle: entered at the test behind it."""
        counter, head, test = self.counters.pop(), self.label(), self.label()
        loop.function = self.function
        self.emit(f'mov ${loop.trips}, {counter}')
        if loop.form == 'bottom':
            self.emit(f'{head}:')
            self.statements(loop.body)
            self.emit(f'dec {counter}')
            loop.place = self.emit(f'jnz {head}')
        elif loop.form == 'top':
            self.emit(f'{head}:', f'sub $1, {counter}')
            loop.place = self.emit(f'jc {test}')
            self.statements(loop.body)
            self.emit(f'jmp {head}', f'{test}:')
        else:
            self.emit(f'jmp {test}', f'{head}:')
            self.statements(loop.body)
            self.emit(f'{test}:', f'sub $1, {counter}')
            loop.place = self.emit(f'jnc {head}')


def events_of(program):
    """Returns the oracle's input. A call is followed by the touch of its return address."""
    events = []

    def run(body, depth):
        for statement in body:
            if isinstance(statement, Access):
                events.append(('A', f'e{statement.element}'))
            elif isinstance(statement, Loop):
                repeat(statement, depth)
            elif statement.tail:
                events.append(('R',))
                events.append(('C', Assembly.name(statement.function), sites[-1]))
                run(program.functions[statement.function], depth)
            else:
                events.append(('A', f's{depth}'))
                events.append(('C', Assembly.name(statement.function), statement.place))
                sites.append(statement.place)
                run(program.functions[statement.function], depth + 1)
                sites.pop()
                events.append(('A', f's{depth}'))
                events.append(('R',))

    def repeat(loop, depth):
        events.append(('L', loop.place))
        for trip in range(loop.trips):
            if trip:
                events.append(('I', loop.place))
            run(loop.body, depth)
        events.append(('X', loop.place))

    sites = []
    events.append(('C', '_start'))
    run(program.functions[0], 0)
    return events


def refactorings(program, events):
    """Sums up the oracle's pairs in the words of trace-slo."""
    loops = {}

    def find_loops(body):
        for statement in body:
            if isinstance(statement, Loop):
                loops[statement.place] = Assembly.name(statement.function)
                find_loops(statement.body)

    def part(name):
        if name == '-':
            return ''
        if name in loops:
            return f'the loop at {name}'
        function, _, site = name.partition('@')
        return f'the call of {function} at {site}' if site else function

    def overview(name):
        if name in loops:
            return f'the loop at {name} in {loops[name]}'
        return 'the thread' if name == '<root>' else name.partition('@')[0]

    for body in program.functions:
        find_loops(body)
    pairs = slo_oracle.fast(events)
    assert pairs == slo_oracle.brute(events)
    found = {}
    for distance, kind, where, first, second, *_ in pairs:
        if kind == 'LOOP':
            first = second = '-'
        key = kind.lower(), overview(where), part(first), part(second)
        row = found.setdefault(key, [0, 0, collections.Counter()])
        row[0] += 1
        row[1] += distance
        row[2][max(distance, 1).bit_length() - 1] += 1
    return found


def show(found):
    for key, (reuses, total, log2) in sorted(found.items()):
        print(*key, reuses, total, *(f'{bin}:{n}' for bin, n in sorted(log2.items())), sep='\t')


def rows(report):
    found = {}
    places = {row['rank']: row for row in report['places']}
    bins = collections.defaultdict(dict)
    for row in report['histogram']:
        bins[row['rank']][max(row['distance_from'], 1).bit_length() - 1] = row['reuses']
    for row in report['refactorings']:
        place = places[row['rank']]
        key = row['kind'], place['where'], place['first'] or '', place['second'] or ''
        found[key] = [row['reuses'], round(row['reuses'] * row['mean_distance']),
                      bins[row['rank']]]
    return found


def main():
    if sys.argv[1] == 'rows':
        show(rows(json.load(sys.stdin)))
        return
    program = Program(int(sys.argv[2]))
    assembly = Assembly(program, sys.argv[3])
    with open(sys.argv[3] + '.S', 'w') as out:
        print(*assembly.lines, sep='\n', file=out)
    show(refactorings(program, events_of(program)))


main()
