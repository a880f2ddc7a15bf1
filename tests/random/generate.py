#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Writes a random but valid program: generate.py SEED [INSTRUCTIONS [ROUNDS [FEATURES]]] >program.S

Straight code of all kinds over a scratch area, branches, bounded loops, calls and returns in many
forms, jumps through tables. It ends with a checksum of registers and memory (finish.h), executes about
INSTRUCTIONS instructions a round, and does the same in each run. In several rounds the same code runs with
other data, takes other ways, and gets hot. FEATURES are those of this processor, unless others are named.

So that every access stays in the area, the generator knows of some registers that they hold a
pointer into the area or a small number, and within which bounds. Where ways of control meet, it keeps
the facts that hold on all of them.
"""
import sys

from operands import AREA, CONDITIONS, NAMES, Known, join, part
from straight import Straight
from vectors import FEATURES

GUARD = 256     # bytes behind the area
DATA = 12288    # bytes from the page of the data to the second half of the area; how many are used depends on the
                # processor: programs for one with only AVX2 had more than a page


class Function:
    def __init__(self, name, cost, clobbers, pops):
        self.name, self.cost, self.clobbers, self.pops = name, cost, clobbers, pops


class Generator(Straight):
    def __init__(self, seed, instructions, rounds):
        super().__init__(seed)
        self.instructions, self.rounds = instructions, rounds
        self.functions = []
        self.depth = 0

    # ---- control ----

    def branch(self, cost):
        otherwise, after = self.new_label(), self.new_label()
        level, before = len(self.stack), dict(self.registers)
        start = self.cost
        if self.chance(15):         # these jumps reach only 128 bytes
            near, on = self.new_label(), self.new_label()
            self.emit('%s %s' % (self.pick('jrcxz', 'jecxz'), near))
            self.emit('jmp %s' % on)
            self.place(near)
            self.emit('jmp %s' % otherwise)
            self.place(on)
        else:
            self.emit('j%s %s' % (self.random.choice(CONDITIONS), otherwise))
        self.block(cost)
        self.unwind(level)
        with_else = self.chance(50)
        if with_else:
            self.emit('jmp %s' % after)
        then, first = dict(self.registers), self.cost - start
        self.registers = before
        self.place(otherwise)
        if with_else:
            self.block(cost)
            self.unwind(level)
            self.place(after)
        self.cost -= min(first, self.cost - start - first)
        for name in NAMES:
            self.registers[name] = join(then[name], self.registers[name])

    def loop(self, cost):
        turns = self.random.randrange(2, 8)
        head, end = self.new_label(), self.new_label()
        how = self.random.randrange(4)
        among = ('rcx',) if how == 0 else NAMES
        free = [n for n in among if n not in self.reserved]
        if not free or len(self.reserved) > 6:
            return
        counter, walker, step = self.random.choice(free), None, 0
        level, reserved = len(self.stack), set(self.reserved)
        if how == 3:
            self.labels += 1
            memory = 'counter%d' % self.labels
            self.data.append('%s: .long 0' % memory)
            self.emit('movl $%d, %s(%%rip)' % (turns, memory))
        else:
            self.emit('mov $%d, %s' % (turns, part(counter, 4)))
            self.forget(counter)
            self.reserved.add(counter)
        if self.chance(50):
            step = self.pick(1, 4, 8, -8, 16)
            walker = self.make_pointer(offset=self.random.randrange(128, AREA - 256))
            k = self.registers[walker]
            ends = (k.low, k.low + step * (turns - 1))
            self.registers[walker] = Known('pointer', min(ends), max(ends))
            self.reserved.add(walker)
        at_head, start = dict(self.registers), self.cost
        self.place(head)
        self.block(max(3, cost // turns))
        self.unwind(level)
        if walker:
            self.emit('lea %d(%s), %s' % (step, part(walker, 8), part(walker, 8)) if self.chance(50)
                      else 'add $%d, %s' % (step, part(walker, 8)))
        for name in NAMES:
            k = at_head[name]
            if k and name != walker and not k.holds(self.registers[name]):
                self.emit('mov $%s%d, %s' % ('scratch+' if k.kind == 'pointer' else '', k.low,
                                             part(name, 8)))
                self.know(name, Known(k.kind, k.low, k.low))
        if how == 0:
            near = self.new_label()
            self.emit('loop %s' % near)         # this jump reaches only 128 bytes
            self.emit('jmp %s' % end)
            self.place(near)
            self.emit('jmp %s' % head)
        elif how == 1:
            self.emit(self.pick('dec %s', 'sub $1, %s') % part(counter, self.pick(4, 8)))
            self.emit('jnz %s' % head)
        elif how == 2:
            self.emit('sub $1, %s' % part(counter, 8))
            self.emit('jz %s' % end)
            self.emit('jmp %s' % head)
        else:
            self.emit('decl %s(%%rip)' % memory)
            self.emit('j%s %s' % (self.pick('nz', 'g'), head))
        self.place(end)
        self.cost += (self.cost - start) * (turns - 1)
        self.reserved = reserved
        if walker:
            self.forget(walker)

    def table(self, cost):
        ways = self.pick(2, 4, 4)
        name = self.free()
        table, after = self.new_label(), self.new_label()
        labels = [self.new_label() for _ in range(ways)]
        self.data.append('%s: .quad %s' % (table, ', '.join(labels)))
        self.emit('and $%d, %s' % (ways - 1, part(name, 4)))
        self.forget(name)
        how = self.random.randrange(4)
        if how == 0:
            self.emit('jmp *%s(,%s,8)' % (table, part(name, 8)))
        elif how == 1:
            self.emit('mov %s(,%s,8), %s' % (table, part(name, 8), part(name, 8)))
            self.emit('jmp *%s' % part(name, 8))
        elif how == 2:
            self.emit('pushq %s(,%s,8)' % (table, part(name, 8)))
            self.emit('ret')
        else:
            self.emit('lea %s(,%s,8), %s' % (table, part(name, 8), part(name, 8)))
            self.emit('jmp *(%s)' % part(name, 8))
        before, level, joined, start = dict(self.registers), len(self.stack), None, self.cost
        for label in labels:
            self.place(label)
            self.registers = dict(before)
            self.block(cost)
            self.unwind(level)
            if label != labels[-1]:
                self.emit('jmp %s' % after)
            joined = dict(self.registers) if joined is None else {
                n: join(joined[n], self.registers[n]) for n in NAMES}
        self.place(after)
        self.cost = start + (self.cost - start) // ways
        self.registers = joined

    def call(self, cost):
        fitting = [f for f in self.functions if f.cost <= cost * 2 and not f.clobbers & self.reserved]
        if not fitting:
            self.here()
            return
        f = self.random.choice(fitting)
        for _ in range(f.pops // 8):
            self.emit('push %s' % part(self.random.choice(NAMES), 8))
        how = self.random.randrange(6)
        if how in (0, 1):
            self.emit('call %s' % f.name)
        elif how == 2:
            name = self.free()
            self.emit('lea %s(%%rip), %s' % (f.name, part(name, 8)))
            self.forget(name)
            self.emit('call *%s' % part(name, 8))
        elif how == 3:
            place = self.new_label()
            self.data.append('%s: .quad %s' % (place, f.name))
            self.emit('call *%s%s' % (place, self.pick('', '(%rip)')))
        elif how == 4:
            after = self.new_label()
            self.emit('push $%s' % after)
            self.emit('jmp %s' % f.name)
            self.place(after)
        else:
            name = self.free()
            self.emit('mov $%s, %s' % (f.name, part(name, 4)))
            self.forget(name)
            thunk, spin, go = self.new_label(), self.new_label(), self.new_label()
            after = self.new_label()
            self.emit('jmp %s' % after)
            self.place(thunk)
            self.emit('call %s' % go)
            self.place(spin)
            self.emit('pause')
            self.emit('jmp %s' % spin)
            self.place(go)
            self.emit('mov %s, (%%rsp)' % part(name, 8))
            self.emit('ret')
            self.place(after)
            self.emit('call %s' % thunk)
        self.forget(*f.clobbers)
        self.cost += f.cost

    def here(self):
        """Emits a call to the next instruction, then a jump by the pushed address."""
        label, name = self.new_label(), self.free()
        self.emit('call %s' % label)
        self.place(label)
        self.emit('pop %s' % part(name, 8))
        self.forget(name)
        if self.chance(50):
            target = self.new_label()
            self.emit('lea %s-%s(%s), %s' % (target, label, part(name, 8), part(name, 8)))
            self.emit('%sjmp *%s' % (self.pick('', 'notrack '), part(name, 8)))
            self.lines.append('\t.skip %d, 0xcc' % self.random.randrange(1, 6))
            self.place(target)

    def frame(self, cost):
        if not self.usable('rbp'):
            return
        reserved, stack = set(self.reserved), self.stack
        if self.chance(50):
            self.emit('enter $%d, $0' % self.pick(0, 16, 40))
            self.stack = []
        else:
            self.emit('push %rbp')
            self.emit('mov %rsp, %rbp')
            self.emit('sub $72, %rsp')
            if self.chance(50):
                self.emit('and $-32, %rsp')
            self.stack = [40]
        self.forget('rbp')
        self.reserved.add('rbp')
        self.block(cost)
        self.reserved, self.stack = reserved, stack
        if self.chance(50):
            self.emit('leave')
        else:
            self.emit('mov %rbp, %rsp')
            self.emit('pop %rbp')

    def block(self, cost):
        """Emits code of about so many executed instructions."""
        end = self.cost + cost
        floor, self.floor = self.floor, len(self.stack)
        self.depth += 1
        while self.cost < end:
            left = end - self.cost
            if self.depth < 6 and left > 6 and self.chance(18):
                self.pick(self.branch, self.branch, self.loop, self.loop, self.table, self.call, self.call,
                          self.frame)(self.random.randrange(3, left))
            else:
                self.straight()
        self.depth -= 1
        self.floor = floor

    def function(self, number):
        start, lines = self.cost, self.lines
        self.lines, self.stack = [], []
        self.registers, self.clobbered, self.reserved = dict.fromkeys(NAMES), set(), set()
        name = 'function%d' % number
        if self.chance(30):
            self.lines.append('\t.balign 64')
        self.place(name)
        self.block(self.random.randrange(4, max(5, self.instructions // 12)))
        self.unwind(0)
        how, pops = self.random.randrange(6), 0
        if how == 0:
            pops = self.pick(8, 16)
            self.emit('ret $%d' % pops)
        elif how == 1:
            name_of = self.free()
            self.emit('pop %s' % part(name_of, 8))
            self.forget(name_of)
            self.emit('jmp *%s' % part(name_of, 8))
        elif how == 2:
            self.emit('lea 8(%rsp), %rsp')
            self.emit('jmp *-8(%rsp)')
        elif how == 3 and self.functions and self.functions[-1].pops == 0:
            self.emit('jmp %s' % self.functions[-1].name)
            self.clobbered |= self.functions[-1].clobbers
            self.cost += self.functions[-1].cost
        else:
            self.emit(self.pick('ret', 'repz ret'))
        self.functions.append(Function(name, self.cost - start, set(self.clobbered), pops))
        bodies, self.lines, self.cost = self.lines, lines, start
        return bodies

    def program(self):
        bodies = []
        for number in range(self.random.randrange(3, 7)):
            bodies += self.function(number)
        self.registers, self.reserved, self.stack = dict.fromkeys(NAMES), set(), []
        self.cost = 0
        self.block(self.instructions)
        self.unwind(0)
        indices = [self.random.randrange(-8, 8) for _ in range(16)]
        area = [self.random.getrandbits(64) for _ in range(AREA // 8)]
        return '\n'.join([
            '#include "finish.h"', '\t.text', '\tstart',
            '\tmov $158, %eax', '\tmov $0x1002, %edi',      # arch_prctl(ARCH_SET_FS)
            '\tmov $scratch+%d, %%esi' % (AREA // 2), '\tsyscall',
            '\tlea -512(%rsp), %rsp',
            '\tmovl $%d, rounds' % self.rounds, 'round:',
            *self.lines, '\tdecl rounds(%rip)', '\tjnz round', '\tfinish scratch, %d' % AREA, *bodies,
            # half of the area on one page, half on the next
            '\t.data', '\t.balign 4096', 'indices: .long ' + ', '.join(map(str, indices)),
            'spilled: .fill 8, 8, 0', 'rounds: .long 0', *self.data, '\t.if . - indices > %d' % (DATA - 1024),
            '\t.error "too much data"', '\t.endif', '\t.org indices + %d' % (DATA - AREA // 2),
            'scratch: .quad ' + ', '.join('%#x' % v for v in area), '\t.skip %d' % GUARD, ''])


def processor():
    """Returns the features of this processor."""
    with open('/proc/cpuinfo') as info:
        return next((line.split()[2:] for line in info if line.startswith('flags')), [])


def main():
    numbers = [int(word) for word in sys.argv[1:4]] + [2000, 1][max(len(sys.argv) - 2, 0):]
    FEATURES.update(sys.argv[4].split() if len(sys.argv) > 4 else processor())
    print(Generator(*numbers).program())


main()
