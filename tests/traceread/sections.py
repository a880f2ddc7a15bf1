# SPDX-License-Identifier: MIT
"""The sections of a file and the columns of a chunk (2, 3.3, 8)."""

import struct

import xxhash

from traceread.encodings import check, CODINGS, INDEX, proved, Section, unpacked


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
