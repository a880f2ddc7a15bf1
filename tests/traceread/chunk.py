# SPDX-License-Identifier: MIT
"""One chunk: control flow, slots, events (5)."""

from collections import Counter, deque

from traceread.encodings import (
    check, Cursor, EVENTS, FLOW, HEAD, Item, M32, M64, MASKED, MISSES, NO_ADDRESSES, PARTIALS,
    PLAIN, REP, RUNS, SEGMENT_BASE, SIZED, SLOT_HITS, SLOT_MISSES, SLOT_MODELS, SLOT_SOURCES, SLOTS,
    TOTALS, WHOLE_MISSES)
from traceread.sections import columns
from traceread.packed import modelled_flow, ModelledSlots


class Differences:
    """The differences of slots from their expected values (5.3): svarints whose bytes stand apart."""

    def __init__(self, parts):
        self.columns = [Cursor(parts[ident]) for ident in SLOT_MISSES]
        if parts[WHOLE_MISSES]:
            check(not self.columns[0].more(), "slot-misses stand twice")
            self.columns = [Cursor(parts[WHOLE_MISSES])] * len(SLOT_MISSES)

    def take(self):
        value, shift = 0, 0
        for i in range(10):
            byte = self.columns[min(i, 3)].u8()
            value, shift = value | (byte & 127) << shift, shift + 7
            if byte < 128:
                break
        check(byte < 128 and value <= M64, "slot-misses: a number is too long")
        return value >> 1 ^ -(value & 1)

    def end(self):
        for column in self.columns:
            column.end("slot-misses")


class Chunk:
    """The state of decoding one chunk."""

    def __init__(self, trace, section):
        self.trace, self.section, self.parts = trace, section, columns(section)
        self.head = Cursor(self.parts[HEAD])
        self.rsp, *self.bases = [self.head.varint() for _ in range(3)]
        self.misses = Differences(self.parts)
        self.slots_done, self.states, self.sources = 0, {}, self.slot_sources()
        self.counts, self.modelled = Counter(), None
        if self.parts[FLOW]:
            check(not self.parts[RUNS] and not self.parts[MISSES], "control flow stands twice")
        if self.parts[SLOTS]:
            check(not self.parts[SLOT_HITS] and not self.misses.columns[0].more(),
                  "slots stand twice")
            paths = {path.number: path for path, _ in trace.exits.values()}
            self.modelled = ModelledSlots(self.parts[SLOT_MODELS], self.parts[SLOTS], paths)

    def stream(self):
        """Yields the items of the chunk, in order."""
        paths, blocks, slot_count, *accesses, event_count = [self.head.varint() for _ in range(9)]
        self.head.end("head")
        events, partials = self.events(), Cursor(self.parts[PARTIALS])
        changes = deque(event for event in events if event.kind == SEGMENT_BASE)
        ordinal = self.section.first
        flow = modelled_flow(self.parts[FLOW], paths) if self.parts[FLOW] else self.flow(paths)
        for number in flow:
            check(number < self.section.exits and number in self.trace.exits,
                  f"unknown exit {number}")
            path, leave = self.trace.exits[number]
            while changes and changes[0].ordinal <= ordinal:
                change = Cursor(changes.popleft().what)
                segment, base = change.varint(), change.varint()
                check(segment in (1, 2), "an unknown segment")
                self.bases[segment - 1] = base
            if leave:
                todo, recorded = sum(len(b.insns) for b in path.blocks[:leave.blocks]), leave.slots
            else:
                todo, recorded, rsp_after = (partials.varint() for _ in range(3))
                check(1 <= todo <= sum(len(b.insns) for b in path.blocks) and
                      recorded <= path.slots, "a bad partial execution")
            slots, first = self.slots(path, number, recorded), 0
            self.counts.update(paths=1, instructions=todo)
            for block in path.blocks:
                self.counts["blocks"] += todo > 0
                for insn in block.insns[:todo]:
                    while events and events[0].ordinal == ordinal:
                        yield events.popleft()
                    yield Item(ordinal, None, (insn, self.accesses(
                        insn, lambda value: self.value(path, first + value, slots))))
                    ordinal += 1
                todo -= min(todo, len(block.insns))
                first += block.values
            if self.rsp is None or leave and leave.rule == 0:
                self.rsp = None  # until the next chunk
            elif leave:
                base = self.rsp if leave.rule == 1 else slots[leave.rsp_slot]
                self.rsp = base + leave.rsp_value & M64
            else:
                self.rsp = rsp_after
        yield from events
        partials.end("partials")
        if self.modelled:
            self.modelled.bits.end()
        else:
            self.misses.end()
            hits = self.parts[SLOT_HITS]
            check(len(hits) == (self.slots_done + 7) // 8 and
                  not int.from_bytes(hits, "little") >> self.slots_done,
                  "slot-hits: bits left over")
        check([self.section.count, *accesses, blocks, paths, event_count, slot_count] ==
              [self.counts[name] & M64 for name in TOTALS] + [self.slots_done],
              f"section {self.section.number}: its head disagrees with its content")
        self.trace.totals[self.section.thread].update(self.counts)

    def flow(self, count):
        """The exit ids (5.2)."""
        runs, misses = Cursor(self.parts[RUNS]), Cursor(self.parts[MISSES])
        guesses, history, left = [0] * 65536, 0, None
        for _ in range(count):
            if left is None:
                left = runs.varint()
            number = guesses[history] - 1 if left else misses.varint()
            left = left - 1 if left else None
            check(number >= 0, "a run where there is no guess")
            guesses[history] = number + 1
            history = (history << 5 ^ (number * 0x9e3779b1 & M32) >> 16) & 0xffff
            yield number
        check(not left, "a run is too long")
        runs.end("flow-runs")
        misses.end("flow-misses")

    def events(self):
        """The events (5.5)."""
        data, events, ordinal = Cursor(self.parts[EVENTS]), deque(), self.section.first
        while data.more():
            ordinal += data.varint()
            events.append(Item(ordinal, data.varint(), data.string()))
        check(ordinal <= self.section.first + self.section.count, "an event behind its chunk's end")
        self.counts["events"] = len(events)
        return events

    def slots(self, path, number, recorded):
        """The slots of an execution (5.3)."""
        if self.modelled:
            self.slots_done += recorded
            return self.modelled.take(path, number, recorded)
        hits = self.parts[SLOT_HITS]
        slots = [0] * path.slots
        for i in range(recorded):
            byte, bit = divmod(self.slots_done, 8)
            check(byte < len(hits), "slot-hits end too early")
            slot = path.number, i
            _, stride = self.states.get(slot, (0, 0))
            last, _ = self.states.get(self.sources.get(slot, slot), (0, 0))
            if not hits[byte] >> bit & 1:
                stride = self.misses.take()
            slots[i] = last + stride & M64
            self.states[slot] = slots[i], stride
            self.slots_done += 1
        return slots

    def slot_sources(self):
        """The sources of slots that have another one: (path id, slot) by (path id, slot) (5.3)."""
        data, sources, number, before = Cursor(self.parts[SLOT_SOURCES]), {}, 0, (-1, 0)
        paths = {path.number: path for path, _ in self.trace.exits.values()} if data.more() else {}
        while data.more():
            number += data.varint()
            slot = number, data.varint()
            source = number + data.svarint(), data.varint()
            check(before < slot and (source[0] != number or source < slot) and
                  all(n in paths and i < paths[n].slots for n, i in (slot, source)),
                  "slot-sources: a bad source")
            sources[slot], before = source, slot
        return sources

    def value(self, path, number, slots):
        """Returns a value of an execution (4.3)."""
        if path.recipes is None:
            return slots[number]
        recipe = path.recipes[number]
        if recipe.base == 3:
            return 0
        check(recipe.base != 2 or self.rsp is not None, "a recipe needs rsp where it is not known")
        value = slots[recipe.slot] if recipe.base == 1 else self.rsp if recipe.base == 2 else 0
        if recipe.scale:
            value += slots[recipe.index] * recipe.scale
        if recipe.width:
            bits = slots[recipe.index]
            value += (bits - (bits >> 63 << 64) >> recipe.width + 3) << recipe.width
        value += recipe.displacement
        if recipe.address32:
            value &= M32
        if recipe.segment:
            value += self.bases[recipe.segment - 1]
        return value & M64

    def accesses(self, insn, value):
        """Returns the memory operands of an execution as they are listed (4.2); counts them (5.1)."""
        self.counts["opaque"] += insn.opaque
        shown, hidden = [], self.trace.features & NO_ADDRESSES
        for operand in insn.operands:
            form, address, extra = operand.form, value(operand.value), operand.extra
            size, count, fields = operand.size, 1, {}
            if form == SIZED:
                size = value(extra)
            elif form == REP:
                count, flags = value(extra + 1), value(extra + 2)
                fields = {name: True for bit, name in ((1, "down"), (4, "interrupted"))
                          if flags & bit}
                self.counts["repetitions"] += count if operand is insn.operands[0] else 0
            elif form != PLAIN:
                fields["lanes"] = self.lanes(operand, address, value)
                count = len(fields["lanes"])
            for name, kinds in (("loads", (1, 3)), ("stores", (2, 3)), ("prefetches", (4,))):
                self.counts[name] += count if operand.access in kinds else 0
            if hidden:
                fields.pop("lanes", None)
            shown.append({"kind": ("load", "store", "load-store", "prefetch")[operand.access - 1],
                          "address": None if hidden else hex(address), "size": size,
                          "count": count, **fields})
        return shown

    @staticmethod
    def lanes(operand, address, value):
        """Returns the address of each active lane of a masked or lanes operand."""
        mask, n = value(operand.extra), operand.index
        if operand.form == MASKED:
            offsets = [i * operand.size for i in range(operand.lanes)]
        else:
            words = range(operand.extra + 1, operand.extra + 1 + (operand.lanes * n + 7) // 8)
            vector = b"".join(value(word).to_bytes(8, "little") for word in words)
            offsets = [int.from_bytes(vector[i:i + n], "little", signed=True) * operand.scale
                       for i in range(0, operand.lanes * n, n)]
        return [hex(address + offset & (M32 if operand.wraps else M64))
                for i, offset in enumerate(offsets) if mask >> i & 1]
