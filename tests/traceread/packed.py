# SPDX-License-Identifier: MIT
"""The modelled codings of repacked traces (5.6, 5.7, 5.8)."""

from collections import defaultdict

from traceread.encodings import check, Cursor, M32, M64


class Bits:
    """Decodes the bits of a modelled column (5.6)."""

    def __init__(self, data, what):
        self.data, self.what = Cursor(data), what
        self.size = self.data.u8()
        check(10 <= self.size <= 22, f"{what}: cannot have so many cells")
        self.cells, self.low, self.high = {}, 0, M32
        self.code = int.from_bytes(self.data.take(4), "big")

    def cell(self, a, b):
        """Returns the cell of a context, a list of c and n."""
        line = (a * 0x9e3779b97f4a7c15 + (b >> 4) * 0xd6e8feb86659fd93 & M64) >> 68 - self.size
        return self.cells.setdefault(16 * line + b % 16, [1 << 21, 0])

    def bit(self, *contexts):
        """Decodes a bit under one context or two."""
        cells = [self.cell(*context) for context in contexts]
        chance = max((cell[0] >> 6 for cell in cells), key=lambda p: abs(p - 32768))
        chance = max(4, min(65532, chance))
        middle = self.low + ((self.high - self.low) * chance >> 16)
        bit = int(self.code <= middle)
        if bit:
            self.high = middle
        else:
            self.low = middle + 1
        while self.low >> 24 == self.high >> 24:
            self.low = self.low << 8 & M32
            self.high = self.high << 8 & M32 | 255
            self.code = self.code << 8 & M32 | self.data.u8()
        for cell in cells:
            cell[0] += ((bit << 22) - cell[0]) * (131072 // (2 * cell[1] + 3)) >> 16
            cell[1] = min(cell[1] + 1, 127)
        return bit

    def tree(self, a, b, width):
        node = 1
        for _ in range(width):
            node = 2 * node + self.bit((a, 256 * b + node))
        return node - (1 << width)

    def number(self, a, value):
        """Decodes the low bytes of a number; the others are those of the value."""
        size = min(self.tree(a, 768, 4), 8)
        for i in reversed(range(size)):
            byte = self.tree(a, 768 + 16 * size + i + 1, 8)
            value = value & ~(255 << 8 * i) | byte << 8 * i
        return value

    def signed(self, a):
        value = self.number(a, 0)
        return value >> 1 ^ -(value & 1)

    def end(self):
        self.data.end(self.what)


def modelled_flow(data, count):
    """The exit ids of a modelled chunk (5.7)."""
    bits, tables, successors = Bits(data, "flow"), ({}, {}), defaultdict(list)
    near = middle = far = before = escaped = 0
    for _ in range(count):
        guesses = [tables[0].get(middle >> 16), tables[1].get(near >> 16)]
        candidates = dict.fromkeys(guesses + successors[before])
        candidates.pop(None, None)
        for number in candidates:
            if bits.bit((far, (4 * number + 1) & M32), (near, (4 * number + 2) & M32)):
                break
        else:
            number = escaped = escaped + bits.signed(0) & M32
        if number not in successors[before]:
            successors[before] = successors[before][:7] + [number]
        tables[0][middle >> 16] = tables[1][near >> 16] = before = number
        near, middle, far = ((h + number + 1) * (0x9e3779b1 << shift) & M32
                             for h, shift in ((near, 16), (middle, 8), (far, 4)))
        yield number
    bits.end()


class Group:
    """Slots of the same meaning, and the predictors of their values."""

    def __init__(self, number):
        self.number, self.predictors = number, []
        self.last = self.stride = self.history = self.absolute = 0


class Predictor:
    """One way to predict a group's values."""

    def __init__(self, models, groups):
        how = models.u8()
        self.kind, self.shift, self.memory = how & 15, (how >> 4) - 8, 0
        check(self.kind <= 3 and abs(self.shift) <= 3, "slot-models: unknown predictor")
        groups = [*groups, None]  # index -1: none
        self.key = groups[models.varint()] if self.kind else None
        self.second = groups[self.index(models)] if self.kind >= 2 else None
        self.base = groups[self.index(models)] if self.kind == 2 else None
        self.family = models.varint() if self.kind >= 2 else 0

    @staticmethod
    def index(models):
        number = models.index()
        return -1 if number is None else number


class ModelledSlots:
    """The slots of a modelled chunk (5.8)."""

    def __init__(self, models, data, paths):
        models, self.bits = Cursor(models), Bits(data, "slots")
        self.size, self.table, self.homes, self.groups = models.u8(), {}, {}, []
        self.whole = self.outcome = number = 0
        check(8 <= self.size <= 20, "slot-models: cannot have such a table")
        for _ in range(models.varint()):
            number += models.varint()
            self.homes[number] = [self.home(models) for _ in range(paths[number].slots)]
        for group in self.groups:
            how = models.u8()
            check(how < 16 and how & 7 <= 4, "slot-models: reserved bits are set")
            group.absolute = how & 8
            group.predictors = [Predictor(models, self.groups) for _ in range(how & 7)]
        models.end("slot-models")

    def home(self, models):
        """Returns the group of a slot, and the offset added to its values."""
        distance = models.varint()
        check(distance <= len(self.groups), "slot-models: unknown group")
        if distance == 0:
            self.groups.append(Group(len(self.groups)))
            return self.groups[-1], 0
        return self.groups[-distance], models.svarint()

    def entry(self, predictor):
        """The number of its entry in the table."""
        second = predictor.second.last if predictor.second else 0
        mixed = (predictor.key.last * 0x9e3779b97f4a7c15 +
                 predictor.family * 0xd6e8feb86659fd93) & M64
        return ((mixed ^ mixed >> 32) + second) * 0xd6e8feb86659fd93 % (1 << 64) >> 64 - self.size

    def says(self, group, predictor):
        if predictor.kind == 0:
            return group.last + group.stride & M64
        if predictor.kind == 1:
            change = predictor.key.last - predictor.memory & M64
            change -= change >> 63 << 64
            shift = predictor.shift
            return group.last + (change << shift if shift >= 0 else change >> -shift) & M64
        base = predictor.base.last if predictor.base else 0
        found = self.table.get(self.entry(predictor), 0)
        return found + (base if predictor.kind == 2 else predictor.memory) & M64

    def learn(self, group, value, outcome):
        group.history = (group.history << 3 | outcome) & 63
        for predictor in group.predictors:
            if predictor.kind == 1:
                predictor.memory = predictor.key.last
            elif predictor.kind == 2:
                base = predictor.base.last if predictor.base else 0
                self.table[self.entry(predictor)] = value - base & M64
            elif predictor.kind == 3:
                entry = self.entry(predictor)
                predictor.memory = value - self.table.get(entry, 0) & M64
                self.table[entry] = value
        if value != group.last + group.stride & M64:
            group.stride = value - group.last & M64
        group.last = value

    def value(self, group, place):
        """The value of a group, in an execution that was not foretold whole."""
        number, said, left_out = group.number, [], 0
        self.outcome, before = 7, self.outcome
        for k, predictor in enumerate(group.predictors):
            value = self.says(group, predictor)
            if value in said:
                left_out |= 1 << k
            elif self.bits.bit((number, 65536 + 256 * left_out + 4 * group.history + k),
                               (place, 131072 + 256 * left_out + 4 * before + k)):
                self.outcome = k
                return value
            said.append(value)
        if group.absolute:
            return self.bits.number(number, group.last)
        return group.last + self.bits.signed(number) & M64

    def take(self, path, number, recorded):
        """The slots of an execution that left by the exit of this number."""
        homes, slots = self.homes.get(path.number, ()), [0] * path.slots
        if not recorded:
            return slots
        check(homes, "slot-models: a path is missing")
        whole = self.bits.bit((number, 4 * 65536 + self.whole))
        self.whole = (self.whole << 1 | whole) & 15
        for i, (group, offset) in enumerate(homes[:recorded]):
            if whole:
                check(group.predictors, "a group without predictors is foretold")
                value, outcome = self.says(group, group.predictors[0]), 0
            else:
                value = self.value(group, number * 0x85ebca6b + i & M32)
                outcome = self.outcome
            self.learn(group, value, outcome)
            slots[i] = value - offset & M64
        return slots
