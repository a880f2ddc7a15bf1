#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""An independent reader of the trace format, by traceformat/FORMAT.md and nothing else.

Prints a trace as `trace-dump --format=jsonl` does: one instruction or event a line, in the merged
order of all threads or as one thread's stream. Damage ends it with a message and status 1.
Numbers in parentheses are sections of FORMAT.md.
"""

import argparse
import codecs
import errno
import json
import re
import signal
import struct
import sys
from collections import Counter, defaultdict, deque, namedtuple

import xxhash
import zstandard

META, MODULES, SYMBOLS, PROCESSES, THREADS, MAPPINGS, FUNCTIONS, REGIONS = range(1, 9)
BLOCKS, PATHS, SAMPLERS, CHUNK, SCHEDULE, SAMPLES, END, INDEX = 9, 10, 11, 16, 18, 19, 62, 63
HEAD, RUNS, MISSES, PARTIALS, FLOW = 1, 2, 3, 4, 5
SLOT_HITS, WHOLE_MISSES, SLOT_MODELS, SLOTS, SLOT_SOURCES, EVENTS = 16, 17, 18, 19, 24, 32
SLOT_MISSES = range(20, 24)
CODINGS = {HEAD: 0, RUNS: 1, MISSES: 1, PARTIALS: 0, FLOW: 2, SLOT_HITS: 1, WHOLE_MISSES: 1,
           SLOT_MODELS: 0, SLOTS: 2, **dict.fromkeys(SLOT_MISSES, 1), SLOT_SOURCES: 1, EVENTS: 0}
PLAIN, MASKED, REP, LANES, SIZED = range(5)
NO_ADDRESSES, REPAIRED = 1, 4
SYSCALL, THREAD_EXIT, PROCESS_EXIT, SEGMENT_BASE, LOST = 1, 6, 8, 18, -1
M32, M64 = (1 << 32) - 1, (1 << 64) - 1
TOTALS = "instructions loads stores prefetches repetitions opaque blocks paths events".split()
RECORDS = {MODULES: "utbu", SYMBOLS: "uy", PROCESSES: "ui", THREADS: "uu", MAPPINGS: "uuixuxut",
           FUNCTIONS: "ut", REGIONS: "t", SAMPLERS: "ttuub"}

SAMPLE_FIELDS = ("address physical_address period weight data_source data_page_size "
                 "code_page_size raw").split()

Section = namedtuple("Section", "kind version flags thread number codec stored raw first count "
                                "exits payload hash")
Operand = namedtuple("Operand", "access form wraps size lanes index scale value extra")
Insn = namedtuple("Insn", "pc code opaque operands")
Block = namedtuple("Block", "insns values")
Recipe = namedtuple("Recipe", "base width address32 segment slot index scale displacement")
Exit = namedtuple("Exit", "blocks rule slots rsp_slot rsp_value")
Path = namedtuple("Path", "number blocks slots recipes exits")
Item = namedtuple("Item", "ordinal kind what")  # an event, or with kind None an instruction


class Damage(Exception):
    """The trace is not what the format says."""


def check(condition, message):
    """Refuse the trace unless the condition holds."""
    if not condition:
        raise Damage(message)


class Cursor:
    """Reads the encodings of section 1 from bytes, one after the other."""

    def __init__(self, data):
        self.data, self.at = data, 0

    def more(self):
        return self.at < len(self.data)

    def end(self, what):
        check(not self.more(), f"{what}: bytes left over")

    def take(self, size):
        check(size <= len(self.data) - self.at, "data end too early")
        self.at += size
        return self.data[self.at - size:self.at]

    def u8(self):
        return self.take(1)[0]

    def varint(self):
        value = 0
        for shift in range(0, 70, 7):
            byte = self.u8()
            value |= (byte & 127) << shift
            if byte < 128:
                check(value <= M64, "a varint exceeds 64 bits")
                return value
        raise Damage("a varint has more than 10 bytes")

    def svarint(self):
        value = self.varint()
        return value >> 1 ^ -(value & 1)

    def index(self):
        value = self.varint()
        check(value <= M32, "an index exceeds 32 bits")
        return value - 1 if value else None

    def string(self):
        return self.take(self.varint())

    def symbol(self):
        return self.svarint(), self.varint(), self.u8(), self.string()

    FIELDS = {"u": varint, "s": svarint, "i": index, "b": string,
              "t": lambda self: self.string().decode("utf-8", "each byte"),
              "x": lambda self: hex(self.varint()),
              "6": lambda self: [hex(self.varint()) for _ in range(6)],
              "n": lambda self: [hex(self.varint()) for _ in range(self.varint())],
              "y": lambda self: [self.symbol() for _ in range(self.varint())]}

    def field(self, how):
        """A field: u varint, s svarint, i index, b bytes, t text, x varint as hexadecimal,
        6 six of them, n a counted list of them, y a counted list of symbols."""
        return self.FIELDS[how](self)


# Each byte of broken UTF-8 is shown as U+FFFD.
codecs.register_error("each byte", lambda error: ("\ufffd" * (error.end - error.start), error.end))


def proved(data, digest, what):
    """The data, if they have this hash."""
    check(xxhash.xxh3_64_intdigest(data) == digest, f"{what}: its hash does not hold")
    return data


def unpacked(data, codec, raw, what):
    """A stored payload or column, decompressed."""
    check(codec in (0, 1), f"{what}: unknown codec {codec}")
    check(raw <= 1 << 28, f"{what}: beyond the limits (7)")
    if codec == 1:
        data = zstandard.ZstdDecompressor().stream_reader(data).read(raw + 1)
    check(len(data) == raw, f"{what}: not of its raw size")
    return data


# The file (2, 3.3, 8)

def has_header(data, offset):
    """Whether a section's header is at the offset."""
    header = data[offset:offset + 80]
    return (len(header) == 80 and header[:8] == b"\xf3TRCSEC\n" and
            xxhash.xxh3_64_intdigest(header[:72]) == struct.unpack_from("<Q", header, 72)[0])


def section_at(data, offset):
    """The section whose header is at the offset; None if it is not there whole."""
    if not has_header(data, offset):
        return None
    fields = struct.unpack_from("<8xHBBIIIQQQQIIQ", data, offset)
    check(fields[11] == 0 and fields[2] < 4, f"section {fields[4]}: reserved bits are set")
    end = offset + 80 + fields[6]
    padded = end + (-end & 7)
    check(not any(data[end:padded]), f"section {fields[4]}: padding is not 0")
    return Section(*fields[:11], data[offset + 80:end], fields[12]) if padded <= len(data) else None


def payload(section):
    """The payload of a section without columns."""
    what = f"section {section.number}"
    return unpacked(proved(section.payload, section.hash, what), section.codec, section.raw, what)


def columns(section):
    """The columns of a CHUNK by id (2.4); a column that is not there is empty."""
    what, data = f"chunk, section {section.number}", section.payload
    check(section.codec == 2 and len(data) >= 8, f"{what}: no columns")
    n, *zeros = struct.unpack_from("<HHI", data)
    at = 8 + 32 * n
    proved(data[:at], section.hash, f"{what}: column table")
    found = dict.fromkeys(CODINGS, b"")
    for descriptor in struct.iter_unpack("<HBBI3Q", data[8:at]):
        ident, coding, codec, zero, stored, raw, digest = descriptor
        name = f"{what}: column {ident}"
        column = proved(data[at:at + stored], digest, name)
        zeros.append(zero)
        at += stored
        check(ident in CODINGS or not ident >> 15, f"{name}: unknown but critical")
        if ident in CODINGS:
            check(coding == CODINGS[ident], f"{name}: unknown coding {coding}")
            found[ident] = unpacked(column, codec, raw, name)
    check(at == len(data) and not any(zeros) and not section.raw, f"{what}: bad column table")
    return found


def trailer(data):
    """Offset of INDEX by the trailer; None without a valid trailer."""
    index, size, digest = struct.unpack_from("<3Q", data, len(data) - 32)
    valid = (data[-8:] == b"TRCEND\r\n" and size == len(data) and
             xxhash.xxh3_64_intdigest(data[-32:-16] + data[32:48]) == digest)
    return index if valid else None


def indexed(data):
    """The sections by INDEX; None if the file is not finished."""
    offset = trailer(data)
    if offset is None:
        return None
    index = section_at(data, offset)
    check(index and index.kind == INDEX, "no INDEX where the trailer says")
    entries, found = payload(index), []
    check(len(entries) == 64 * index.count, "INDEX: wrong size")
    for at in range(0, len(entries), 64):
        offset = struct.unpack_from("<Q", entries, at)[0]
        check(entries[at + 8:at + 64] == data[offset + 8:offset + 60] + bytes(4),
              "INDEX: an entry is not a section's header")
        found.append(section_at(data, offset))
    check(None not in found, "INDEX: a section behind the end of the file")
    return found + [index]


def walked(data):
    """The sections, each behind the one before, and whether the file is finished."""
    offset, found = 64, []
    while section := section_at(data, offset):
        found.append(section)
        index, offset = offset, offset + 80 + section.stored + (-section.stored & 7)
    finished = (found and found[-1].kind == INDEX and trailer(data) == index and
                offset + 32 == len(data))
    check(finished or trailer(data) is None and
          not any(has_header(data, at) for at in range(offset + 8, len(data), 8)),
          f"bytes are lost at {offset}")
    return found, finished


class Trace:
    """A trace: its dictionary by record number, its chunks by thread, its schedule."""

    def __init__(self, data, walk):
        check(len(data) >= 64 and data[:8] == b"\x89TRC\r\n\x1a\n", "not a trace")
        proved(data[:56], struct.unpack_from("<Q", data, 56)[0], "file header")
        major, minor, *known, self.features = struct.unpack_from("<2H4I", data, 12)
        check((major, minor) <= (1, 1), f"needs a reader of format {major}.{minor}")
        check(known == [64, 0x0a0b0c0d, 0], "file header: unknown features")
        self.records = {kind: {} for kind in range(MODULES, SAMPLERS + 1)}
        self.exits, self.chunks, self.schedule, self.end = {}, defaultdict(list), [], None
        self.totals, self.samples = defaultdict(Counter), []
        sections = None if walk else indexed(data)
        self.finished = sections is not None
        if not self.finished:
            sections, self.finished = walked(data)
        for number, section in enumerate(sections):
            check(section.number == number, f"section {number} is missing")
            self.take_in(section)

    # The dictionary (3, 4)

    def take_in(self, section):
        """Read one section; a chunk is only proved and kept."""
        kind, what = section.kind, f"section {section.number}"
        if section.version or kind not in (*self.records, META, CHUNK, SCHEDULE, SAMPLES, END, INDEX):
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
        elif kind == END:
            data.svarint()
            data.string()
            self.end = [[data.varint() for _ in TOTALS] for _ in range(data.varint())]
        if kind not in (META, INDEX):
            data.end(what)

    def take_samples(self, count, data):
        """Read the records of a section of samples (4.4)."""
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
        """What samples have since version 1.3."""
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
        """Read the records of a section."""
        records, before = self.records[section.kind], Counter(exit=section.exits, path=section.first)
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

    @staticmethod
    def block(data, before):
        """A block (4.2); its operands know the numbers of their values within the block."""
        before["pc"] += data.svarint()
        pc = before["pc"] & M64
        data.index()
        before["bias"] += data.svarint()
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
            insns[i] = Insn(pc, data.take(length), opaque,
                            [o._replace(extra=addresses + o.extra) for o in operands])
            pc = pc + length & M64
        return Block(insns, addresses + extras)

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


class Bits:
    """Decodes the bits of a modelled column (5.6)."""

    def __init__(self, data, what):
        self.data, self.what = Cursor(data), what
        self.size = self.data.u8()
        check(10 <= self.size <= 22, f"{what}: cannot have so many cells")
        self.cells, self.low, self.high = {}, 0, M32
        self.code = int.from_bytes(self.data.take(4), "big")

    def cell(self, a, b):
        """The cell of a context, a list of c and n."""
        line = (a * 0x9e3779b97f4a7c15 + (b >> 4) * 0xd6e8feb86659fd93 & M64) >> 68 - self.size
        return self.cells.setdefault(16 * line + b % 16, [1 << 21, 0])

    def bit(self, *contexts):
        """A bit under one context or two."""
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
        """The low bytes are decoded, the others are those of the value."""
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
    """Slots that mean the same, and how their values are foretold."""

    def __init__(self, number):
        self.number, self.predictors = number, []
        self.last = self.stride = self.history = self.absolute = 0


class Predictor:
    """One way to foretell a group's values."""

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
        """The group of a slot, and what is added to its values."""
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


class Differences:
    """What slots differ by from what was expected (5.3): svarints whose bytes stand apart."""

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
        """The items of the chunk, in order."""
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
        """A value of an execution (4.3)."""
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
        """The memory operands of an execution as they are listed (4.2); counts them (5.1)."""
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
        """The address of each active lane of a masked or lanes operand."""
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


# The listing (trace-dump(1), JSON LINES)

# The fields of each event: key:how as in Cursor.field; key=table: the name of the number before.
EVENT_FIELDS = {
    1: "syscall number:u name=syscalls args:6 time_ns:u",
    2: "syscall-result number:u name=syscalls result:s error=errors time_ns:u",
    3: "signal number:u name=signals code:s address:x pc:x handler:x",
    4: "sigreturn pc:x",
    5: "thread-start started:u tid=tids process=processes time_ns:u",
    6: "thread-exit status:s time_ns:u",
    7: "process-start process:u pid=pids parent=parents time_ns:u",
    8: "process-exit status:s time_ns:u",
    9: "exec path:t time_ns:u",
    10: "mapping index:u",
    11: "region-begin region:u name=regions",
    12: "region-end region:u name=regions",
    13: "call function:u name=functions args:n",
    14: "return function:u name=functions result:x",
    15: "control-word which:u which=words value:x",
    16: "gap reason:u reason=reasons instructions:u",
    17: "time time_ns:u",
    18: "segment-base segment:u segment=segments base:x",
}


def name_tables(trace, header="/usr/include/x86_64-linux-gnu/asm/unistd_64.h"):
    """What the numbers in events are called."""
    def column(kind, i):
        return {number: record[i] for number, record in trace.records[kind].items()}

    with open(header, encoding="ascii") as file:
        calls = {int(n): name for name, n in re.findall(r"#define __NR_(\w+)\s+(\d+)", file.read())}
    errors = {**errno.errorcode, 35: "EDEADLK", 95: "EOPNOTSUPP", 133: "EHWPOISON"}
    return {"syscalls": calls, "errors": {-number: name for number, name in errors.items()},
            "signals": {number: number.name for number in signal.Signals if number < 32},
            "tids": column(THREADS, 1), "processes": column(THREADS, 0),
            "pids": column(PROCESSES, 0), "parents": column(PROCESSES, 1),
            "regions": column(REGIONS, 0), "functions": column(FUNCTIONS, 1),
            "words": {0: "x87", 1: "mxcsr"}, "segments": {1: "fs", 2: "gs"},
            "reasons": {1: "skipped", 2: "size-limit", 3: "fault"}}


def event_fields(item, trace, tables):
    """An event as it is listed."""
    if item.kind == LOST:
        return {"event": "gap", "reason": "fault", "instructions": item.what}
    if item.kind not in EVENT_FIELDS:
        return {"event": "unknown", "kind": item.kind, "payload": item.what.hex()}
    data, (name, *keys) = Cursor(item.what), EVENT_FIELDS[item.kind].split()
    fields, number = {"event": name}, None
    for key in keys:
        key, table, how = re.fullmatch(r"(\w+)([:=])(\w+)", key).groups()
        if table == "=":
            fields[key] = tables[how].get(number, fields.get(key))
        else:
            fields[key] = number = data.field(how)
    if name == "process-exit":
        status, time = fields.pop("status"), fields.pop("time_ns")
        if status & 127 == 0:
            fields["status"] = status >> 8 & 255
        elif status & 127 != 127:
            fields.update(signal=status & 127, name=tables["signals"].get(status & 127))
        fields["time_ns"] = time
    elif name == "gap":
        fields["instructions"] = fields["instructions"] or None
    elif name == "mapping" and fields["index"] in trace.records[MAPPINGS]:
        change, process, module, start, size, offset, protection, path = \
            trace.records[MAPPINGS][fields["index"]]
        fields.update(change=("map", "unmap", "protect")[change], process=process, start=start,
                      size=size, protection="".join(letter if protection >> bit & 1 else "-"
                                                    for bit, letter in enumerate("rwx")),
                      file_offset=offset, module=module, name=path)
    return fields


def line(fields):
    """A JSON object; fields that are None are left out."""
    out = json.dumps({key: value for key, value in fields.items() if value is not None},
                     ensure_ascii=False, separators=(",", ":"))
    return re.sub(r"\\.(00..)?", lambda m: m[0][:2] + m[0][2:].upper(), out)


def listing(trace, thread):
    """Print the merged trace or one thread's stream."""
    tables = name_tables(trace)
    check(thread is None or thread in trace.records[THREADS], f"no thread {thread}")
    items = trace.merged() if thread is None else ((thread, item) for item in trace.stream(thread))
    for number, item in items:
        fields = {"type": "insn" if item.kind is None else "event", "ordinal": item.ordinal,
                  "thread": number}
        if item.kind is None:
            insn, accesses = item.what
            fields.update(pc=hex(insn.pc), bytes=insn.code.hex(), mem=accesses,
                          opaque=True if insn.opaque else None)
        else:
            fields.update(event_fields(item, trace, tables))
        print(line(fields))


def info(trace):
    """Print the totals of the decoded streams; END has to agree with them."""
    deque(trace.merged(), maxlen=0)
    totals = [[trace.totals[thread][name] & M64 for name in TOTALS]
              for thread in sorted(trace.records[THREADS])]
    check(trace.end in (None, totals), "END disagrees with the streams")
    print(json.dumps({name: sum(thread[i] for thread in totals) for i, name in enumerate(TOTALS)}))


def sample_listing(trace):
    """Print the samples as `trace-dump --samples --format=jsonl` does."""
    kinds = {1: "sample", 2: "lost", 3: "throttled", 4: "unthrottled", 5: "mapping", 6: "name"}
    addresses = "address", "physical_address", "data_source", "weight"
    for sample in trace.samples:
        sample = dict(sample)
        if sample["kind"] not in kinds:
            continue
        if sample["kind"] == 1:
            sample["mode"] = ("unknown", "kernel", "user", "hypervisor", "guest-kernel",
                              "guest-user", "unknown", "unknown")[sample["mode"]]
        sample.update({key: hex(sample[key]) for key in addresses if key in sample})
        print(line({"type": kinds[sample.pop("kind")], **sample}))


def main():
    """The command."""
    parser = argparse.ArgumentParser(description="Print a trace as JSON lines.")
    parser.add_argument("trace")
    parser.add_argument("--thread", type=int, help="print this thread's stream alone")
    parser.add_argument("--walk", action="store_true", help="walk the sections, ignore INDEX")
    parser.add_argument("--samples", action="store_true", help="print the samples alone")
    parser.add_argument("--info", action="store_true", help="print totals alone")
    arguments = parser.parse_args()
    sys.stdout.reconfigure(encoding="utf-8")
    try:
        with open(arguments.trace, "rb") as file:
            trace = Trace(file.read(), arguments.walk)
        if not trace.finished:
            print(f"reader.py: {arguments.trace}: unfinished", file=sys.stderr)
        if arguments.samples:
            sample_listing(trace)
        elif arguments.info:
            info(trace)
        else:
            listing(trace, arguments.thread)
    except (Damage, OSError, LookupError, struct.error, zstandard.ZstdError) as error:
        sys.exit(f"reader.py: error: {arguments.trace}: {error or type(error)}")


if __name__ == "__main__":
    main()
