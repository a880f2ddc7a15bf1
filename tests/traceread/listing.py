# SPDX-License-Identifier: MIT
"""Lists a trace as `trace-dump --format=jsonl` does (trace-dump(1), JSON LINES)."""

import errno
import json
import re
import signal
from collections import deque

from traceread.encodings import (
    check, Cursor, FUNCTIONS, LOST, M64, MAPPINGS, PROCESSES, REGIONS, THREADS, TOTALS)

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
    """Returns the names of the numbers in events."""
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
    """Returns an event as it is listed."""
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
    """Returns a JSON object; fields that are None are left out."""
    out = json.dumps({key: value for key, value in fields.items() if value is not None},
                     ensure_ascii=False, separators=(",", ":"))
    return re.sub(r"\\.(00..)?", lambda m: m[0][:2] + m[0][2:].upper(), out)


def listing(trace, thread):
    """Prints the merged trace or one thread's stream."""
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
    """Prints the totals of the decoded streams; END has to agree with them."""
    deque(trace.merged(), maxlen=0)
    totals = [[trace.totals[thread][name] & M64 for name in TOTALS]
              for thread in sorted(trace.records[THREADS])]
    check(trace.end in (None, totals), "END disagrees with the streams")
    print(json.dumps({name: sum(thread[i] for thread in totals) for i, name in enumerate(TOTALS)}))


def sample_listing(trace):
    """Prints the samples as `trace-dump --samples --format=jsonl` does."""
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
