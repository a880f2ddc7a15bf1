# SPDX-License-Identifier: MIT
"""Operands of the instructions of generate.py: registers, memory, constants."""
import random

AREA = 1024     # bytes
NAMES = 'rax rbx rcx rdx rsi rdi rbp r8 r9 r10 r11 r12 r13 r14 r15'.split()
CONDITIONS = 'o no b ae e ne be a s ns p np l ge le g'.split()


def part(name, size):
    """Returns the name of the low bytes of a register."""
    if name[1:].isdigit():
        return '%' + name + {1: 'b', 2: 'w', 4: 'd', 8: ''}[size]
    if size == 1:
        return '%' + (name[1] if name.endswith('x') else name[1:]) + 'l'
    return '%' + {2: name[1:], 4: 'e' + name[1:], 8: name}[size]


class Known:
    """The known properties of a register: kind 'pointer' (offset into the area) or 'number', and bounds."""

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


class Operands:
    """Chooses operands, and keeps account of what registers and stack hold."""

    def __init__(self, seed):
        self.random = random.Random(seed)
        self.lines, self.data = [], []
        self.labels = 0
        self.registers = dict.fromkeys(NAMES)
        self.reserved = set()
        self.clobbered = set()
        self.stack = []         # bytes pushed by the present frame, latest last
        self.floor = 0          # so many of them are from before the present block
        self.cost = 0           # instructions executed by the generated code

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
        """Returns a register that may be written, rarely a pointer."""
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
        """Returns a displacement that keeps low .. high + size inside the area, or None."""
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
        """Returns a memory operand of `size` bytes that is valid here."""
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
