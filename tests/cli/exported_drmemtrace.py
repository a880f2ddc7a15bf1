#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Reads a folder of drmemtrace, checks its rules, and compares it with the trace's dump.

usage: exported_drmemtrace.py TRACE-DUMP TRACE FOLDER [--lanes] [--syscall-args] [--regdeps] [--functions]
       [--blocking-syscalls] [--synthetic-v2p] [--chunk=N] [--dump]

The rules are those of DynamoRIO's invariant checker and reader, from the description of the format: the head of a
file, code bytes, targets of branches, the successor of each instruction, system calls, signals, chunks, ordinals,
times. Then each instruction and access, and each system call and signal, must be those of the dump. --dump prints the
records instead. With --regdeps, synthetic instructions stand for the code; the number of different instructions that
were compared with the table below is printed.
"""

import glob
import json
import os
import struct
import subprocess
import sys
import zipfile

from exported import Insn, is_repeated

READ, WRITE, PREFETCHES = 0, 1, (2, 3, 4, 5, 6)
INSTR, DIRECT_JUMP, INDIRECT_JUMP, DIRECT_CALL, INDIRECT_CALL, RETURN = 10, 11, 12, 14, 15, 16
THREAD, THREAD_EXIT, PID, HEADER, FOOTER, MARKER, NO_FETCH, SYSENTER = 22, 23, 24, 25, 26, 28, 29, 31
ENCODING, TAKEN, UNTAKEN = 47, 48, 49
INSTRUCTIONS = (INSTR, DIRECT_JUMP, INDIRECT_JUMP, DIRECT_CALL, INDIRECT_CALL, RETURN, SYSENTER, TAKEN, UNTAKEN)
INDIRECT = (INDIRECT_JUMP, INDIRECT_CALL, RETURN)
KERNEL_EVENT, KERNEL_XFER, TIMESTAMP, CPU_ID, FILETYPE, LINE_SIZE, VERSION, WINDOW = 0, 1, 2, 3, 9, 10, 12, 14
PAGE_SIZE, CHUNK_COUNT, CHUNK_FOOTER, RECORD_ORDINAL, SYSCALL, BRANCH_TARGET = 18, 20, 21, 22, 25, 29
SIGNAL_NUMBER, UNCOMPLETED = 40, 41
FUNC_ID, FUNC_RETADDR, FUNC_ARG, FUNC_RETVAL, MAY_BLOCK, FAILED = 4, 5, 6, 7, 26, 30
CALLED = 1 << 32  # the number of a system call as a function
EPOCH = 11644473600000000
PAGE = 4096
# System calls that may block, and some that do not: read, poll, nanosleep, wait4, futex; mmap, brk, getpid, exit.
BLOCKING = {0: True, 7: True, 35: True, 61: True, 202: True, 9: False, 12: False, 39: False, 60: False, 231: False}
TYPES = {"conditional": None, "jump": DIRECT_JUMP, "indirect jump": INDIRECT_JUMP, "call": DIRECT_CALL,
         "indirect call": INDIRECT_CALL, "return": RETURN, "": INSTR}

# Synthetic instructions: the categories, and those of some instructions by their first bytes: registers written and
# read, use of flags (1 written, 2 read), categories, and DynamoRIO's number of the size of the operation.
FP, LOAD, STORE, BRANCH, SIMD, STATE, MOVE, CONVERT, MATH, OTHER = (1 << n for n in range(10))
SYNTHETIC = {
    "55": ({"rsp"}, {"rsp", "rbp"}, 0, STORE | MOVE, 6),
    "5d": ({"rsp", "rbp"}, {"rsp"}, 0, LOAD | MOVE, 6),
    "c3": ({"rsp"}, {"rsp"}, 0, LOAD | BRANCH, 6),
    "4889e5": ({"rbp"}, {"rsp"}, 0, MOVE, 6),
    "4839d0": (set(), {"rax", "rdx"}, 1, MATH, 6),
    "31c0": ({"rax"}, {"rax"}, 1, MATH, 4),
    "85c0": (set(), {"rax"}, 1, MATH, 4),
    "84c0": (set(), {"rax"}, 1, MATH, 2),
    "74": (set(), set(), 2, BRANCH, None),
    "eb": (set(), set(), 0, BRANCH, None),
    "0f11": (set(), None, 0, SIMD | MOVE | STORE, 8),
}


def components(path):
    """Returns the parts of a file, each a list of (type, size, value)."""
    if path.endswith(".zip"):
        with zipfile.ZipFile(path) as archive:
            assert archive.testzip() is None, "checksums"
            parts = [archive.read(info) for info in archive.infolist()]
    else:
        with open(path, "rb") as file:
            parts = [file.read()]
    assert all(len(part) % 12 == 0 for part in parts), "a part is no whole number of records"
    return [list(struct.iter_unpack("<HHQ", part)) for part in parts]


class Executed:
    """An instruction of the file: pc, code, type, target, and its accesses, a list for each repetition."""

    def __init__(self, pc, code, length, kind, target):
        self.pc, self.code, self.length, self.kind, self.target = pc, code, length, kind, target
        self.groups = [[]]


class Reader:
    """Reads the records of a thread's file and checks the rules."""

    def __init__(self, parts, chunk):
        self.chunk = chunk
        self.insns, self.markers = [], []  # markers: (instructions before, marker, value)
        self.values = []                   # of system calls: such markers
        self.calls, self.in_call = [], False  # of traced functions: such markers
        self.returns = []                  # where calls lead back to
        self.blocking = []                 # such markers of system calls that may block
        self.visible = 0                   # records that are counted
        self.last = None
        self.signals = []                  # interrupted places, and the last instruction there
        self.kernel, self.window_changed, self.window = False, False, 0
        self.returned = None
        self.awaits_syscall = False
        self.time, self.pair = 0, []
        self.results = []                  # instructions before a time behind a system call
        self.before = []                   # the latest records, for rules about what stands directly before
        self.encoding, self.target = b"", None
        self.exited = False
        self.head(parts[0])
        for number, part in enumerate(parts):
            self.part(number, part, number == len(parts) - 1)
        assert self.exited and self.insns, "no exit, or no instructions"

    def head(self, part):
        """Checks the records before the first time."""
        kinds = [(t, s) if t == MARKER else (t, None) for t, s, _ in part[:9]]
        wanted = [(HEADER, None), (MARKER, VERSION), (MARKER, FILETYPE), (THREAD, None), (PID, None),
                  (MARKER, LINE_SIZE), (MARKER, CHUNK_COUNT), (MARKER, PAGE_SIZE)]
        assert kinds[:8] == wanted, f"head {kinds}"
        assert kinds[8] in ((MARKER, TIMESTAMP), (MARKER, WINDOW)), "no time behind the page size"
        values = [v for _, _, v in part[:8]]
        self.version, self.filetype, self.tid, self.pid = values[0], values[2], values[3], values[4]
        assert values[0] == values[1] and values[0] in (5, 6, 7), "version"
        assert self.filetype & ~0x804 in (0x640, 0x20600), f"file type {self.filetype:x}"
        self.synthetic = self.filetype & 0x20000
        assert 0 < self.tid < 2**48 and self.pid, "ids"
        assert values[5:] == [64, self.chunk, 4096], "sizes"

    def part(self, number, part, final):
        """Reads a component."""
        self.codes, self.in_chunk = {}, 0
        at = 0
        if number:
            head = part[:3]
            assert head[0] == (MARKER, RECORD_ORDINAL, self.visible), f"chunk {number}: {head[0]} {self.visible}"
            assert list(head[1:]) == self.pair, f"chunk {number}: the time is not repeated"
            at = 3
        body, foot = part[at:-1], part[-1]
        for record in body:
            self.record(*record)
        if final:
            assert foot == (FOOTER, 0, 0), "no footer"
            assert not self.chunk or self.in_chunk <= self.chunk
            assert body[-1][0] == THREAD_EXIT, "no exit before the footer"
        else:
            assert foot == (MARKER, CHUNK_FOOTER, number), f"chunk footer {foot}"
            assert self.in_chunk == self.chunk, f"chunk {number} has {self.in_chunk} instructions"
            self.visible += 1
        assert not self.encoding and self.target is None, "a chunk ends before an instruction"

    def record(self, kind, size, value):
        """Reads a record."""
        hidden = kind in (HEADER, FOOTER, THREAD, PID, ENCODING) or (kind == MARKER and size in (BRANCH_TARGET, ))
        self.visible += not hidden
        if kind == ENCODING:
            assert 1 <= size <= 8 and value < 1 << 8 * size, "code bytes"
            self.encoding += value.to_bytes(8, "little")[:size]
        elif kind in INSTRUCTIONS:
            self.instruction(kind, size, value)
        elif kind == NO_FETCH:
            assert (self.last.pc, self.last.length) == (value, size), "a repetition of another instruction"
            assert not self.encoding and (self.synthetic or is_repeated(self.last.code)), "no rep"
            self.last.groups.append([])
        elif kind in (READ, WRITE) + PREFETCHES:
            # Only times and windows may not stand between an instruction and its data; repetitions do.
            assert self.before[-1] in INSTRUCTIONS + (READ, WRITE, NO_FETCH) + PREFETCHES, "data behind no instruction"
            assert not self.filetype & 4, "data in a file without"
            self.last.groups[-1].append((kind, value, size))
        elif kind == MARKER:
            self.marker(size, value)
        elif kind == THREAD_EXIT:
            assert value == self.tid, "exit of another thread"
            self.exited = True
        else:
            assert kind in (HEADER, THREAD, PID) and not self.insns, f"record {kind}"
        if kind != ENCODING:
            self.before = (self.before + [kind if kind != MARKER else (MARKER, size)])[-2:]

    def instruction(self, kind, size, pc):
        """Reads an instruction and checks that it follows the one before."""
        if self.encoding:
            assert self.synthetic or len(self.encoding) == size, "code bytes of another length"
            assert self.codes.get(pc) != self.encoding, "code bytes that are known"
            self.codes[pc] = self.encoding
        assert pc in self.codes and (self.synthetic or len(self.codes[pc]) == size), f"no code bytes of {pc:x}"
        assert (self.target is not None) == (kind in INDIRECT) and self.target != 0, f"target at {pc:x}"
        assert not self.awaits_syscall or self.synthetic, f"no system call before {pc:x}"
        now = Executed(pc, self.codes[pc], size, kind, self.target)
        if self.last and not self.kernel and not self.window_changed:
            wanted = self.successor(self.last)
            assert pc == wanted or self.leads_anywhere(self.last), f"{pc:x} behind {self.last.pc:x}, not {wanted:x}"
        if self.returned is not None and not self.window_changed:
            self.markers.append((len(self.insns), "returned", (self.returned, pc)))
        self.insns.append(now)
        if kind in (DIRECT_CALL, INDIRECT_CALL):
            self.returns.append(pc + size)
        elif kind == RETURN and self.returns:
            self.returns.pop()
        self.awaits_syscall = self.synthetic or now.code[:2] in (b"\x0f\x05", b"\x0f\x34", b"\xcd\x80")
        self.last, self.encoding, self.target = now, b"", None
        self.kernel, self.window_changed, self.returned = False, False, None
        self.in_chunk += 1

    def leads_anywhere(self, insn):
        """Returns whether the target of a branch is not in the file."""
        return self.synthetic and insn.kind in (TAKEN, DIRECT_JUMP, DIRECT_CALL)

    @staticmethod
    def successor(insn):
        """Returns the pc that must follow."""
        behind = insn.pc + insn.length
        if insn.kind in INDIRECT:
            return insn.target
        if insn.kind in (TAKEN, DIRECT_JUMP, DIRECT_CALL):
            wide = insn.kind == DIRECT_CALL or insn.code[-5:-4] == b"\xe9" or insn.code[-6:-5] == b"\x0f"
            wide = wide and len(insn.code) >= 5
            return behind + int.from_bytes(insn.code[-4 if wide else -1:], "little", signed=True)
        return behind

    def marker(self, marker, value):
        """Reads a marker."""
        if marker == BRANCH_TARGET:
            self.target = value
            return
        assert not self.encoding and self.target is None, "a marker between code bytes and instruction"
        if marker == TIMESTAMP:
            assert value >= self.time, "time goes back"
            branch = self.last and self.last.kind not in (INSTR, SYSENTER)
            assert not branch or self.kernel or self.exited, "a time behind a branch"
            self.time, self.pair = value, [(MARKER, TIMESTAMP, value)]
            if self.before[-1] in ((MARKER, SYSCALL), (MARKER, MAY_BLOCK), (MARKER, FUNC_RETVAL), (MARKER, FAILED)):
                self.results.append(len(self.insns))
        elif marker == CPU_ID:
            assert self.before[-1] == (MARKER, TIMESTAMP), "a processor without a time"
            self.pair.append((MARKER, CPU_ID, value))
        elif marker == KERNEL_EVENT:
            assert value, "interrupted at 0"
            if self.last and not self.kernel and not self.window_changed:
                led = value in (self.successor(self.last), self.last.pc) or self.leads_anywhere(self.last)
                assert led, f"interrupted at {value:x}"
            self.signals.append(value)
            self.kernel = True
        elif marker == KERNEL_XFER:
            assert value == self.last.pc + self.last.length, "return from the kernel"
            self.returned = self.signals.pop() if self.signals else None
            self.kernel = True
        elif marker == WINDOW:
            assert value == self.window + 1 or (value == 0 and not self.insns), f"window {value}"
            self.window_changed, self.window = value != self.window, value
        elif marker == SYSCALL:
            assert self.awaits_syscall, "a system call without its instruction"
            assert self.before == [(MARKER, TIMESTAMP), (MARKER, CPU_ID)], "a system call without a time"
            self.awaits_syscall = False
        elif marker == SIGNAL_NUMBER:
            assert self.before[-1] == (MARKER, KERNEL_EVENT), "a signal without its event"
        elif marker == MAY_BLOCK:
            assert self.before[-1] == (MARKER, SYSCALL) and self.filetype & 0x800 and not value, "a blocking call"
            self.blocking.append(len(self.insns))
        elif marker == FUNC_ID and value < CALLED:
            self.in_call = True
            self.call(marker, value)
        elif self.in_call and marker in (FUNC_RETADDR, FUNC_ARG, FUNC_RETVAL):
            self.call(marker, value)
        elif marker in (FUNC_ID, FUNC_ARG, FUNC_RETVAL, FAILED):
            self.in_call = False
            self.check_value(marker)
            self.values.append((len(self.insns), marker, value))
        elif marker in (CHUNK_FOOTER, RECORD_ORDINAL):
            raise AssertionError("a border of chunks inside of a chunk")
        elif marker not in (UNCOMPLETED, VERSION, FILETYPE, LINE_SIZE, CHUNK_COUNT, PAGE_SIZE):
            raise AssertionError(f"marker {marker}")
        if marker in (KERNEL_EVENT, KERNEL_XFER, SIGNAL_NUMBER, SYSCALL, UNCOMPLETED):
            self.markers.append((len(self.insns), marker, value))


    def call(self, marker, value):
        """Reads a marker of a call of a traced function, or of its return."""
        before = {FUNC_RETADDR: (FUNC_ID, ), FUNC_ARG: (FUNC_RETADDR, FUNC_ARG), FUNC_RETVAL: (FUNC_ID, )}
        if marker == FUNC_ID:
            assert self.last.kind not in (INSTR, SYSENTER) and not self.kernel, "a function behind no branch"
        else:
            assert self.before[-1] in [(MARKER, m) for m in before[marker]], f"marker {marker} behind {self.before[-1]}"
        if marker == FUNC_RETADDR:
            assert value == (self.returns[-1] if self.returns else 0), "the return address is that of no call"
            return
        self.calls.append((len(self.insns), marker, value))

    def check_value(self, marker):
        """Checks that the values of a system call stand behind each other."""
        before = {FUNC_ID: (SYSCALL, MAY_BLOCK, FUNC_ARG, SIGNAL_NUMBER), FUNC_ARG: (FUNC_ID, FUNC_ARG),
                  FUNC_RETVAL: (FUNC_ID, ), FAILED: (FUNC_RETVAL, )}
        assert self.before[-1] in [(MARKER, m) for m in before[marker]], f"marker {marker} behind {self.before[-1]}"


# ---- the dump, as the file should have it ----


def is_evex(code):
    """Returns whether an instruction is one of AVX-512."""
    return code.lstrip(bytes([0x26, 0x2E, 0x36, 0x3E, 0x64, 0x65, 0x67]))[:1] == b"\x62"


class Wanted:
    """What a thread's file must have: instructions and markers, from the dump."""

    def __init__(self, command):
        self.insns, self.markers = [], []
        self.results = []              # instructions before the result of a system call
        self.cut, self.faults = 0, []  # rep instructions that a signal cut, places of faults
        self.values = []               # of system calls: (instructions before, marker, value)
        self.calls = []                # of traced functions: such markers
        last, interrupted, broken, called = None, None, False, False
        for text in subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout.splitlines():
            row = json.loads(text)
            if row["type"] == "event":
                event = row["event"]
                if event == "signal" and row.get("handler", "0x0") != "0x0":
                    if last and not broken:
                        interrupted = int(row["pc"], 16)
                    broken = True
                    self.markers.append((len(self.insns), KERNEL_EVENT, int(row["pc"], 16)))
                    self.markers.append((len(self.insns), SIGNAL_NUMBER, row["number"]))
                    if last and is_repeated(last.code) and last.pc == int(row["pc"], 16):
                        self.cut += 1
                    if row["code"] > 0 and row["number"] in (4, 7, 8, 11):
                        self.faults.append(int(row["pc"], 16))
                elif event == "sigreturn":
                    broken = True
                    if last:
                        self.markers.append((len(self.insns), KERNEL_XFER, last.pc + len(last.code)))
                        self.markers.append((len(self.insns), "returned", int(row["pc"], 16)))
                elif event in ("call", "return"):
                    self.calls.append((len(self.insns), FUNC_ID, row["function"]))
                    self.calls += [(len(self.insns), FUNC_ARG, int(value, 16)) for value in row.get("args", [])]
                    if event == "return":
                        self.calls.append((len(self.insns), FUNC_RETVAL, int(row["result"], 16)))
                if event == "syscall-result" and called:
                    called = False
                    self.add_result(row)
                if event == "syscall" and last:
                    called = True
                    self.add_arguments(row)
                    self.markers.append((len(self.insns), SYSCALL, row["number"]))
                elif event == "syscall-result" and self.markers and self.markers[-1][:2] == (
                        len(self.insns), SYSCALL):
                    self.results.append(len(self.insns))
                elif event in ("gap", "exec"):
                    self.finish(last, None)
                    last, interrupted = None, None
                continue
            now, called = Insn(row), False
            now.joined = False
            if last and not broken and now.pc == last.pc and is_repeated(now.code):
                now.joined = True
            self.finish(last, now.pc if interrupted is None else interrupted)
            interrupted, broken = None, False
            self.insns.append(now)
            last = now
        self.finish(last, interrupted)

    def add_arguments(self, row):
        """Notes the arguments of a system call."""
        self.values.append((len(self.insns), FUNC_ID, CALLED + row["number"]))
        self.values += [(len(self.insns), FUNC_ARG, int(value, 16)) for value in row["args"]]

    def add_result(self, row):
        """Notes the result of a system call that the thread waited for."""
        self.values.append((len(self.insns), FUNC_ID, CALLED + row["number"]))
        self.values.append((len(self.insns), FUNC_RETVAL, row["result"] % 2**64))
        if -4096 < row["result"] < 0:
            self.values.append((len(self.insns), FAILED, -row["result"]))

    def finish(self, insn, successor):
        """Notes where an instruction led. A branch that led nowhere is not in the file."""
        if not insn:
            return
        insn.next = successor or 0
        if not insn.next and (insn.kind == "conditional" or TYPES[insn.kind] in INDIRECT):
            self.insns.pop()
            place = len(self.insns)
            moved = [(min(n, place), kind, value) for n, kind, value in self.markers]
            self.markers = [(n, k, insn.pc if k == KERNEL_EVENT and v == 0 and n == place else v) for n, k, v in moved]


def check_accesses(made, read, lanes):
    """Checks the data of an instruction, repetition by repetition."""
    wanted = {}
    for kind, address, size, repetition, masked in made.accesses:
        group = wanted.setdefault(repetition, ([], []))
        if kind == "prefetch":
            group[0].append(("prefetch", address, 1))
        if kind in ("load", "load-store"):
            group[0].append((READ, address, size))
        if kind in ("store", "load-store"):
            group[1].append((WRITE, address, size))
    groups = [sum(wanted[n], []) for n in sorted(wanted)] or [[]]
    found = [[("prefetch" if k in PREFETCHES else k, a, s) for k, a, s in group] for group in read.groups]
    masked = [o for o in made.operands if "lanes" in o] if is_evex(made.code) else []
    if masked and not lanes and made.code[4] not in (0x90, 0x91, 0x92, 0x93, 0xA0, 0xA1, 0xA2, 0xA3):
        records = [r for group in found for r in group]
        assert len(records) == sum(2 if o["kind"] == "load-store" else 1 for o in made.operands), "masked operands"
        _, address, size = records[0]
        assert address == int(masked[0]["address"], 16) and size <= 64, "masked operand"
        assert all(address <= int(a, 16) <= address + size - masked[0]["size"] for a in masked[0]["lanes"]), "lanes"
        return
    groups = [[(k, a, min(s, 65535)) for k, a, s in group] for group in groups]
    assert groups == found, f"accesses at {made.pc:x}: expected {groups}, found {found}"


def register_names(numbers, names):
    """Checks that numbers stand for names, each number for one name. The order is not told."""
    known = {NAMES[n] for n in numbers if n in NAMES}
    assert known <= names and len(numbers) == len(names), f"registers {numbers}, not {names}"
    rest, names = [n for n in numbers if n not in NAMES], names - known
    assert len(rest) == len(names), f"registers {numbers}, not {names}"
    if len(rest) == 1:
        assert names.isdisjoint(NAMES.values()), f"two numbers of {names}"
        NAMES[rest[0]] = names.pop()


NAMES, MET = {}, set()


def check_synthetic(made, read):
    """Checks a synthetic instruction: its layout, what is known of all, and those of the table."""
    code = read.code
    head = int.from_bytes(code[:4], "little")
    n_to, n_from, flags, categories = head & 15, head >> 4 & 15, head >> 8 & 3, head >> 10
    size = 4 + (n_to + n_from and 1 + n_to + n_from)
    assert len(code) == (size + 3) // 4 * 4 <= 12 and not any(code[size:]), f"layout at {made.pc:x}"
    to, sources = code[5:5 + n_to], code[5 + n_to:size]
    assert len(set(to)) == n_to and len(set(sources)) == n_from, f"registers at {made.pc:x}"
    assert all(n >= 2 for n in code[5:size]) and categories < 1 << 10, f"numbers at {made.pc:x}"
    kinds = {o["kind"] for o in made.operands}
    assert bool(categories & LOAD) == bool(kinds & {"load", "load-store"}), f"load at {made.pc:x}"
    assert bool(categories & STORE) == bool(kinds & {"store", "load-store"}), f"store at {made.pc:x}"
    assert read.kind in (INSTR, SYSENTER) or categories & BRANCH, f"branch at {made.pc:x}"
    for first in (made.code[:n].hex() for n in (1, 2, 3)):
        if first not in SYNTHETIC or (first == "0f11" and made.code[2] >= 0xC0):
            continue
        MET.add(first)
        names_to, names_from, used, what, code_of_size = SYNTHETIC[first]
        assert (flags, categories) == (used, what), f"{made.code.hex()}: flags {flags}, categories {categories:x}"
        assert code_of_size is None or code[4] == code_of_size, f"{made.code.hex()}: size {code[4]}"
        register_names(to, names_to)
        if names_from is not None:
            register_names(sources, names_from)


def compare(wanted, file, lanes, values, functions):
    """Compares the instructions and markers of a thread with those of its file; values: of system calls, too."""
    insns = iter(file.insns)
    position, places = 0, [0]
    for number, made in enumerate(wanted.insns):
        if made.joined:  # the rest of a rep instruction
            places.append(position)
            continue
        read = next(insns, None)
        position += 1
        places.append(position)
        assert read, f"{position - 1} instructions, expected more"
        code = made.code if file.synthetic else read.code
        assert (read.pc, read.length, code) == (made.pc, len(made.code), made.code), \
            f"instruction {position}: {read.pc:x}, not {made.pc:x}"
        if file.synthetic:
            check_synthetic(made, read)
        kind = TYPES[made.kind] if made.kind != "conditional" else TAKEN if made.taken else UNTAKEN
        kind = SYSENTER if made.code == b"\x0f\x34" else kind
        assert read.kind == kind, f"instruction {position} at {made.pc:x}: type {read.kind}, not {kind}"
        assert read.kind not in INDIRECT or read.target == made.next, f"target at {made.pc:x}"
        if not file.filetype & 4 and not any(o["address"] is None for o in made.operands):
            check_accesses(joined(wanted.insns, number), read, lanes)
    assert next(insns, None) is None, "more instructions than in the trace"
    made = [(places[n], kind, value) for n, kind, value in wanted.markers if kind != "returned"]
    read = [m for m in file.markers if m[1] not in (UNCOMPLETED, "returned")]
    assert made == read, f"markers: expected {made}, found {read}"
    made = [(places[n], marker, value) for n, marker, value in wanted.values if values]
    assert made == file.values, f"values of system calls: expected {made}, found {file.values}"
    made = [(places[n], marker, value) for n, marker, value in wanted.calls if functions]
    assert made == file.calls, f"calls of functions: expected {made}, found {file.calls}"
    results = [places[n] for n in wanted.results]
    assert set(results) <= set(file.results), f"times of results: expected {results}, found {file.results}"
    returns = [(places[n], value) for n, kind, value in wanted.markers if kind == "returned"]
    for place, _, (interrupted, pc) in (m for m in file.markers if m[1] == "returned"):
        handler_changed_it = dict(returns).get(place, interrupted) != interrupted
        assert pc == interrupted or handler_changed_it, f"{pc:x} behind a handler, interrupted at {interrupted:x}"


def joined(insns, at):
    """Returns an instruction with the accesses of its continuations."""
    first = insns[at]
    while at + 1 < len(insns) and insns[at + 1].joined:
        at += 1
        offset = 1 + max((a[3] for a in first.accesses), default=-1)
        first.accesses += [(k, a, s, r + offset, m) for k, a, s, r, m in insns[at].accesses]
    return first


def check_uncompleted(wanted, file):
    """Checks the bytes of instructions that a fault or, in a rep instruction, another signal has interrupted."""
    codes = {i.pc: i.code for i in file.insns}
    found = sum(marker == UNCOMPLETED for _, marker, _ in file.markers)
    least = sum(pc in codes for pc in wanted.faults)
    assert max(least, wanted.cut) <= found <= len(wanted.faults) + wanted.cut, f"{found} uncompleted instructions"
    for at, (_, marker, value) in enumerate(file.markers):
        if marker == UNCOMPLETED:
            assert file.markers[at + 1][1] == KERNEL_EVENT, "an uncompleted instruction without a signal"
            code = codes.get(file.markers[at + 1][2])
            assert value and (not code or value == int.from_bytes(code[:8], "little")), "bytes of another instruction"


def check_blocking(file):
    """Checks that system calls are marked that may block."""
    for place, marker, number in file.markers:
        if marker == SYSCALL and number in BLOCKING:
            assert (place in file.blocking) == BLOCKING[number], f"system call {number} is marked wrongly"


def check_functions(path, files):
    """Checks the list of functions: those that were called, with the places where they begin."""
    with open(path, encoding="utf-8") as lines:
        listed = [line.rstrip("\n").split(",", 3) for line in lines]
    begins, n_args = {}, {}
    for file in files:
        for at, (place, marker, value) in enumerate(file.calls):
            if marker == FUNC_ID and file.calls[at + 1:at + 2] and file.calls[at + 1][1] == FUNC_ARG:
                begins.setdefault(value, set()).add(file.insns[place].pc)
                n_args[value] = next((i for i, c in enumerate(file.calls[at + 1:]) if c[1] != FUNC_ARG),
                                     len(file.calls) - at - 1)
    assert begins and {int(i) for i, _, _, _ in listed} == set(begins), "functions in the list"
    for index, count, begin, name in listed:
        assert int(begin, 16) in begins[int(index)] and int(count) == n_args[int(index)], f"function {name}"
        assert name.partition("!")[2], "a function without a name"


def check_pages(path, file):
    """Checks the map of pages: all that a thread uses, in that order, each with a frame of its own."""
    with open(path, encoding="utf-8") as lines:
        values = [line.split(":") for line in lines if ":" in line]
    head = {key.strip(): int(value, 0) for key, value in values[:3]}
    virtual = [int(value, 0) for key, value in values[3:] if key.strip() == "virtual_address"]
    physical = [int(value, 0) for key, value in values[3:] if key.strip() == "physical_address"]
    assert head == {"page_size": PAGE, "page_count": len(virtual), "bytes_mapped": PAGE * len(virtual)}, "head"
    used = {}
    for insn in file.insns:
        for address, size in [(insn.pc, insn.length)] + [a[1:] for group in insn.groups for a in group]:
            used.update(dict.fromkeys(range(address // PAGE, (address + max(size, 1) - 1) // PAGE + 1)))
    assert virtual == [PAGE * page for page in used], "pages"
    assert len(set(physical)) == len(virtual) == len(physical) and not any(a % PAGE for a in physical), "frames"


def main():
    """Runs the command."""
    options = [a for a in sys.argv[1:] if a.startswith("--")]
    dump, trace, folder = [a for a in sys.argv[1:] if not a.startswith("--")]
    chunk = next((int(o.split("=")[1]) for o in options if o.startswith("--chunk=")), 10000000)
    ids, files, paths = set(), [], sorted(glob.glob(os.path.join(folder, "drmemtrace.*")))
    assert paths, "no files"
    for path in paths:
        parts = components(path)
        if "--dump" in options:
            print(*[record for part in parts for record in part], sep="\n")
            continue
        thread = int(os.path.basename(path).split(".trace")[0].rsplit(".", 1)[1])
        try:
            file = Reader(parts, chunk if path.endswith(".zip") else 0)
            command = [dump, "--format=jsonl", "--bytes", f"--thread={thread}", trace]
            wanted = Wanted(command)
            compare(wanted, file, "--lanes" in options, "--syscall-args" in options, "--functions" in options)
            if "--blocking-syscalls" in options:
                check_blocking(file)
            assert bool(file.filetype & 0x800) == ("--blocking-syscalls" in options), "file type"
            if file.synthetic:
                assert not any(m[1] == UNCOMPLETED for m in file.markers), "code bytes"
            else:
                check_uncompleted(wanted, file)
            assert bool(file.synthetic) == ("--regdeps" in options), "file type"
        except AssertionError as difference:
            sys.exit(f"{path}: {difference}")
        assert file.tid not in ids, "two threads of one id"
        ids.add(file.tid)
        files.append(file)
    if "--functions" in options:
        check_functions(os.path.join(folder, "funclist.log"), files)
    if "--synthetic-v2p" in options:
        check_pages(os.path.join(folder, "v2p.textproto"), files[0])
    if "--regdeps" in options:
        print(len(MET))


if __name__ == "__main__":
    main()
