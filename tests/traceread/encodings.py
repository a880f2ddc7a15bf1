# SPDX-License-Identifier: MIT
"""Numbers, records and fields of the format, and how they are encoded (1, 4)."""

import codecs
from collections import namedtuple

import xxhash
import zstandard

META, MODULES, SYMBOLS, PROCESSES, THREADS, MAPPINGS, FUNCTIONS, REGIONS = range(1, 9)
BLOCKS, PATHS, SAMPLERS, KINDS, CHUNK, SCHEDULE, SAMPLES, COPIES, VECTORS, INTERVALS = (
    9, 10, 11, 12, 16, 18, 19, 20, 21, 22)
END, INDEX = 62, 63
HEAD, RUNS, MISSES, PARTIALS, FLOW = 1, 2, 3, 4, 5
SLOT_HITS, WHOLE_MISSES, SLOT_MODELS, SLOTS, SLOT_SOURCES, EVENTS = 16, 17, 18, 19, 24, 32
SLOT_MISSES = range(20, 24)
CODINGS = {HEAD: 0, RUNS: 1, MISSES: 1, PARTIALS: 0, FLOW: 2, SLOT_HITS: 1, WHOLE_MISSES: 1,
           SLOT_MODELS: 0, SLOTS: 2, **dict.fromkeys(SLOT_MISSES, 1), SLOT_SOURCES: 1, EVENTS: 0}
PLAIN, MASKED, REP, LANES, SIZED = range(5)
NO_ADDRESSES, REPAIRED = 1, 4
CODE_WITHHELD = 1
SYSCALL, THREAD_EXIT, PROCESS_EXIT, SEGMENT_BASE, LOST = 1, 6, 8, 18, -1
M32, M64 = (1 << 32) - 1, (1 << 64) - 1
TOTALS = "instructions loads stores prefetches repetitions opaque blocks paths events".split()
RECORDS = {MODULES: "utbu", SYMBOLS: "uy", PROCESSES: "ui", THREADS: "uu", MAPPINGS: "uuixuxut",
           FUNCTIONS: "ut", REGIONS: "t", SAMPLERS: "ttuub",
           KINDS: "1uuttt1bbuu"}

SAMPLE_FIELDS = ("address physical_address period weight data_source data_page_size "
                 "code_page_size raw").split()

Section = namedtuple("Section", "kind version flags thread number codec stored raw first count "
                                "exits payload hash")
Operand = namedtuple("Operand", "access form wraps size lanes index scale value extra")
Insn = namedtuple("Insn", "pc code opaque operands")
Block = namedtuple("Block", "insns values module start")
Recipe = namedtuple("Recipe", "base width address32 segment slot index scale displacement")
Exit = namedtuple("Exit", "blocks rule slots rsp_slot rsp_value")
Path = namedtuple("Path", "number blocks slots recipes exits")
Item = namedtuple("Item", "ordinal kind what")  # an event, or with kind None an instruction


class Damage(Exception):
    """An error: the trace violates the format."""


def check(condition, message):
    """Refuses the trace unless the condition holds."""
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
        at = self.at
        if at >= len(self.data):
            raise Damage("data end too early")
        self.at = at + 1
        return self.data[at]

    def varint(self):
        # Most numbers are one byte.
        value = self.u8()
        if value < 128:
            return value
        value &= 127
        for shift in range(7, 70, 7):
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

    FIELDS = {"1": u8, "u": varint, "s": svarint, "i": index, "b": string,
              "t": lambda self: self.string().decode("utf-8", "each byte"),
              "x": lambda self: hex(self.varint()),
              "6": lambda self: [hex(self.varint()) for _ in range(6)],
              "n": lambda self: [hex(self.varint()) for _ in range(self.varint())],
              "y": lambda self: [self.symbol() for _ in range(self.varint())]}

    def field(self, how):
        """A field: 1 u8, u varint, s svarint, i index, b bytes, t text, x varint as hexadecimal,
        6 six of them, n a counted list of them, y a counted list of symbols."""
        return self.FIELDS[how](self)


# Each byte of broken UTF-8 is shown as U+FFFD.
codecs.register_error("each byte", lambda error: ("\ufffd" * (error.end - error.start), error.end))


def proved(data, digest, what):
    """Returns the data, if they have this hash."""
    check(xxhash.xxh3_64_intdigest(data) == digest, f"{what}: its hash does not hold")
    return data


def unpacked(data, codec, raw, what):
    """Returns a stored payload or column, decompressed."""
    check(codec in (0, 1), f"{what}: unknown codec {codec}")
    check(raw <= 1 << 28, f"{what}: beyond the limits (7)")
    if codec == 1:
        data = zstandard.ZstdDecompressor().stream_reader(data).read(raw + 1)
    check(len(data) == raw, f"{what}: not of its raw size")
    return data
