#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Writes drmemtrace's files from the dump of a trace, and compares dumps, by rules of its own.

usage: drmemtrace_model.py write TRACE-DUMP TRACE FOLDER [plain|gz|zip] [CHUNK] [VERSION] [FILETYPE]
       drmemtrace_model.py compare TRACE-DUMP TRACE IMPORTED [bare]
       drmemtrace_model.py records FOLDER NAME < TEXT

"write" follows the description of DynamoRIO's final offline traces: a file a thread, in FOLDER. CHUNK is the number of
instructions of a chunk. "compare" lists the first difference of what the format can hold; "bare": without arguments and
results of system calls. "records" makes one file of
lines "TYPE SIZE VALUE"; a value x... is bytes.
"""

import gzip
import io
import json
import os
import struct
import subprocess
import sys
import zipfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from exported import Insn, is_repeated  # noqa: E402 (the folder of this program)

READ, WRITE, PREFETCH, INSTR, NO_FETCH, ENCODING, MARKER = 0, 1, 2, 10, 29, 47, 28
THREAD, THREAD_EXIT, PID, HEADER, FOOTER, CONDITIONAL, TAKEN, UNTAKEN = 22, 23, 24, 25, 26, 13, 48, 49
KINDS = {"": INSTR, "jump": 11, "indirect jump": 12, "call": 14, "indirect call": 15, "return": 16}
INDIRECT = (12, 15, 16)
(KERNEL_EVENT, XFER, TIMESTAMP, CPU, FUNC_ID, FUNC_ARG, FUNC_RETVAL, FILETYPE, LINE_SIZE, VERSION, WINDOW, PAGE_SIZE,
 CHUNK_COUNT, CHUNK_FOOTER, ORDINAL, SYSCALL, TARGET, SIGNAL) = (
     0, 1, 2, 3, 4, 6, 7, 9, 10, 12, 14, 18, 20, 21, 22, 25, 29, 40)
INVISIBLE = (TARGET, ORDINAL)
EPOCH = 11644473600000000
NO_DATA = 0x04
U64 = 2**64 - 1


class File:
    """The records of a thread."""

    def __init__(self, tid, pid, chunk, version, file_type):
        self.chunks, self.records, self.chunk = [], [], chunk
        self.version, self.file_type = version, file_type
        self.tid, self.codes, self.insns, self.visible, self.window = tid, {}, 0, 0, 0
        self.held = None       # the instruction whose successor is not known yet
        self.waiting = []      # markers behind it
        self.pair = (0, 0)
        self.wants_time = True
        self.last_is_branch = False
        self.put(HEADER, 0, version)
        self.marker(VERSION, version)
        self.marker(FILETYPE, file_type)
        self.put(THREAD, 4, tid)
        self.put(PID, 4, pid)
        self.marker(LINE_SIZE, 64)
        self.marker(CHUNK_COUNT, chunk)
        self.marker(PAGE_SIZE, 4096)
        self.marker(WINDOW, 0)

    def put(self, kind, size, value):
        bytes_ = value if isinstance(value, bytes) else struct.pack("<Q", value & U64)
        self.records.append(struct.pack("<HH", kind, size) + bytes_.ljust(8, b"\0"))
        if kind not in (HEADER, FOOTER, THREAD, PID, ENCODING) and not (kind == MARKER and size in INVISIBLE):
            self.visible += 1

    def marker(self, kind, value):
        self.put(MARKER, kind, value)

    def time(self, now):
        self.pair = now, U64
        self.marker(TIMESTAMP, now)
        self.marker(CPU, U64)

    def begin_chunk(self):
        """Ends a full chunk and begins the next one."""
        self.marker(CHUNK_FOOTER, len(self.chunks))
        self.chunks.append(b"".join(self.records))
        self.records, self.codes = [], {}
        visible = self.visible
        self.marker(ORDINAL, visible)
        self.time(self.pair[0])
        self.visible = visible

    def insn(self, insn, next_pc, interrupted):
        """Puts an instruction that has ended."""
        kind = KINDS.get(insn.kind, CONDITIONAL)
        after = insn.pc + len(insn.code)
        goes_to = interrupted or next_pc
        if kind == CONDITIONAL:
            if goes_to is None:
                return False
            if self.version >= 5:
                kind = UNTAKEN if goes_to == after else TAKEN
        if kind in INDIRECT and goes_to is None:
            return False
        if self.chunk and self.insns and self.insns % self.chunk == 0:
            self.begin_chunk()
        if self.codes.get(insn.pc) != insn.code:
            self.codes[insn.pc] = insn.code
            for at in range(0, len(insn.code), 8):
                self.put(ENCODING, len(insn.code[at:at + 8]), insn.code[at:at + 8])
        if kind in INDIRECT and self.version >= 5:
            self.marker(TARGET, goes_to)
        self.put(kind, len(insn.code), insn.pc)
        self.insns += 1
        if not self.file_type & NO_DATA:
            self.data(insn)
        elif is_repeated(insn.code) and insn.operands:
            for _ in range(insn.operands[0]["count"] - 1):
                self.put(NO_FETCH, len(insn.code), insn.pc)
        self.last_is_branch = kind != INSTR
        return True

    def data(self, insn):
        """Puts the accesses: by repetition, loads before stores."""
        repetitions = insn.operands[0]["count"] if is_repeated(insn.code) and insn.operands else None
        for repetition in range(1 if repetitions is None else repetitions):
            if repetition:
                self.put(NO_FETCH, len(insn.code), insn.pc)
            for kind, wanted in ((READ, ("load", "load-store")), (WRITE, ("store", "load-store")),
                                 (PREFETCH, ("prefetch",))):
                for o in insn.operands:
                    if o["kind"] not in wanted:
                        continue
                    step = -o["size"] if o.get("down") else o["size"]
                    for place in o.get("lanes", [o["address"]]):
                        address = int(place, 16) + repetition * (step if repetitions is not None else 0)
                        size = o["size"]
                        while size > 0xFFFF:
                            self.put(kind, 0xFFFF, address)
                            address, size = address + 0xFFFF, size - 0xFFFF
                        self.put(kind, size, address)

    def release(self, next_pc, interrupted, now):
        """Puts the held instruction and what came behind it."""
        if self.held and not self.insn(self.held, next_pc, interrupted):
            self.waiting = []
        self.held = None
        if self.wants_time and not self.last_is_branch:
            self.time(now)
            self.wants_time = False
        for marker in self.waiting:
            if marker[0] == TIMESTAMP:
                self.time(marker[1])
            else:
                self.marker(*marker)
        self.waiting = []


def rows_of(dump, trace):
    text = subprocess.run([dump, "--format=jsonl", "--bytes", trace], check=True, stdout=subprocess.PIPE).stdout
    for line in text.splitlines():
        yield json.loads(line)


def take_event(file, row, clock):
    """Notes the markers of an event. Returns whether control is lost there."""
    kind = row["event"]
    if kind == "syscall":
        file.waiting += [(TIMESTAMP, clock()), (SYSCALL, row["number"]), (FUNC_ID, 2**32 + row["number"])]
        file.waiting += [(FUNC_ARG, int(a, 16)) for a in row["args"]]
    elif kind == "syscall-result":
        file.waiting += [(FUNC_ID, 2**32 + row["number"]), (FUNC_RETVAL, row["result"] & U64), (TIMESTAMP, clock())]
    elif kind == "signal" and row.get("handler", "0x0") != "0x0":
        file.waiting += [(KERNEL_EVENT, int(row["pc"], 16)), (SIGNAL, row["number"])]
    elif kind == "sigreturn":
        file.waiting += [(XFER, file.held.pc + len(file.held.code) if file.held else 1)]
    elif kind in ("gap", "exec") and file.insns + (file.held is not None):
        file.window += 1
        file.waiting += [(WINDOW, file.window)]
        return True
    return False


def write(dump, trace, folder, how="plain", chunk=0, version=7, file_type=0x640):
    files, last, times = {}, None, iter(range(EPOCH + 1000, EPOCH + 2**62))
    lost, interrupted, tids, pids = {}, {}, {}, {}

    def clock():
        return next(times)

    for row in rows_of(dump, trace):
        thread = row["thread"]
        if row["type"] == "event":
            if row["event"] == "thread-start":
                tids[thread], pids[thread] = row["tid"], 100 + row["process"]
            if thread not in files:
                tids.setdefault(thread, 1 + thread)
                files[thread] = File(tids[thread], pids.get(thread, 100), chunk, version, file_type)
                files[thread].time(clock())
                files[thread].wants_time = False
            if row["event"] == "signal" and row.get("handler", "0x0") != "0x0":
                interrupted.setdefault(thread, int(row["pc"], 16))
            lost[thread] = take_event(files[thread], row, clock) or lost.get(thread, False)
            continue
        if thread not in files:
            files[thread] = File(1 + thread, 100, chunk, version, file_type)
            files[thread].time(clock())
            files[thread].wants_time = False
        file = files[thread]
        insn = Insn(row)
        file.release(None if lost.get(thread) else insn.pc, interrupted.pop(thread, None), clock())
        lost[thread] = False
        if last is not None and last != thread:
            file.wants_time = True
            if not file.last_is_branch:
                file.time(clock())
                file.wants_time = False
        last = thread
        file.held = insn
    os.makedirs(folder, exist_ok=True)
    for thread, file in files.items():
        file.release(None, interrupted.pop(thread, None), clock())
        file.time(clock())
        file.put(THREAD_EXIT, 4, file.tid)
        file.put(FOOTER, 0, 0)
        file.chunks.append(b"".join(file.records))
        if file.insns:
            save(f"{folder}/drmemtrace.app.{file.tid}.0000.trace", how, file.chunks)


def save(path, how, chunks):
    if how == "zip":
        with zipfile.ZipFile(f"{path}.zip", "w", zipfile.ZIP_DEFLATED) as archive:
            for number, chunk in enumerate(chunks):
                archive.writestr(f"chunk.{number:08}", chunk)
        return
    data = b"".join(chunks)
    if how == "gz":
        packed = io.BytesIO()
        with gzip.GzipFile(fileobj=packed, mode="wb", mtime=0) as out:
            out.write(data)
        path, data = f"{path}.gz", packed.getvalue()
    with open(path, "wb") as out:
        out.write(data)


# ---- comparing ----


def comparable(row, bare):
    """Returns what drmemtrace holds of a row of a dump, or None."""
    if row["type"] == "insn":
        operands = []
        for o in row["mem"]:
            o = dict(o)
            o.pop("interrupted", None)
            if "lanes" in o or o["count"] == 0:
                del o["address"]
            if o["count"] < 2:
                o.pop("down", None)
            operands.append(o)
        return row["thread"], row["ordinal"], row["pc"], row["bytes"], operands
    kept = {"syscall": ["number", "args"], "syscall-result": ["number", "result"],
            "signal": ["number", "pc", "handler"], "sigreturn": ["pc"]}
    kind = row["event"]
    if bare:
        kept.update({"syscall": ["number"], "syscall-result": []})
    if not kept.get(kind) or (kind == "signal" and row.get("handler", "0x0") == "0x0"):
        return None
    return row["thread"], row["ordinal"], kind, [row[key] for key in kept[kind]]


def compare(dump, trace, imported, how=""):
    """The threads may have other indices: they are compared by tid."""
    sides = []
    for path in (trace, imported):
        tids, rows = {}, []
        for row in rows_of(dump, path):
            if row["type"] == "event" and row["event"] == "thread-start":
                tids[row["thread"]] = row["tid"]
            row["thread"] = tids.get(row["thread"], 0)
            found = comparable(row, how == "bare")
            if found:
                rows.append(found)
        sides.append(rows)
    if len({row[0] for row in sides[0]}) == 1:  # it may have no thread-start
        sides = [[(0, *row[1:]) for row in rows] for rows in sides]
    for number, (a, b) in enumerate(zip(*sides)):
        assert a == b, f"line {number}:\n{a}\n{b}"
    assert len(sides[0]) == len(sides[1]), f"{len(sides[0])} lines, {len(sides[1])} lines"


def records(folder, name):
    os.makedirs(folder, exist_ok=True)
    data = b""
    for line in sys.stdin:
        words = line.split("#")[0].split()
        if words:
            value = bytes.fromhex(words[2][1:]).ljust(8, b"\0") if words[2][0] == "x" else \
                struct.pack("<Q", int(words[2], 0) & U64)
            data += struct.pack("<HH", int(words[0]), int(words[1])) + value
    save(f"{folder}/{name}", "gz" if name.endswith(".gz") else "plain", [data])


if __name__ == "__main__":
    if sys.argv[1] == "write":
        write(*sys.argv[2:6], *(int(x, 0) for x in sys.argv[6:]))
    elif sys.argv[1] == "compare":
        compare(*sys.argv[2:])
    else:
        records(*sys.argv[2:])
