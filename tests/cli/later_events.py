#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Turns events of a kind into ones that only a later version knows, as a trace of that version may have them.

usage: later_events.py TRACE OUT KIND    prints how many events there are; the columns of events must not be compressed
"""
import struct
import sys
from os.path import dirname, realpath

import xxhash

sys.path.insert(0, dirname(dirname(realpath(__file__))))
from traceread.encodings import CHUNK, Cursor, EVENTS  # noqa: E402
from traceread.sections import indexed  # noqa: E402

LATER = 100


def change(column, kind):
    """Changes the events of the kind in a column. Returns their number."""
    events, count = Cursor(bytes(column)), 0
    while events.more():
        events.varint()
        at = events.at
        if events.varint() == kind:
            column[at] = LATER
            count += 1
        events.string()
    return count


def main():
    name, out, kind = sys.argv[1], sys.argv[2], int(sys.argv[3])
    with open(name, "rb") as file:
        data = bytearray(file.read())
    count = 0
    for section in indexed(bytes(data)):
        if section.kind != CHUNK:
            continue
        payload = data.index(section.payload)
        n = struct.unpack_from("<H", data, payload)[0]
        at = payload + 8 + 32 * n
        for i in range(n):
            entry = payload + 8 + 32 * i
            ident, _, codec, _, stored = struct.unpack_from("<HBBIQ", data, entry)
            if ident == EVENTS and stored:
                assert codec == 0, "the events are compressed"
                column = data[at:at + stored]
                count += change(column, kind)
                data[at:at + stored] = column
                struct.pack_into("<Q", data, entry + 24, xxhash.xxh3_64_intdigest(bytes(column)))
            at += stored
        header = payload - 80
        struct.pack_into("<Q", data, header + 64, xxhash.xxh3_64_intdigest(bytes(data[payload:payload + 8 + 32 * n])))
        struct.pack_into("<Q", data, header + 72, xxhash.xxh3_64_intdigest(bytes(data[header:header + 72])))
    with open(out, "wb") as file:
        file.write(data)
    print(count)


main()
