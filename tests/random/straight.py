# SPDX-License-Identifier: MIT
"""Straight code for generate.py: instructions of all kinds but those that transfer control."""
from operands import AREA, CONDITIONS, NAMES, Known, join, part
from vectors import Vectors

SUFFIX = {1: 'b', 2: 'w', 4: 'l', 8: 'q'}


class Straight(Vectors):
    """Emits instructions, and keeps account of what registers and stack then hold."""

    def alu(self):
        size = self.pick(1, 2, 4, 4, 8, 8)
        op = self.pick('add', 'sub', 'and', 'or', 'xor', 'adc', 'sbb', 'cmp', 'test', 'mov', 'add', 'mov')
        to = self.free()
        how = self.random.randrange(5)
        if how == 0:
            self.emit('%s%s $%d, %s' % (op, SUFFIX[size], self.imm(size), self.operand(size)))
        elif how == 1:
            source = part(self.random.choice(NAMES), size)
            lock = 'lock ' if op in ('add', 'sub', 'and', 'or', 'xor', 'adc', 'sbb') and \
                self.chance(15) else ''
            self.emit('%s%s %s, %s' % (lock, op, source, self.operand(size)))
        else:
            source = [lambda: '$%d' % self.imm(size), lambda: part(self.random.choice(NAMES), size),
                      lambda: self.operand(size)][how - 2]()
            if op == 'test' and how == 4:
                source, op = part(self.random.choice(NAMES), size), 'test'
            self.emit('%s %s, %s' % (op, source, part(to, size)))
            if op not in ('cmp', 'test'):
                self.forget(to)

    def unary(self):
        size = self.pick(1, 2, 4, 8)
        op = self.pick('inc', 'dec', 'neg', 'not', 'shl', 'shr', 'sar', 'rol', 'ror', 'rcl', 'rcr')
        count = ''
        if op in ('shl', 'shr', 'sar', 'rol', 'ror', 'rcl', 'rcr'):
            count = self.pick('$1, ', '$%d, ' % self.random.randrange(8 * size), '%cl, ')
        if self.chance(40):
            self.emit('%s%s %s%s' % (op, SUFFIX[size], count, self.operand(size)))
        else:
            to = self.free()
            self.emit('%s %s%s' % (op, count, part(to, size)))
            self.forget(to)

    def bits(self):
        to, other, size = self.free(), self.random.choice(NAMES), self.pick(2, 4, 8)
        source = self.pick(part(other, size), None) or self.operand(size)
        op = self.pick('bsf', 'bsr', 'popcnt', 'lzcnt', 'tzcnt', 'imul', 'cmov', 'movbe', 'xchg', 'xadd',
                       'bt', 'shld', 'crc32', 'mulx', 'bmi', 'cmpxchg', 'movx', 'bswap', 'set', 'wide')
        if op in ('bsf', 'bsr', 'popcnt', 'lzcnt', 'tzcnt'):
            self.emit('%s %s, %s' % (op, source, part(to, size)))
        elif op == 'imul':
            self.emit(self.pick('imul %s, %s' % (source, part(to, size)),
                                'imul $%d, %s, %s' % (self.imm(size), source, part(to, size))))
        elif op == 'cmov':
            self.emit('cmov%s %s, %s' % (self.random.choice(CONDITIONS), source, part(to, size)))
        elif op == 'movbe':
            memory = self.operand(size)
            self.emit('movbe %s, %s' % self.pick((memory, part(to, size)), (part(to, size), memory)))
        elif op == 'xchg':
            self.emit('xchg %s, %s' % (part(to, size), self.operand(size)))
        elif op == 'xadd':
            self.emit('%sxadd %s, %s' % (self.pick('', 'lock '), part(to, size), self.operand(size)))
        elif op == 'bt':
            self.bit_string(size)
            return
        elif op == 'shld':
            self.emit('%s %s, %s, %s' % (self.pick('shld', 'shrd'), self.pick('$%d' %
                      self.random.randrange(8 * size), '%cl'), part(other, size), self.operand(size)))
            return
        elif op == 'crc32':
            self.emit('crc32%s %s, %s' % (SUFFIX[size], source, part(to, 8 if size == 8 else 4)))
        elif op == 'mulx':
            second = self.free()
            self.emit('mulx %s, %s, %s' % (self.operand(8), part(second, 8), part(to, 8)))
            self.forget(second)
        elif op == 'bmi':
            self.emit('%s %s, %s, %s' % (self.pick('pdep', 'pext'), self.operand(8), part(other, 8),
                                         part(to, 8)))
        elif op == 'cmpxchg':
            if not self.usable('rax'):
                return
            self.emit('%scmpxchg %s, %s' % (self.pick('', 'lock '), part(other, size),
                                            self.operand(size)))
            self.forget('rax')
            return
        elif op == 'movx':
            small = self.pick(1, 2)
            self.emit('mov%s%s%s %s, %s' % (self.pick('z', 's'), SUFFIX[small], SUFFIX[8], self.pick(
                self.operand(small), part(other, small)), part(to, 8)))
        elif op == 'bswap':
            self.emit('bswap %s' % part(to, self.pick(4, 8)))
        elif op == 'set':
            self.emit('set%s %s' % (self.random.choice(CONDITIONS), self.operand(1)))
            return
        elif op == 'wide':
            if not self.usable('rax', 'rdx'):
                return
            self.emit('%s%s %s' % (self.pick('mul', 'imul'), SUFFIX[size], self.operand(size)))
            self.forget('rax', 'rdx')
            return
        self.forget(to)

    def bit_string(self, size):
        name = (self.known('number') or [self.make_number()])[0]
        k = self.registers[name]
        low, high = (k.low // (8 * size)) * size, (k.high // (8 * size)) * size
        base = self.make_pointer(offset=self.random.randint(-low, AREA - size - high))
        if base == name:
            return
        self.emit('%s %s, (%s)' % (self.pick('bt', 'bts', 'btr', 'btc'), part(name, size),
                                   part(base, 8)))

    def pointer(self):
        """Emits arithmetic on a register with known bounds, which stay known."""
        names = self.known('pointer') + self.known('number')
        if not names or self.chance(25):
            self.pick(self.make_pointer, self.make_number)()
            return
        name = self.random.choice(names)
        k, to = self.registers[name], self.free()
        step = self.random.randrange(-32, 33)
        narrow = k.kind == 'pointer'        # the area is below 4 GiB: 32 bits will do
        width = 4 if narrow and self.chance(20) else 8
        how = self.random.randrange(9)
        if how == 0:
            self.emit('mov %s, %s' % (part(name, width), part(to, width)))
            self.know(to, k)
        elif how == 1:
            self.emit('lea %d(%s), %s' % (step, part(name, 8), part(to, width)))
            self.know(to, k.moved(step))
        elif how == 2 and name not in self.reserved:
            op, sign = self.pick(('add', 1), ('sub', -1))
            self.emit('%s $%d, %s' % (op, step, part(name, width)))
            self.know(name, k.moved(sign * step))
        elif how == 3 and name not in self.reserved:
            op, sign = self.pick(('inc', 1), ('dec', -1))
            self.emit('%s %s' % (op, part(name, width)))
            self.know(name, k.moved(sign))
        elif how == 4:
            numbers = self.known('number')
            if numbers:
                index, scale = self.random.choice(numbers), self.pick(1, 2, 4, 8)
                n = self.registers[index]
                self.emit('lea %d(%s,%s,%d), %s' % (step, part(name, 8), part(index, 8), scale,
                                                    part(to, 8)))
                self.know(to, Known(k.kind, k.low + n.low * scale + step, k.high + n.high * scale + step))
        elif how == 5 and to != name and name not in self.reserved:
            self.emit('xchg %s, %s' % self.pick((part(name, 8), part(to, 8)), (part(to, 8), part(name, 8))))
            other = self.registers[to]
            self.know(to, k)
            self.know(name, other)
        elif how == 6:
            self.emit('push %s' % part(name, 8))
            self.between()
            self.emit('pop %s' % part(to, 8))
            self.know(to, k)
        elif how == 7:
            other = self.random.choice(names)
            if self.registers[other].kind == k.kind and other not in self.reserved:
                self.emit('cmov%s %s, %s' % (self.random.choice(CONDITIONS), part(name, 8),
                                             part(other, 8)))
                self.know(other, join(k, self.registers[other]))
        elif how == 8:
            slot = self.random.randrange(8)
            self.emit('mov %s, spilled+%d(%%rip)' % (part(name, 8), 8 * slot))
            self.between()
            self.emit('mov spilled+%d(%%rip), %s' % (8 * slot, part(to, 8)))
            self.know(to, k)
        for name in NAMES:      # far outside is of no use
            k = self.registers[name]
            if k and (k.low < -4 * AREA or k.high > 4 * AREA):
                self.registers[name] = None

    def between(self):
        """Emits code between a push and its pop, which must not write to the pushed bytes."""
        stack, self.stack = self.stack, []
        for _ in range(self.random.randrange(3)):
            self.pick(self.alu, self.unary, self.bits, self.vector)()
        self.stack = stack

    def flags(self):
        how = self.random.randrange(6)
        if how == 0:
            self.emit(self.pick('clc', 'stc', 'cmc', 'nop', 'nopw 8(%rax,%rax,1)', 'endbr64'))
        elif how == 1 and self.usable('rax'):
            self.emit(self.pick('lahf', 'sahf'))
            self.forget('rax')
        elif how == 2:
            self.emit('pushf')
            self.between()
            self.emit('popf')
        elif how == 3:
            to = self.free()
            self.emit('%s %s, %s' % (self.pick('adc', 'sbb'), self.operand(8), part(to, 8)))
            self.forget(to)
        elif how == 4:
            self.emit('%s %s, %s' % (self.pick('cmp', 'test'), part(self.random.choice(NAMES), 8),
                                     part(self.random.choice(NAMES), 8)))

    def stack_code(self):
        how = self.random.randrange(8)
        if how == 0:
            self.emit('push %s' % part(self.random.choice(NAMES), 8))
            self.stack.append(8)
        elif how == 1:
            self.emit('push $%d' % self.imm(4))
            self.stack.append(8)
        elif how == 2:
            self.emit('pushq %s' % self.operand(8))
            self.stack.append(8)
        elif how == 3:
            size = self.pick(8, 16, 24, 40, 64)
            self.emit(self.pick('sub $%d, %%rsp', 'lea -%d(%%rsp), %%rsp') % size)
            self.stack.append(size)
        elif how == 4:
            self.emit('pushw %s' % self.pick('$%d' % self.imm(2), part(self.random.choice(NAMES), 2)))
            self.stack.append(2)
        elif len(self.stack) > self.floor:
            self.pop_one()

    def pop_one(self):
        size = self.stack.pop()
        if size == 8 and self.chance(80):
            if self.chance(20):
                self.stack.append(8)    # rsp-relative operands are meant before rsp moves
                where = self.rip_or_absolute(self.random.randrange(AREA - 8))
                self.stack.pop()
                self.emit('popq %s' % where)
            else:
                to = self.free()
                self.emit('pop %s' % part(to, 8))
                self.forget(to)
        elif size == 2 and self.chance(50):
            to = self.free()
            self.emit('popw %s' % part(to, 2))
            self.forget(to)
        else:
            self.emit(self.pick('add $%d, %%rsp', 'lea %d(%%rsp), %%rsp') % size)

    def unwind(self, level):
        while len(self.stack) > level:
            self.pop_one()

    def string(self):
        if not self.usable('rcx', 'rsi', 'rdi', 'rax'):
            return
        size = self.pick(1, 2, 4, 8)
        count = self.pick(0, 1, self.random.randrange(12))
        down = self.chance(30)
        op = self.pick('movs', 'stos', 'lods', 'cmps', 'scas')
        prefix = self.pick('', 'rep', 'rep') if op in ('movs', 'stos', 'lods') else \
            self.pick('', 'repe', 'repne')
        room = 12 * size
        for name in ('rsi', 'rdi'):
            low = room if down else 0
            self.make_pointer((name,), self.random.randrange(low, AREA - room - size))
        if prefix:
            self.emit('mov $%d, %%ecx' % count)
        if down:
            self.emit('std')
        self.emit('%s%s %s%s' % ('addr32 ' if self.chance(10) else '', prefix, op, SUFFIX[size]))
        if down:
            self.emit('cld')
        if op == 'lods':
            self.forget('rax')
        done = count if prefix else 1
        for name, ops in (('rsi', ('movs', 'lods', 'cmps')), ('rdi', ('movs', 'stos', 'cmps', 'scas'))):
            if op not in ops:
                continue
            k, way = self.registers[name], -size if down else size
            ends = [k.low + done * way] + ([k.low] if op in ('cmps', 'scas') else [])
            self.know(name, Known('pointer', min(ends), max(ends)))
        if prefix:
            self.know('rcx', Known('number', 0, count) if op in ('cmps', 'scas') else
                      Known('number', 0, 0))

    def system_call(self):
        if self.usable('rax', 'rcx', 'r11'):
            self.emit('mov $%d, %%eax' % self.pick(1000, 2000))
            self.emit('syscall')
            self.forget('rax', 'rcx', 'r11')

    def control_word(self):
        """Loads a control word that changes no more than rounding."""
        self.labels += 1
        word = 'word%d' % self.labels
        x87 = self.chance(50)
        self.data.append('%s: .long %d' % (word, 0x37f | self.pick(0, 0x400, 0x800, 0xc00) if x87 else
                                           0x1f80 | self.pick(0, 0x2000, 0x4000, 0x6000)))
        self.emit('%s %s' % ('fldcw' if x87 else 'ldmxcsr', self.pick('%s', '%s(%%rip)') % word))
        if self.chance(20):
            self.emit('fninit')

    def translate(self):
        if self.usable('rax', 'rbx'):
            self.make_pointer(('rbx',), self.random.randrange(AREA - 256))
            self.emit(self.pick('xlat', 'addr32 xlat'))
            self.forget('rax')

    def straight(self):
        kinds = [(self.alu, 24), (self.unary, 10), (self.bits, 14), (self.pointer, 24),
                 (self.stack_code, 8), (self.vector, 12), (self.flags, 6), (self.string, 3),
                 (self.system_call, 1), (self.control_word, 2), (self.translate, 1)]
        self.random.choices([k for k, _ in kinds], [w for _, w in kinds])[0]()
