#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Lists what an anonymized trace has of the original one.

usage: left.py TRACE-DUMP ORIGINAL TRACE
Prints the texts of the original's dictionary and META that the trace contains, in any section or column; the
addresses, above the first 64 KiB, that both traces have; and the constants in the code of the trace.
"""
import os
import re
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from traceread import sections, trace  # noqa: E402
from traceread.encodings import CHUNK, COPIES, META  # noqa: E402

SHORTEST = 7  # texts of fewer bytes are found anywhere
# The manual says that these stay: the malloc family, mappings of the kernel, and lines of META.
KEPT = re.compile(rb"malloc_usable_size|posix_memalign|aligned_alloc|reallocarray|memalign|realloc|_Z(da|dl|na|nw)[PRj-y].*|"
                  rb"\[stack\]|\[vsyscall\]")
KEPT_META = {"host.cpu.vendor", "host.page-size", "addresses", "order", "clock", "decoder.version"}
# Instructions whose constants say what they do; shifts by 1 have no bytes for it.
KEEPING = re.compile(r"^(lock |rep\w* )*(j|call|loop|xbegin|enter|int|ret|s[ah][lr]|rc[lr]|ro[lr])")
CONSTANT = re.compile(r"\$-?0x0*[1-9a-f]|(?<![\w.])-?0x0*[1-9a-f][0-9a-f]*\(")


def contents(data):
    """Yields the decompressed bytes of a trace."""
    for section in sections.indexed(data):
        if section.kind == CHUNK:
            yield from sections.columns(section).values()
        elif section.kind == COPIES:
            yield from (sections.payload(copy) for _, copy in sections.copies(section))
        else:
            yield sections.payload(section)


def strings(record):
    """Yields the texts of a record."""
    if isinstance(record, (bytes, str)):
        yield record.encode("utf-8", "surrogateescape") if isinstance(record, str) else record
    elif isinstance(record, (list, tuple)):
        for part in record:
            yield from strings(part)


def meta_values(data):
    """Yields the values of META that an anonymized trace does not have, and the words of the command."""
    for section in sections.indexed(data):
        for line in sections.payload(section).split(b"\n") if section.kind == META else ():
            key, _, value = line.partition(b": ")
            if key.decode() not in KEPT_META:
                yield value
                yield from value.split() if key.startswith(b"command") else ()


def texts(data):
    """Returns the texts of a trace that may identify it."""
    records = trace.Trace(data, False).records
    found = set(meta_values(data))
    for table in records.values():
        for record in table.values():
            if isinstance(record, list):
                found.update(strings(record))
    return {text for text in found if len(text) >= SHORTEST and not KEPT.fullmatch(text)}


def left_texts(old, new):
    """Yields the texts of the old trace that are in the new one."""
    printable = re.compile(rb"[\x20-\x7e\x80-\xff]{%d,}" % SHORTEST)
    parts = b"\n".join(run for part in contents(new) for run in printable.findall(part))
    parts = re.sub(rb"^anonymised\.[a-z]+: |\[vsyscall\]", b"", parts, flags=re.M)
    for text in texts(old):
        if text in parts:
            yield text.decode("utf-8", "backslashreplace")


def dump(command, path, addresses, constants):
    """Notes the addresses of instructions and accesses, and the constants in the disassembly."""
    with subprocess.Popen([command, "--no-events", "--symbols=no", path], stdout=subprocess.PIPE, text=True) as lines:
        for line in lines.stdout:
            fields = line.split(None, 2)
            if len(fields) < 3 or not fields[0].isdigit():
                continue
            addresses.add(int(fields[1], 16))
            code, _, accesses = fields[2].partition(" [")
            addresses.update(int(a, 16) for a in re.findall(r"@0x([0-9a-f]+)", accesses))
            if not KEEPING.match(code) and CONSTANT.search(code):
                constants.add(code.strip())
    assert lines.returncode == 0, path


def main():
    """Runs the command."""
    command, *paths = sys.argv[1:]
    old, new = (open(path, "rb").read() for path in paths)
    known, others, constants = set(), set(), set()
    dump(command, paths[0], known, set())
    dump(command, paths[1], others, constants)
    left = [f"text {text}" for text in sorted(left_texts(old, new))]
    left += [f"address {address:#x}" for address in sorted(known & others) if address >= 1 << 16]
    left += [f"constant {code}" for code in sorted(constants)]
    print("\n".join(left))


main()
