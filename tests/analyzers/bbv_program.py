#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Writes a random program of basic blocks: bbv_program.py SEED [STEPS [fma]] >program.S

Sections of straight code, entered at their beginning or in their middle, by fall-through or from
anywhere. A generator in r13 chooses the ways; after STEPS sections the program exits. Its flags and
results are those that the architecture defines, so that it does the same under Valgrind. With fma it
has fused multiply-adds.
"""
import random
import sys

CONDITIONS = 'z nz s ns pe po'.split()


class Program:
    def __init__(self, seed, steps, fma):
        self.random = random.Random(seed)
        self.steps, self.fma = steps, fma
        self.n = self.random.randrange(8, 40)
        self.middles = {i for i in range(self.n) if self.random.random() < 0.4}
        self.labels = 0
        self.lines = []

    def emit(self, *lines):
        self.lines += lines

    def label(self):
        self.labels += 1
        return 'l%d' % self.labels

    def plain(self, count):
        for _ in range(count):
            self.emit(self.random.choice(('nop', 'lea 1(%rax),%rax', 'mov %rax,%rbx', 'xchg %rax,%rbx',
                                          'mov area(%rip),%rbx', 'mov %rax,area+8(%rip)', 'cld', 'fwait')))

    def reps(self):
        for _ in range(self.random.choice((1, 1, 1, 2, 3))):
            if self.random.random() < 0.8:
                self.emit('mov $area,%edi', 'mov $area+64,%esi',
                          'mov $%d,%%ecx' % self.random.choice((0, 1, 1, 2, 7, 40)))
            else:
                self.emit('xor %ecx,%ecx')
            self.emit(self.random.choice((
                'rep stosb', 'rep movsb', 'rep stosq', 'rep movsw', 'repe cmpsb', 'repne scasb', 'repe scasl',
                '.byte 0xf3,0x4c,0xab', '.byte 0xf3,0x40,0xa4', '.byte 0x67,0xf3,0xaa')))

    def special(self):
        skip = self.label()
        kind = self.random.randrange(9 if self.fma else 8)
        if kind < 2:
            self.reps()
        elif kind == 2:
            self.emit(self.random.choice(('pause', 'clflush area(%rip)', 'mfence', 'lock incl area(%rip)')))
        elif kind == 3:
            self.emit('fldcw %s(%%rip)' % self.random.choice(('usual', 'single', 'unmasked')))
        elif kind == 4:
            self.emit('ldmxcsr %s(%%rip)' % self.random.choice(('plain', 'flushing')))
        elif kind == 5:
            self.emit('mov $%d,%%ecx' % self.random.randrange(3),
                      '%s %s' % (self.random.choice(('loop', 'jrcxz', 'loopne', 'jecxz')), skip))
            self.plain(self.random.randrange(4))
            self.emit(skip + ':')
        elif kind == 6:
            self.emit('call leaf%d' % self.random.randrange(2))
        elif kind == 7:
            self.emit('mov $39,%eax', 'syscall', 'xor %eax,%eax')
        else:
            self.emit(self.random.choice(('vfmadd213ps %ymm0,%ymm1,%ymm2', 'vfnmadd231sd %xmm0,%xmm1,%xmm2')))

    def straight(self):
        for _ in range(self.random.choice((0, 1, 1, 2, 4))):
            self.plain(self.random.choice((0, 1, 3, 10, 35, 64)))
            self.special()
        self.plain(self.random.randrange(6))

    def choose(self):
        """Sets the flags at random, as the run goes."""
        self.emit('imul $0x41c64e6d,%r13,%r13', 'add $12345,%r13', 'mov %r13,%rcx', 'shr $17,%rcx',
                  'test $%d,%%cl' % self.random.choice((1, 2, 3, 7, 0x81)))

    def target(self):
        i = self.random.randrange(self.n)
        return 'm%d' % i if i in self.middles and self.random.random() < 0.5 else 's%d' % i

    def section(self, i):
        self.emit('s%d: dec %%r12d' % i, 'jz done')
        self.straight()
        if i in self.middles:
            self.emit('m%d: dec %%r12d' % i, 'jle done')
            self.straight()
        for _ in range(self.random.randrange(3)):
            self.choose()
            self.emit('j%s %s' % (self.random.choice(CONDITIONS), self.target()))
        if self.random.random() < 0.3:
            self.choose()
            self.emit('and $3,%ecx', 'jmp *table%d(,%%rcx,8)' % i, '.data',
                      'table%d: .quad %s' % (i, ', '.join(self.target() for _ in range(4))), '.text')
        elif self.random.random() < 0.3:
            self.emit('jmp %s' % self.target())

    def text(self):
        self.emit('.globl _start', '.type _start, @function', '_start: mov $%d,%%r12d' % self.steps,
                  'mov $%d,%%r13' % self.random.getrandbits(30))
        for i in range(self.n):
            self.section(i)
        self.emit('jmp s0', 'leaf0: ret', 'leaf1: nop', 'call leaf0', 'ret',
                  'done: mov $60,%eax', 'xor %edi,%edi', 'syscall', '.data', '.balign 64', 'area: .fill 4096,1,7',
                  'usual: .long 0x37f', 'single: .long 0x07f', 'unmasked: .long 0x37b',
                  'plain: .long 0x1f80', 'flushing: .long 0x9f80')
        return '\n'.join(self.lines) + '\n'


def main():
    seed, steps = map(int, (sys.argv[1:3] + ['2000'])[:2])
    sys.stdout.write(Program(seed, steps, 'fma' in sys.argv).text())


main()
