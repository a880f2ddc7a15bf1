# SPDX-License-Identifier: MIT
"""Straight code for generate.py: instructions and their operands."""
import random

AREA = 1024     # bytes
NAMES = 'rax rbx rcx rdx rsi rdi rbp r8 r9 r10 r11 r12 r13 r14 r15'.split()
CONDITIONS = 'o no b ae e ne be a s ns p np l ge le g'.split()
SUFFIX = {1: 'b', 2: 'w', 4: 'l', 8: 'q'}
FEATURES = set()


def part(name, size):
    """The name of the low bytes of a register."""
    if name[1:].isdigit():
        return '%' + name + {1: 'b', 2: 'w', 4: 'd', 8: ''}[size]
    if size == 1:
        return '%' + (name[1] if name.endswith('x') else name[1:]) + 'l'
    return '%' + {2: name[1:], 4: 'e' + name[1:], 8: name}[size]


class Known:
    """What is known of a register: kind 'pointer' (offset into the area) or 'number', and bounds."""

    def __init__(self, kind, low, high):
        self.kind, self.low, self.high = kind, low, high

    def moved(self, by):
        return Known(self.kind, self.low + by, self.high + by)

    def holds(self, other):
        return other is not None and other.kind == self.kind and \
            self.low <= other.low and other.high <= self.high


def join(a, b):
    if a is None or b is None or a.kind != b.kind:
        return None
    return Known(a.kind, min(a.low, b.low), max(a.high, b.high))


class Straight:
    """Emits instructions, and keeps account of what registers and stack then hold."""

    def __init__(self, seed):
        self.random = random.Random(seed)
        self.lines, self.data = [], []
        self.labels = 0
        self.registers = dict.fromkeys(NAMES)
        self.reserved = set()
        self.clobbered = set()
        self.stack = []         # what the present frame has pushed, latest last: bytes
        self.floor = 0          # so many of them are from before the present block
        self.cost = 0           # instructions executed by what has been generated

    # ---- small helpers ----

    def pick(self, *choices):
        return self.random.choice(choices)

    def chance(self, percent):
        return self.random.randrange(100) < percent

    def emit(self, line):
        self.lines.append('\t' + line)
        self.cost += 1

    def new_label(self):
        self.labels += 1
        return '.L%d' % self.labels

    def place(self, label):
        self.lines.append(label + ':')

    def know(self, name, what):
        self.registers[name] = what
        self.clobbered.add(name)

    def forget(self, *names):
        for name in names:
            self.know(name, None)

    def free(self, among=NAMES):
        """A register that may be written; pointers are left alone mostly."""
        names = [n for n in among if n not in self.reserved]
        plain = [n for n in names if self.registers[n] is None]
        return self.random.choice(plain if plain and self.chance(70) else names)

    def usable(self, *names):
        return not self.reserved & set(names)

    def imm(self, size):
        bits = self.pick(3, 7, 8 * min(size, 4) - 1)
        return self.random.randrange(-(1 << bits), 1 << bits) if bits < 8 * min(size, 4) \
            else self.random.randrange(1 << bits)

    def known(self, kind, fits=lambda k: True):
        return [n for n in NAMES if self.registers[n] and self.registers[n].kind == kind and
                fits(self.registers[n])]

    # ---- addresses ----

    def make_pointer(self, among=NAMES, offset=None):
        name = self.free(among)
        if offset is None:
            offset = self.random.randrange(0, AREA, self.pick(1, 8, 8))
        self.emit(self.pick('lea scratch+%d(%%rip), %s', 'movabs $scratch+%d, %s') %
                  (offset, part(name, 8)) if self.chance(60) else
                  'mov $scratch+%d, %s' % (offset, part(name, 4)))
        self.know(name, Known('pointer', offset, offset))
        return name

    def make_number(self, among=NAMES):
        name = self.free(among)
        low = high = self.random.randrange(-16, 32)
        how = self.random.randrange(5)
        if how == 0:
            mask = self.pick(1, 3, 7, 15, 31)
            self.emit('and $%d, %s' % (mask, part(name, self.pick(4, 8))))
            low, high = 0, mask
        elif how == 1:
            self.emit('set%s %s' % (self.random.choice(CONDITIONS), part(name, 1)))
            self.emit('movzbl %s, %s' % (part(name, 1), part(name, 4)))
            low, high = 0, 1
        elif how == 2:
            low = high = abs(low)
            self.emit('mov $%d, %s' % (low, part(name, 4)))
        else:
            self.emit('mov $%d, %s' % (low, part(name, 8)))
        self.know(name, Known('number', low, high))
        return name

    def displacement(self, low, high, size):
        """One that keeps low .. high + size inside the area; None if there is none."""
        first, last = -low, AREA - size - high
        if first > last:
            return None
        if first <= 0 <= last and self.chance(25):
            return 0
        near = [d for d in (-128, -8, 8, 16, 127, 64) if first <= d <= last]
        return self.random.choice(near) if near and self.chance(40) else \
            self.random.randint(first, last)

    def rip_or_absolute(self, offset):
        return 'scratch+%d%s' % (offset, self.pick('', '(%rip)', '(%rip)'))

    def operand(self, size, address32=True):
        """A memory operand of `size` bytes that is good here."""
        for _ in range(4):
            how = self.random.randrange(12)
            pointers = self.known('pointer', lambda k: k.high - k.low <= AREA - size)
            numbers = self.known('number')
            if how == 0:
                return self.rip_or_absolute(self.random.randrange(AREA - size + 1))
            if how == 1:
                return '%%fs:%d' % self.random.randrange(-AREA // 2, AREA // 2 - size + 1)
            if how == 2:
                room = sum(self.stack)
                if size <= 64 and (self.chance(50) or room < size):
                    return '%d(%%rsp)' % -self.random.randrange(size, 128)
                if room >= size:
                    return '%d(%%rsp)' % self.random.randrange(room - size + 1)
            if how == 3 and numbers:
                name = self.random.choice(numbers)
                k, scale = self.registers[name], self.pick(1, 2, 4, 8)
                d = self.displacement(k.low * scale, k.high * scale, size)
                if d is not None:
                    segment = self.chance(30)
                    if segment:
                        d -= AREA // 2
                    return '%s%d(,%s,%d)' % ('%fs:' if segment else 'scratch+', d, part(name, 8), scale)
            if not pointers:
                self.make_pointer()
                continue
            base = self.random.choice(pointers)
            k = self.registers[base]
            if how in (4, 5) and numbers:
                index, scale = self.random.choice(numbers), self.pick(1, 2, 4, 8)
                n = self.registers[index]
                d = self.displacement(k.low + n.low * scale, k.high + n.high * scale, size)
                if d is not None:
                    width = 4 if address32 and self.chance(15) else 8
                    return '%d(%s,%s,%d)' % (d, part(base, width), part(index, width), scale)
                continue
            d = self.displacement(k.low, k.high, size)
            if d is not None:
                width = 4 if address32 and self.chance(10) else 8
                return '%s(%s)' % (d or '', part(base, width))
        return self.rip_or_absolute(self.random.randrange(AREA - size + 1))

    # ---- straight code ----

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
        """Arithmetic on what is known, by which it stays known."""
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
        """Code between a push and its pop, which must not write to what has been pushed."""
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
                self.stack.append(8)    # rsp-relative operands are meant before it moves
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

    def vector(self):
        n, m = self.random.randrange(16), self.random.randrange(16)
        how = self.random.randrange(12)
        if how == 0:
            self.emit('%s %s, %%xmm%d' % (self.pick('movdqu', 'movups', 'lddqu'), self.operand(16), n))
        elif how == 1:
            self.emit('%s %%xmm%d, %s' % (self.pick('movdqu', 'movups'), n, self.operand(16)))
        elif how == 2:
            self.emit('%s %%xmm%d, %%xmm%d' % (self.pick('paddd', 'pxor', 'psubb', 'pmulld', 'pshufb',
                                                         'pcmpeqw', 'punpcklbw'), n, m))
        elif how == 3:
            size, op = self.pick((4, 'movd'), (8, 'movq'))
            self.emit('%s %s, %%xmm%d' % (op, self.pick(self.operand(size),
                                                        part(self.random.choice(NAMES), size)), n))
        elif how == 4:
            size, op = self.pick((4, 'movd'), (8, 'movq'))
            to = self.free()
            self.emit('%s %%xmm%d, %s' % (op, n, part(to, size)))
            self.forget(to)
        elif how == 5:
            size, op = self.pick((8, 'movhps'), (8, 'movlps'), (4, 'movss'), (8, 'movsd'))
            self.emit('%s %%xmm%d, %s' % (op, n, self.operand(size)))
        elif how == 6:
            to = self.free()
            self.emit('pmovmskb %%xmm%d, %s' % (n, part(to, 4)))
            self.forget(to)
        elif how == 7 and self.usable('rdi'):
            self.make_pointer(('rdi',), self.random.randrange(AREA - 16))
            self.emit('maskmovdqu %%xmm%d, %%xmm%d' % (n, m))
        elif how == 8:
            self.emit('%s %s' % self.pick(('fldl', self.operand(8)), ('flds', self.operand(4)),
                                          ('fildll', self.operand(8)), ('fldt', self.operand(10))))
            self.emit('%s %s' % self.pick(('fstpl', self.operand(8)), ('fstps', self.operand(4)),
                                          ('fstpt', self.operand(10)), ('fistpll', self.operand(8))))
        elif 'avx2' in FEATURES:
            self.avx(n, m)

    def avx(self, n, m):
        x = self.pick('x', 'y')
        lanes = 16 if x == 'x' else 32
        how = self.random.randrange(6)
        if how == 0:
            self.emit('vmovdqu %s, %%%smm%d' % (self.operand(lanes), x, n))
        elif how == 1:
            self.emit('vmovdqu %%%smm%d, %s' % (x, n, self.operand(lanes)))
        elif how == 2:
            self.emit('vpaddd %s, %%%smm%d, %%%smm%d' % (self.operand(lanes), x, n, x, m))
        elif how == 3:
            op = self.pick('vpmaskmovd', 'vpmaskmovq', 'vmaskmovps', 'vmaskmovpd')
            if self.chance(50):
                self.emit('%s %s, %%%smm%d, %%%smm%d' % (op, self.operand(lanes), x, n, x, m))
            else:
                self.emit('%s %%%smm%d, %%%smm%d, %s' % (op, x, n, x, m, self.operand(lanes)))
        elif how == 4:      # three registers that differ; indices from -8 to 7
            a, b, c = self.random.sample(range(16), 3)
            base = self.make_pointer(offset=self.random.randrange(64, AREA - 128))
            self.emit('vmovdqu indices(%%rip), %%%smm%d' % (x, a))
            self.emit('%s %%%smm%d, %d(%s,%%%smm%d,%d), %%%smm%d' % (
                self.pick('vpgatherdd', 'vgatherdps'), x, b, self.pick(0, 8), part(base, 8), x, a,
                self.pick(1, 2, 4, 8), x, c))
        elif 'avx512vl' in FEATURES and 'avx512bw' in FEATURES:
            self.masked(n, m)

    def masked(self, n, m):
        x, lanes = self.pick(('x', 16), ('y', 32), ('z', 64))
        k = self.random.randrange(1, 8)
        size = self.pick(8, 16, 32, 64)
        how = self.random.randrange(6)
        if how == 0:
            self.emit('kmovq %s, %%k%d' % (self.pick(part(self.random.choice(NAMES), 8),
                                                     self.operand(8)), k))
        elif how == 1:
            self.emit('vmovdqu%d %s, %%%smm%d{%%k%d}%s' % (size, self.operand(lanes), x, n + self.pick(
                0, 16), k, self.pick('', '{z}')))
        elif how == 2:
            self.emit('vmovdqu%d %%%smm%d, %s{%%k%d}' % (size, x, n + self.pick(0, 16),
                                                         self.operand(lanes), k))
        elif how == 3:
            self.emit('vpaddd %s, %%%smm%d, %%%smm%d{%%k%d}' % (self.operand(lanes), x, n, x, m, k))
        elif how == 4:
            self.emit('vpcompressd %%%smm%d, %s{%%k%d}' % (x, n, self.operand(lanes), k))
        else:
            base = self.make_pointer(offset=self.random.randrange(64, AREA - 128))
            self.emit('vmovdqu32 indices(%%rip), %%%smm%d' % (x, n))
            self.emit('vpscatterdd %%%smm%d, (%s,%%%smm%d,%d){%%k%d}' % (
                x, m, part(base, 8), x, n, self.pick(1, 2, 4, 8), k))

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
        """Loads one, of those that change no more than rounding."""
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
