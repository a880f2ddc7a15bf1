#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Compares exported files with the trace's dump, by readers and rules of their own.

usage: exported.py FORMAT TRACE-DUMP TRACE THREAD FILE [COUNT]
       exported.py --each TRACE-DUMP TRACE THREAD STEM FORMAT...
The second form compares STEM.FORMAT for each format, and prints "FORMAT same" or "FORMAT" and the difference.

The readers follow the descriptions of the formats. Each format's records are made again from the lines of
trace-dump, whose branches are decoded from their bytes.
"""

import bz2
import gzip
import json
import lzma
import struct
import subprocess
import sys

LEGACY = bytes([0x26, 0x2E, 0x36, 0x3E, 0x64, 0x65, 0x66, 0x67, 0xF0, 0xF2, 0xF3])
STRING_OPCODES = bytes([0xA4, 0xA5, 0xA6, 0xA7, 0xAA, 0xAB, 0xAC, 0xAD, 0xAE, 0xAF])
LINE = 64


def unpacked(path):
    """Returns the content of a file that may be compressed."""
    openers = {"gz": gzip.open, "xz": lzma.open, "bz2": bz2.open}
    suffix = path.rsplit(".", 1)[-1]
    if suffix == "zst":
        return subprocess.run(["zstd", "-dc", path], check=True, stdout=subprocess.PIPE).stdout
    with openers.get(suffix, open)(path, "rb") as file:
        return file.read()


class Insn:
    """An executed instruction: pc, code, accesses as (kind, address, size, repetition), next, ordinal."""

    def __init__(self, row):
        self.pc = int(row["pc"], 16)
        self.code = bytes.fromhex(row["bytes"])
        self.ordinal = row["ordinal"]
        self.next, self.broken = 0, False
        self.accesses = list(accesses(row["mem"], self.code))
        self.operands = row["mem"]

    @property
    def kind(self):
        """Returns the kind of branch, "" for other instructions."""
        code = self.code.lstrip(LEGACY)
        if code and code[0] & 0xF0 == 0x40:
            code = code[1:]
        first, second = code[0], code[1] if len(code) > 1 else 0
        reg = second >> 3 & 7
        if first & 0xF0 == 0x70 or 0xE0 <= first <= 0xE3 or (first == 0x0F and second & 0xF0 == 0x80):
            return "conditional"
        if first == 0xFF and 2 <= reg <= 5:
            return "indirect call" if reg < 4 else "indirect jump"
        kinds = {0xE8: "call", 0xE9: "jump", 0xEB: "jump"}
        kinds.update(dict.fromkeys([0xC2, 0xC3, 0xCA, 0xCB, 0xCF], "return"))
        return kinds.get(first, "")

    @property
    def taken(self):
        """Returns whether a branch was taken."""
        return self.kind != "" and (self.kind != "conditional" or self.next != self.pc + len(self.code))

    @property
    def target(self):
        """Returns the static target of a direct branch, else the place where control went."""
        if self.kind not in ("conditional", "jump", "call"):
            return self.next
        code = self.code.lstrip(LEGACY)
        wide = code[0] in (0xE8, 0xE9, 0x0F)
        field = self.code[-4:] if wide else self.code[-1:]
        return self.pc + len(self.code) + int.from_bytes(field, "little", signed=True)


def is_gather(code):
    """Returns whether a vector instruction has an index vector: vpgather, vgather, vpscatter, vscatter."""
    opcode = {0xC4: 3, 0x62: 4}.get(code[0])
    return opcode is not None and code[opcode] in (0x90, 0x91, 0x92, 0x93, 0xA0, 0xA1, 0xA2, 0xA3)


def is_repeated(code):
    """Returns whether an instruction is a string instruction with a rep prefix."""
    opcode = code.lstrip(LEGACY)
    if opcode[0] & 0xF0 == 0x40:
        opcode = opcode[1:]
    prefixes = code[:len(code) - len(opcode)]
    return opcode[0] in STRING_OPCODES and (0xF2 in prefixes or 0xF3 in prefixes)


def accesses(operands, code):
    """Yields (kind, address, size, repetition, masked) in order; repetitions one after the other."""
    if any(o["address"] is None for o in operands):
        return
    if operands and is_repeated(code):
        for repetition in range(operands[0]["count"]):
            for o in operands:
                step = -o["size"] if o.get("down") else o["size"]
                yield o["kind"], (int(o["address"], 16) + repetition * step) % 2**64, o["size"], repetition, False
        return
    for o in operands:
        places = o.get("lanes", [o["address"]])
        for place in places:
            yield o["kind"], int(place, 16), o["size"], 0, "lanes" in o and not is_gather(code)


def instructions(dump, trace, thread, count):
    """Returns the instructions of a thread, each with its successor."""
    command = [dump, "--format=jsonl", "--bytes", f"--thread={thread}", trace]
    if count:
        command.insert(1, f"--count={count + 1}")  # the last one has a successor, too
    found, last, interrupted = [], None, 0
    for text in subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout.splitlines():
        row = json.loads(text)
        if row["type"] == "event":
            if row["event"] == "signal" and row.get("handler", "0x0") != "0x0" and last:
                interrupted = interrupted or int(row["pc"], 16)
                last.broken = True
            elif row["event"] in ("gap", "exec") and last:
                last.broken, last = True, None
            elif row["event"] == "sigreturn" and last:
                last.broken = True
            continue
        now = Insn(row)
        if last:
            last.next = interrupted or now.pc
        interrupted = 0
        found.append(now)
        last = now
    if last and interrupted:
        last.next = interrupted
    return found[:count] if count else found


def same(made, read, what="record"):
    """Ends with a message if two sequences differ."""
    for number, (a, b) in enumerate(zip(made, read)):
        assert a == b, f"{what} {number}: expected {a}, found {b}"
    assert len(made) == len(read), f"expected {len(made)} records, found {len(read)}"


# ---- ChampSim ----

CLASSES = {"jump": "direct jump", "indirect jump": "indirect jump", "conditional": "conditional", "call": "direct call",
           "indirect call": "indirect call", "return": "return", "": "none"}


def classified(to, source):
    """ChampSim's classification of a record by its registers."""
    writes_sp, writes_ip = 6 in to, 26 in to
    reads_sp, reads_flags, reads_ip = 6 in source, 25 in source, 26 in source
    reads_other = any(r not in (0, 6, 25, 26) for r in source)
    rules = [
        ("direct jump", not reads_sp and not reads_flags and writes_ip and not reads_other),
        ("indirect jump", not reads_sp and not reads_ip and not reads_flags and writes_ip and reads_other),
        ("conditional", not reads_sp and reads_ip and not writes_sp and writes_ip and (reads_flags or reads_other)),
        ("direct call", reads_sp and reads_ip and writes_sp and writes_ip and not reads_flags and not reads_other),
        ("indirect call", reads_sp and reads_ip and writes_sp and writes_ip and not reads_flags and reads_other),
        ("return", reads_sp and not reads_ip and writes_sp and writes_ip),
        ("other", writes_ip),
    ]
    return next((name for name, holds in rules if holds), "none")


def champsim_records(insns, n_stores):
    """Yields (pc, class, taken, loads, stores) as the records of instructions have them."""
    for i in insns:
        loads, stores, repetition, before = [], [], 0, None

        def record():
            return i.pc, CLASSES[i.kind], i.taken, tuple(loads), tuple(stores)

        for kind, address, _, now, masked in i.accesses:
            if now != repetition:
                yield record()
                loads, stores, repetition = [], [], now
            if masked and before is not None and before // LINE == address // LINE:
                before = address
                continue
            before = address
            for wanted, addresses, room in (("load", loads, 4), ("store", stores, n_stores)):
                if kind == wanted or kind == "load-store" or (wanted == "load" and kind == "prefetch"):
                    if len(addresses) == room:
                        yield record()
                        loads, stores = [], []
                        addresses = loads if wanted == "load" else stores
                    addresses.append(address)
        yield record()


def check_champsim(insns, data, cloudsuite=False):
    """Checks records of 64 or 96 bytes."""
    layout = "<QBB4B4B6x4Q4Q2B6x" if cloudsuite else "<QBB2B4B2Q4Q"
    n_to, n_stores = (4, 4) if cloudsuite else (2, 2)
    read = []
    for pc, branch, taken, *rest in struct.iter_unpack(layout, data):
        to, source, stores = rest[:n_to], rest[n_to:n_to + 4], rest[n_to + 4:n_to + 4 + n_stores]
        loads = rest[n_to + 4 + n_stores:n_to + 8 + n_stores]
        assert branch == (26 in to) or not any(to), f"is_branch {branch} at {pc:x}"
        read.append((pc, classified(to, source), bool(taken), tuple(a for a in loads if a),
                     tuple(a for a in stores if a)))
    same(list(champsim_records(insns, n_stores)), read)


# ---- addresses ----


def each(insns):
    """Yields ("fetch", instruction) and (load or store, access)."""
    for i in insns:
        yield "fetch", (i.pc, len(i.code))
        for kind, address, size, _, _ in i.accesses:
            if kind in ("load", "load-store"):
                yield "load", (address, size)
            if kind in ("store", "load-store"):
                yield "store", (address, size)


def check_din(insns, data):
    """Checks aligned words of 4 bytes."""
    label = {"fetch": 2, "load": 0, "store": 1}
    made = [f"{label[kind]} {word * 4:x}" for kind, (address, size) in each(insns)
            for word in range(address // 4, (address + max(size, 1) - 1) // 4 + 1)]
    same(made, data.decode().splitlines(), "line")


def check_xdin(insns, data):
    """Checks accesses with sizes."""
    label = {"fetch": "i", "load": "r", "store": "w"}
    made = [f"{label[kind]} {address:x} {size:x}" for kind, (address, size) in each(insns) if size]
    same(made, data.decode().splitlines(), "line")


def check_lackey(insns, data):
    """Checks lines of lackey."""
    label, made = {"load": " L ", "store": " S ", "load-store": " M "}, []
    for i in insns:
        fetch, repetition = f"I  {i.pc:08x},{len(i.code)}", 0
        made.append(fetch)
        for kind, address, size, now, _ in i.accesses:
            if now != repetition:
                made.append(fetch)
                repetition = now
            if kind in label:
                made.append(f"{label[kind]}{address:08x},{size}")
    same(made, data.decode().splitlines(), "line")


def lines_touched(address, size):
    """Yields an address in each line that an access touches."""
    yield address
    for line in range(address // LINE + 1, (address + max(size, 1) - 1) // LINE + 1):
        yield line * LINE


def data_lines(insns):
    """Yields ("bubble", None) for an instruction without operands, and each line of an access."""
    for i in insns:
        if not i.operands:
            yield "bubble", None
        for kind, address, size, _, _ in i.accesses:
            for wanted in ("load", "store"):
                if kind in (wanted, "load-store"):
                    for place in lines_touched(address, size):
                        yield wanted, place


def check_ramulator_dram(insns, data):
    """Checks 0xADDRESS R|W."""
    made = [f"0x{place:x} {'R' if kind == 'load' else 'W'}" for kind, place in data_lines(insns) if place is not None]
    same(made, data.decode().splitlines(), "line")


def check_ramulator2(insns, data):
    """Checks LD|ST 0xADDRESS."""
    made = [f"{'LD' if kind == 'load' else 'ST'} 0x{place:x}" for kind, place in data_lines(insns) if place is not None]
    same(made, data.decode().splitlines(), "line")


def check_ramulator_cpu(insns, data):
    """Checks BUBBLES 0xADDRESS R|W."""
    made, bubbles = [], 0
    for kind, place in data_lines(insns):
        if kind == "bubble":
            bubbles += 1
            continue
        made.append(f"{bubbles} 0x{place:x} {'R' if kind == 'load' else 'W'}")
        bubbles = 0
    same(made, data.decode().splitlines(), "line")


def check_ramulator2_o3(insns, data):
    """Checks the accesses and bubbles of BUBBLES LOAD [STORE], where a store alone is both."""
    loads, stores, bubbles = [], [], 0
    for text in data.decode().splitlines():
        fields = [int(field) for field in text.split(" ")]
        assert len(fields) in (2, 3), text
        bubbles += fields[0]
        if len(fields) == 2 or fields[1] != fields[2]:
            loads.append(fields[1])
        stores += fields[2:]
    made = list(data_lines(insns))
    same([p for k, p in made if k == "store"], stores, "store")
    pairs = [p for k, p in made if k == "load"]
    assert len(loads) <= len(pairs), "more loads than accesses"
    rest = iter(pairs)
    assert all(any(load == p for p in rest) for load in loads), "loads in another order"
    # Instructions behind the first access of the last line are not in the file.
    kind = "store" if len(fields) == 3 and fields[1] == fields[2] else "load"
    last = max(n for n, (k, _) in enumerate(made) if k == kind)
    assert bubbles == sum(k == "bubble" for k, _ in made[:last + 1]), f"{bubbles} bubbles"


# ---- gem5 ----


def varint(data, at):
    """Returns a number of protobuf and the place behind it."""
    value = shift = 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 127) << shift
        shift += 7
        if byte < 128:
            return value, at


def message(data):
    """Returns the fields of a message, each a list."""
    fields, at = {}, 0
    while at < len(data):
        key, at = varint(data, at)
        if key & 7 == 2:
            size, at = varint(data, at)
            value, at = data[at:at + size], at + size
        else:
            value, at = varint(data, at)
        fields.setdefault(key >> 3, []).append(value)
    return fields


def gem5_messages(data):
    """Returns the messages of a file, and checks its head, the first message."""
    assert data[:4] == b"gem5", data[:4]
    messages, at = [], 4
    while at < len(data):
        size, at = varint(data, at)
        messages.append(message(data[at:at + size]))
        at += size
    assert messages[0][3] == [10**12] and messages[0][1], messages[0]
    return messages


def check_gem5_packets(insns, data):
    """Checks the packets: commands, lines, ticks that do not decrease."""
    messages = gem5_messages(data)[1:]
    made = []
    for i in insns:
        accesses_of = [(1, 0x100, i.pc, len(i.code))]
        for kind, address, size, _, _ in i.accesses:
            if kind != "store":
                accesses_of.append((1, 0x01000000 if kind == "prefetch" else 0, address, size))
            if kind in ("store", "load-store"):
                accesses_of.append((4, 0, address, size))
        for command, flags, address, size in accesses_of:
            while size:
                part = min(size, LINE - address % LINE)
                made.append((i.ordinal * 500, command, address, part, flags, i.ordinal, i.pc))
                address, size = address + part, size - part
    read = [tuple(m.get(field, [0])[0] for field in range(1, 8)) for m in messages]
    same(made, read, "packet")


def check_gem5_fetches(insns, data):
    """Checks a packet for each line that differs from the one before."""
    made, line = [], None
    for i in insns:
        for now in (i.pc // LINE, (i.pc + len(i.code) - 1) // LINE):
            if now != line:
                made.append((i.ordinal * 500, 1, now * LINE, LINE, 0x100, i.ordinal, i.pc))
            line = now
    same(made, [tuple(m[field][0] for field in range(1, 8)) for m in gem5_messages(data)[1:]], "packet")


def check_gem5_elastic(insns, data):
    """Checks the records, and dependences: on earlier records, and on the writer of the stack pointer."""
    messages = gem5_messages(data)
    assert messages[0][4] == [576], "window"
    made, places = [], []
    for i in insns:
        places.append(len(made))
        before = len(made)
        for number, wanted in ((1, "load"), (2, "store")):
            for kind, address, size, _, _ in i.accesses:
                if kind in (wanted, "load-store") and size:
                    made.append((i.pc, number, address, size))
        if len(made) == before:
            made.append((i.pc, 3, None, None))
    read = messages[1:]
    same(made, [(m[10][0], m[2][0], m.get(3, [None])[0], m.get(4, [None])[0]) for m in read])
    for number, m in enumerate(read, 1):
        assert m[1] == [number] and m[7][0] in (500, 1500, 2000), "number or delay"
        assert all(0 < d < number for d in m.get(8, []) + m.get(6, [])), "a dependence on a later record"
        assert m[2] != [2] or number == 1 or m[6] == [number - 1], "the order of a store"
    # A push or pop reads the stack pointer, which the push or pop before has written.
    stack = [len(i.code) == 1 and 0x50 <= i.code[0] <= 0x5F for i in insns]
    for n in range(1, len(insns)):
        if stack[n - 1] and stack[n]:
            assert places[n - 1] + 1 in read[places[n]].get(8, []), f"{insns[n].pc:x} depends on another record"


# ---- branches ----


def check_sbbt(insns, data):
    """Checks SBBT: all branches; distances that are too long are spread over the next ones."""
    magic, instruction_count, branch_count = struct.unpack_from("<8sQQ", data)
    assert magic == b"SBBT\n\x01\x00\x00", magic
    opcode = {"conditional": 1, "jump": 0, "indirect jump": 2, "return": 6, "call": 8, "indirect call": 10}
    made, since = [], 0
    for i in insns:
        since += 1
        if i.kind:
            told = min(since, 4095)
            since -= told
            made.append((opcode[i.kind], i.taken, i.pc, told, i.target))
    read = [(a & 15, bool(a >> 11 & 1), a >> 12, b & 4095, b >> 12) for a, b in struct.iter_unpack("<QQ", data[24:])]
    same(made, read, "branch")
    assert (instruction_count, branch_count) == (len(insns), len(made))


def check_bt9(insns, data):
    """Checks BT9: the edges give each branch, its outcome and target; the counts are those of the graph."""
    lines = [text.split("#")[0].split() for text in data.decode().splitlines()]
    assert lines[0] == ["BT9_SPA_TRACE_FORMAT"] and lines[-1] == ["EOF"], lines[0]
    head = dict((fields[0].rstrip(":"), fields[-1]) for fields in lines[1:8])
    starts = [lines.index([word]) for word in ("BT9_NODES", "BT9_EDGES", "BT9_EDGE_SEQUENCE")]
    nodes = [fields[1:] for fields in lines[starts[0] + 1:starts[1]]]
    edges = [fields[1:] for fields in lines[starts[1] + 1:starts[2]]]
    order = [int(fields[0]) for fields in lines[starts[2] + 1:-1]]
    assert [int(n[0]) for n in nodes] == list(range(len(nodes))) and nodes[0] == ["0", "0x0", "-", "0x0", "0"]
    assert len({n[1] for n in nodes}) == len(nodes), "two nodes of one address"
    assert len({(e[1], e[4] if e[3] == "T" else "0") for e in edges}) == len(edges), "two equal edges"
    kinds = {"conditional": "JMP+DIR+CND", "jump": "JMP+DIR+UCD", "indirect jump": "JMP+IND+UCD",
             "call": "CALL+DIR+UCD", "indirect call": "CALL+IND+UCD", "return": "RET+IND+UCD"}
    made = [(i.pc, kinds[i.kind], i.taken, i.target if i.taken else i.pc + len(i.code)) for i in insns if i.kind]
    read = []
    for number in order:
        source, _, outcome, target = edges[number][1:5]
        if source != "0":
            node = nodes[int(source)]
            read.append((int(node[1], 16), node[6], outcome == "T", int(target, 16)))
    same(made, read, "branch")
    assert edges[order[0]][1] == "0", "begin"
    assert edges[order[-1]][2] == "0" or order.count(order[-1]) > 1, "end"
    assert (int(head["total_instruction_count"]), int(head["branch_instruction_count"])) == (len(insns), len(made))
    assert all(order.count(int(e[0])) == int(e[8]) for e in edges[:50]), "traverse_cnt"
    counts = {}
    for pc, _, taken, _ in made:
        counts.setdefault(pc, [0, 0])[not taken] += 1
    assert all(counts[int(n[1], 16)] == [int(n[10]), int(n[12])] for n in nodes[1:]), "taken_cnt"
    firsts = dict.fromkeys(order)
    places = [n for n, i in enumerate(insns) if i.kind]
    between = [b - a - 1 for a, b in zip([-1] + places, places + [len(insns)])]
    for number in firsts:
        assert int(edges[number][6]) == between[order.index(number)], f"instructions of edge {number}"


def cbp_record(data, at):
    """Returns (pc, class, address, size, taken, target) of a record, its outputs, and the place behind it."""
    pc, kind = struct.unpack_from("<QB", data, at)
    at += 9
    address, size, taken, target, offset = None, 0, True, 0, 0
    if kind in (1, 2):
        address, size, update = struct.unpack_from("<QBB", data, at)
        offset = data[at + 10] if kind == 2 else 0
        at += 11 if kind == 2 else 10
        assert update == 0 and offset == 0, "updates of registers"
    if kind in (3, 4, 5, 9, 10, 11):
        taken = bool(data[at])
        at += 1
        assert taken or kind == 3, "an unconditional branch that is not taken"
        if taken:
            target, at = struct.unpack_from("<Q", data, at)[0], at + 8
    inputs = data[at + 1:at + 1 + data[at]]
    at += 1 + len(inputs)
    outputs = data[at + 1:at + 1 + data[at]]
    at += 1 + len(outputs)
    assert all(r <= 65 for r in inputs + outputs) and (kind == 2 or len(inputs) <= 3), "registers"
    if kind == 1:
        assert outputs and size % len(outputs) == 0, "a load without result"
    if kind == 2:
        assert len(inputs) >= 2 and not outputs and size % (len(inputs) - 1) == 0, "a store without value"
    values = sum(16 if 32 <= r < 64 else 8 for r in outputs)
    assert not any(data[at:at + values]), "values"
    return (pc, kind if kind not in (0, 6, 7) else 0, address, size, taken, target), bytes(outputs), at + values


def check_cbp2025(insns, data):
    """Checks records of one access or branch each: loads, stores, then the branch."""
    kinds = {"conditional": 3, "jump": 4, "indirect jump": 5, "call": 9, "indirect call": 10, "return": 11}
    made, read, outputs, results, at = [], [], [], {}, 0
    for i in insns:
        before = len(made)
        if i.code[0] & 0xF8 == 0x48 and i.code[1] == 0x8B:  # mov from memory
            register = i.code[2] >> 3 & 7 | (i.code[0] & 4) << 1
            results[before] = 31 if register == 4 else register
        for record_class, wanted in ((1, "load"), (2, "store")):
            for kind, address, size, _, _ in i.accesses:
                for part in range(0, size, 128) if kind in (wanted, "load-store") else ():
                    made.append((i.pc, record_class, address + part, min(size - part, 128), True, 0))
        if i.kind:
            made.append((i.pc, kinds[i.kind], None, 0, i.taken, i.target if i.taken else 0))
        elif len(made) == before:
            made.append((i.pc, 0, None, 0, True, 0))
    while at < len(data):
        record, to, at = cbp_record(data, at)
        read.append(record)
        outputs.append(to)
    same(made, read)
    assert all(outputs[n] == bytes([r]) for n, r in results.items()), "results of mov"


def check_sift(insns, data):
    """Checks executions with at most three addresses, and that their code came before."""
    assert struct.unpack_from("<4sIQ", data) == (b"SIFT", 0, 4), "head"
    made, read, at, codes, pc = [], [], 16, {}, None
    for i in insns:
        groups = {}
        for _, address, _, repetition, _ in i.accesses:
            groups.setdefault(repetition, []).append(address)
        for repetition in sorted(groups) or [0]:
            made.append((i.pc, i.code, bool(i.kind), i.taken, groups.get(repetition, [])[:3]))
    while at < len(data):
        first = data[at]
        if first == 0:
            kind, size = struct.unpack_from("<BI", data, at + 1)
            content, at = data[at + 6:at + 6 + size], at + 6 + size
            if kind == 255:
                break
            assert kind == 11, f"record {kind}"
            codes[int.from_bytes(content[:8], "little")] = content[8:]
            continue
        if first & 15:
            assert pc is not None, "the first instruction has no pc"
            size, flags, at = first & 15, first >> 4, at + 1
        else:
            size, flags, pc = first >> 4, data[at + 1], int.from_bytes(data[at + 2:at + 10], "little")
            assert flags & 0x30 == 0x20, "not executed"
            at += 10
        count = flags & 3
        addresses, at = list(struct.unpack_from(f"<{count}Q", data, at)), at + 8 * count
        read.append((pc, codes[pc], bool(flags & 4), bool(flags & 8), addresses))
        assert len(codes[pc]) == size, "size"
        pc += size
    assert at == len(data), "records behind the end"
    same(made, read)


CHECKS = {
    "gem5-fetches": check_gem5_fetches,
    "gem5-elastic": check_gem5_elastic,
    "cbp2025": check_cbp2025,
    "sift": check_sift,
    "champsim": check_champsim,
    "cloudsuite": lambda insns, data: check_champsim(insns, data, True),
    "din": check_din,
    "xdin": check_xdin,
    "lackey": check_lackey,
    "ramulator-dram": check_ramulator_dram,
    "ramulator-cpu": check_ramulator_cpu,
    "ramulator2": check_ramulator2,
    "ramulator2-o3": check_ramulator2_o3,
    "gem5-packets": check_gem5_packets,
    "sbbt": check_sbbt,
    "bt9": check_bt9,
}


def compare_each(dump, trace, thread, stem, *forms):
    """Compares a file for each format with the same instructions."""
    insns = instructions(dump, trace, thread, 0)
    assert insns, "no instructions"
    for form in forms:
        try:
            CHECKS[form](list(insns), unpacked(f"{stem}.{form}"))
            print(form, "same")
        except AssertionError as difference:
            print(form, f"differs: {difference}".replace("\n", " "))


def main():
    """Runs the command."""
    if sys.argv[1] == "--each":
        compare_each(*sys.argv[2:])
        return
    form, dump, trace, thread, path = sys.argv[1:6]
    insns = instructions(dump, trace, thread, int(sys.argv[6]) if len(sys.argv) > 6 else 0)
    assert insns, "no instructions"
    try:
        CHECKS[form](insns, unpacked(path))
    except AssertionError as difference:
        sys.exit(f"{path}: {difference}")


if __name__ == "__main__":
    main()
