# SPDX-License-Identifier: MIT
"""A whole trace: its dictionary, and its streams (3, 4, 6)."""

import struct
from collections import Counter, defaultdict
from itertools import accumulate

from traceread.encodings import (
    Block, BLOCKS, check, CHUNK, CODE_WITHHELD, COPIES, Cursor, END, Exit, INDEX, Insn, Item, KINDS, LANES, LOST, M64, MASKED,
    META, MODULES, Operand, Path, PATHS, PROCESS_EXIT, proved, Recipe, RECORDS, REP, REPAIRED,
    SAMPLE_FIELDS, SAMPLERS, SAMPLES, SCHEDULE, SIZED, SYSCALL, THREAD_EXIT, THREADS, TOTALS,
    VECTORS, INTERVALS)
from traceread.sections import columns, copies, indexed, MAGIC, payload, walked, with_header
from traceread.chunk import Chunk


class Trace:
    """A trace: its dictionary by record number, its chunks by thread, its schedule."""

    def __init__(self, data, walk):
        data = with_header(data)
        check(len(data) >= 64 and data[:8] == MAGIC, "not a trace")
        proved(data[:56], struct.unpack_from("<Q", data, 56)[0], "file header")
        major, minor, *known, incompatible, self.features = struct.unpack_from("<2H4I", data, 12)
        self.withheld = incompatible == CODE_WITHHELD
        check((major, minor) <= ((1, 7) if self.withheld else (1, 1)),
              f"needs a reader of format {major}.{minor}")
        check(known == [64, 0x0a0b0c0d] and incompatible <= CODE_WITHHELD,
              "file header: unknown features")
        self.records = {kind: {} for kind in range(MODULES, KINDS + 1)}
        self.exits, self.chunks, self.schedule, self.end = {}, defaultdict(list), [], None
        self.totals, self.samples, self.vectors = defaultdict(Counter), [], []
        self.intervals = []
        sections = None if walk else indexed(data)
        self.finished = sections is not None
        if not self.finished:
            sections, self.finished = walked(data)
        for number, section in enumerate(sections):
            check(section.number == number, f"section {number} is missing")
            self.take_in(section)
        for section in sections:
            for _, copy in copies(section) if section.kind == COPIES else ():
                check(copy == sections[copy.number],
                      f"section {section.number}: a copy differs from section {copy.number}")

    # The dictionary (3, 4)

    def take_in(self, section):
        """Reads one section; a chunk is only checked and kept."""
        kind, what = section.kind, f"section {section.number}"
        known = *self.records, META, CHUNK, SCHEDULE, SAMPLES, VECTORS, INTERVALS, COPIES, END, INDEX
        newest = int(kind in (VECTORS, INTERVALS))
        if section.version > newest or kind not in known:
            check(not section.flags & 1, f"{what}: kind {kind} is unknown but critical")
            if section.codec == 2:
                columns(section)
            else:
                proved(section.payload, section.hash, what)
            return
        if kind == CHUNK:
            check(section.thread in self.records[THREADS], f"{what}: unknown thread")
            columns(section)
            self.chunks[section.thread].append(section)
            return
        data = Cursor(payload(section))
        if kind in self.records:
            self.dictionary(section, data)
        elif kind == SCHEDULE:
            self.schedule += [(data.varint(), data.varint()) for _ in range(section.count)]
        elif kind == SAMPLES:
            check(section.first == len(self.samples) or self.features & REPAIRED,
                  f"{what}: samples are missing")
            self.take_samples(section.count, data)
        elif kind == VECTORS:
            check(section.first == len(self.vectors) or self.features & REPAIRED,
                  f"{what}: vectors are missing")
            (self.take_columns if section.version else self.take_vectors)(section.count, data)
        elif kind == INTERVALS:
            check(section.first == len(self.intervals) or self.features & REPAIRED,
                  f"{what}: intervals are missing")
            self.take_intervals(section.count, data, section.version)
        elif kind == END:
            data.svarint()
            data.string()
            self.end = [[data.varint() for _ in TOTALS] for _ in range(data.varint())]
        if kind not in (META, COPIES, INDEX):
            data.end(what)

    def take_vectors(self, count, data):
        """Reads the records of a section of basic block vectors (4.5)."""
        for _ in range(count):
            record = Cursor(data.string())
            interval, thread, instructions = (record.varint() for _ in range(3))
            exit_id, counts = 0, []
            for _ in range(record.varint()):
                exit_id += record.varint()
                path, leave = self.exits[exit_id]
                times = record.varint()
                counts.append((path, leave, times, None if leave else record.varint()))
            self.vectors.append((interval, thread, instructions, counts))

    def take_columns(self, count, data):
        """Reads the columns of a section of basic block vectors (4.5)."""
        n = data.varint()
        exits = [*accumulate(data.varint() for _ in range(n))]
        partials = [data.varint() for _ in range(n)]
        heads, interval = [], 0
        for _ in range(count):
            interval += data.varint()
            heads.append((interval, data.varint(), data.varint(), []))
        for exit_id, partial in zip(exits, partials):
            path, leave = self.exits[exit_id]
            check(bool(partial) == (leave is None), "a column of vectors has instructions of an exit")
            row = 0
            while row < count:
                times = data.varint()
                if times:
                    heads[row][-1].append((path, leave, times, partial or None))
                row += 1 if times else 1 + data.varint()
            check(row == count, "a column of vectors is too long")
        self.vectors += heads

    def take_intervals(self, count, data, version):
        """Reads the records of a section of ends of intervals (4.6)."""
        for _ in range(count):
            record = Cursor(data.string())
            number, instructions, filtered, block = (record.varint() for _ in range(4))
            marker = (block - 1, *(record.varint() for _ in range(3))) if block else None
            digest = record.take(16)
            if version == 0:
                record.take(256)
            block, excluded = 0, {}
            for _ in range(record.varint()):
                block += record.varint()
                excluded[block] = record.varint()
            self.intervals.append((number, instructions, filtered, marker, digest, excluded))

    def take_samples(self, count, data):
        """Reads the records of a section of samples (4.4)."""
        time = ip = 0
        for _ in range(count):
            kind, record = data.varint(), Cursor(data.string())
            sampler, thread = record.index(), record.index()
            time = time + record.svarint() & M64
            sample = {"kind": kind, "sampler": sampler, "thread": thread, "time_ns": time}
            if kind == 1:
                sample["cpu"], mode = record.index(), record.u8()
                ip = ip + record.svarint() & M64
                sample.update(mode=mode & 7, exact=bool(mode & 8), ip=hex(ip))
                fields = record.varint()
                sample.update({name: record.varint() for bit, name in enumerate(SAMPLE_FIELDS)
                               if fields >> bit & 1})
                if "raw" in sample:
                    sample["raw"] = record.take(sample["raw"]).hex()
                self.take_new_fields(record, fields, mode, ip, sample)
            elif kind == 2:
                sample["lost"] = record.varint()
            elif kind == 5:
                sample.update(mapping=record.varint(), bias=hex(record.varint()))
            elif kind == 6:
                sample["name"] = record.string().decode("utf-8", "each byte")
            self.samples.append(sample)

    @staticmethod
    def take_new_fields(record, fields, mode, ip, sample):
        """Reads the fields that samples have since version 1.3."""
        if mode & 16:
            sample["overhead"] = True
        if fields & 256:
            sample["program_ip"] = hex(ip + record.svarint() & M64)
        if fields & 512:
            sample["chain"] = []
            for _ in range(record.varint()):
                ip = ip + record.svarint() & M64
                sample["chain"].append(hex(ip))

    def dictionary(self, section, data):
        """Reads the records of a section."""
        records = self.records[section.kind]
        before = Counter(exit=section.exits, path=section.first)
        check(self.features & REPAIRED or section.first == len(records) and
              section.exits == (len(self.exits) if section.kind == PATHS else 0),
              f"section {section.number}: ids have a gap")
        for number in range(section.first, section.first + section.count):
            if section.kind == BLOCKS:
                records[number] = self.block(data, before)
            elif section.kind == PATHS:
                records[number] = self.path(data, before)
            else:
                records[number] = [data.field(how) for how in RECORDS[section.kind]]

    def block(self, data, before):
        """A block (4.2); its operands know the numbers of their values within the block."""
        before["pc"] += data.svarint()
        pc = before["pc"] & M64
        module = data.index()
        before["bias"] += data.svarint()
        start = pc if module is None else pc - before["bias"] & M64
        end = data.u8()
        check(end < 32 and end & 15 <= 9, "a block has an unknown end")
        if end & 16:
            data.svarint()
        insns, addresses, extras = [], 0, 0
        for _ in range(data.varint()):
            how, operands = data.u8(), []
            check(how < 128, "an instruction has reserved bits set")
            for _ in range(data.varint() if how & 64 else 0):
                access, flags, size = data.u8(), data.u8(), data.varint()
                form, access = access >> 3, access & 7
                lanes = data.u8() if form in (MASKED, LANES) else 0
                index, scale = (data.u8(), data.u8()) if form == LANES else (0, 0)
                check(form <= SIZED and 1 <= access <= 4 and flags & 12 == 0 and flags < 48 and
                      (form == REP) == (how >> 4 & 1), "a block has an unknown operand")
                shared = form == REP and len(operands) > 0
                operands.append(Operand(access, form, flags & 2, size, lanes, index, scale,
                                        addresses, operands[0].extra if shared else extras))
                addresses += 1
                if not shared:
                    extras += (0, 1, 3, 1 + (lanes * index + 7) // 8, 1)[form]
            insns.append((how & 15, how >> 5 & 1, operands))
        for i, (length, opaque, operands) in enumerate(insns):
            if self.withheld:
                check(data.varint() in self.records[KINDS], "an instruction has no kind")
            insns[i] = Insn(pc, b"" if self.withheld else data.take(length), opaque,
                            [o._replace(extra=addresses + o.extra) for o in operands])
            pc = pc + length & M64
        return Block(insns, addresses + extras, module, start)

    def path(self, data, before):
        """A path (4.3); its exits get their ids."""
        blocks = []
        for _ in range(data.varint()):
            before["block"] += data.svarint()
            blocks.append(self.records[BLOCKS].get(before["block"]))
        lost = None in blocks
        check(blocks and (not lost or self.features & REPAIRED), "a path lacks blocks")
        slots, n = data.varint(), data.varint()
        check(slots <= 4096, "a path has too many slots (7)")
        check(lost or n in (0, 1 + sum(b.values for b in blocks)), "a path lacks recipes")
        recipes = [self.recipe(data, slots) for _ in range(n - 1)] if n else None
        path = Path(before["path"], blocks, slots, recipes, [])
        before["path"] += 1
        for _ in range(data.varint()):
            count, how, recorded = data.varint(), data.u8(), data.varint()
            rule = how >> 4
            leave = Exit(count, rule, recorded, data.varint() if rule == 2 else 0,
                         data.svarint() if rule else 0)
            check(1 <= count <= len(blocks) and how & 15 <= 1 and rule <= 2 and
                  recorded <= slots and leave.rsp_slot < max(slots, 1), "a path has a bad exit")
            path.exits.append(leave)
        for leave in (*path.exits, None):
            if not lost:
                self.exits[before["exit"]] = path, leave
            before["exit"] += 1
        return path

    @staticmethod
    def recipe(data, slots):
        """How to make one value."""
        how = data.u8()
        base, scaled, width = how & 3, how & 4, how >> 3 & 3
        recipe = Recipe(base, width, how >> 5 & 1, how >> 6, data.varint() if base == 1 else 0,
                        data.varint() if scaled or width else 0,
                        data.u8() if scaled else 0, data.svarint())
        check(recipe.segment < 3 and not (scaled and width) and
              max(recipe.slot, recipe.index) < max(slots, 1), "a bad recipe")
        return recipe

    # The streams (5, 6)

    def stream(self, thread):
        """One thread's stream."""
        end = 0
        for section in self.chunks[thread]:
            check(section.first == end or section.first > end and self.features & REPAIRED,
                  f"section {section.number}: does not continue its thread")
            if section.first > end:
                yield Item(end, LOST, section.first - end)
            end = section.first + section.count
            yield from Chunk(self, section).stream()

    def merged(self):
        """All threads' streams in the order of the schedule, as pairs of thread and item."""
        streams = {thread: self.stream(thread) for thread in sorted(self.records[THREADS])}
        ahead = {thread: next(stream, None) for thread, stream in streams.items()}
        ends = Counter()
        for thread, count in self.schedule:
            check(thread in streams, "the schedule has an unknown thread")
            ends[thread] += count
            while (item := ahead[thread]) and (
                    item.ordinal < ends[thread] or item.ordinal == ends[thread] and
                    item.kind in (SYSCALL, THREAD_EXIT, PROCESS_EXIT)):
                yield thread, item
                ahead[thread] = next(streams[thread], None)
        for thread, stream in streams.items():
            while ahead[thread]:
                yield thread, ahead[thread]
                ahead[thread] = next(stream, None)
