# SPDX-License-Identifier: MIT
"""The sections of a file and the columns of a chunk (2, 3.3, 8)."""

import struct

import xxhash

from traceread.encodings import (
    check, CHUNK, CODINGS, COPIES, END, INDEX, proved, SCHEDULE, Section, unpacked)

MAGIC = b"\x89TRC\r\n\x1a\n"


def has_header(data, offset):
    """Returns whether a section's header is at the offset."""
    header = data[offset:offset + 80]
    return (len(header) == 80 and header[:8] == b"\xf3TRCSEC\n" and
            xxhash.xxh3_64_intdigest(header[:72]) == struct.unpack_from("<Q", header, 72)[0])


def section_at(data, offset):
    """Returns the section whose header is at the offset; None if it is not there whole."""
    if not has_header(data, offset):
        return None
    fields = struct.unpack_from("<8xHBBIIIQQQQIIQ", data, offset)
    check(fields[11] == 0 and fields[2] < 4, f"section {fields[4]}: reserved bits are set")
    end = offset + 80 + fields[6]
    padded = end + (-end & 7)
    check(not any(data[end:padded]), f"section {fields[4]}: padding is not 0")
    return Section(*fields[:11], data[offset + 80:end], fields[12]) if padded <= len(data) else None


def payload(section):
    """Returns the payload of a section without columns."""
    what = f"section {section.number}"
    return unpacked(proved(section.payload, section.hash, what), section.codec, section.raw, what)


def columns(section):
    """Returns the columns of a CHUNK by id (2.4); a column that is not there is empty."""
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
    """Returns the offset of INDEX by the trailer; None without a valid trailer."""
    index, size, digest = struct.unpack_from("<3Q", data, len(data) - 32)
    valid = (data[-8:] == b"TRCEND\r\n" and size == len(data) and
             xxhash.xxh3_64_intdigest(data[-32:-16] + data[32:48]) == digest)
    return index if valid else None


def described(entry, digest, payload_bytes):
    """Returns the section of an INDEX entry, with the hash and the bytes of its payload."""
    return Section(*struct.unpack_from("<8xHBBIIIQQQQI", entry), payload_bytes, digest)


def copies(section):
    """The copies in a COPIES section, as pairs of INDEX entry and section (3.4)."""
    data, at = payload(section), 64
    for _ in range(section.count):
        entry, (digest,) = data[at:at + 64], struct.unpack_from("<Q", data, at + 64)
        stored = struct.unpack_from("<Q", entry, 24)[0]
        copy = described(entry, digest, data[at + 72:at + 72 + stored])
        check(len(copy.payload) == stored and
              (copy.kind < CHUNK or copy.kind in (SCHEDULE, END)), "COPIES: a bad copy")
        proved(copy.payload, digest, f"copy of section {copy.number}")
        yield entry, copy
        at += 72 + stored
    check(at == len(data), "COPIES: bytes left over")


def index_of(data, offset):
    """Returns INDEX, and its entries as they are, 64 bytes each."""
    index = section_at(data, offset)
    check(index and index.kind == INDEX, "no INDEX where the trailer says")
    entries = payload(index)
    check(len(entries) == 64 * index.count, "INDEX: wrong size")
    return index, [entries[at:at + 64] for at in range(0, len(entries), 64)]


def with_header(data):
    """Returns the file, its header from a copy if the header is damaged (8)."""
    whole = data[:8] == MAGIC and len(data) >= 64 and (
        xxhash.xxh3_64_intdigest(data[:56]) == struct.unpack_from("<Q", data, 56)[0])
    if whole or len(data) < 64 or data[-8:] != b"TRCEND\r\n":
        return data
    for entry in index_of(data, struct.unpack_from("<Q", data, len(data) - 32)[0])[1]:
        offset, kind = struct.unpack_from("<QH", entry)
        section = section_at(data, offset) if kind == COPIES else None
        if section:
            header = payload(section)[:64]
            if trailer(header + data[64:]) is not None:
                return header + data[64:]
    return data


def is_whole(data, entry, section):
    """Returns whether a section agrees with its INDEX entry."""
    offset = struct.unpack_from("<Q", entry)[0]
    return section is not None and entry[8:] == data[offset + 8:offset + 60] + bytes(4) and (
        section.codec == 2 or xxhash.xxh3_64_intdigest(section.payload) == section.hash)


def indexed(data):
    """Returns the sections by INDEX, damaged ones from their copies; None if the file is not finished."""
    offset = trailer(data)
    if offset is None:
        return None
    index, entries = index_of(data, offset)
    found = [section_at(data, struct.unpack_from("<Q", entry)[0]) for entry in entries]
    lost = {n for n, entry in enumerate(entries) if not is_whole(data, entry, found[n])}
    for section in [s for n, s in enumerate(found) if n not in lost and s.kind == COPIES]:
        for entry, copy in copies(section) if lost else ():
            if copy.number in lost and entries[copy.number] == entry:
                found[copy.number] = copy
                lost.remove(copy.number)
    check(not lost, f"sections {sorted(lost)} are damaged")
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
