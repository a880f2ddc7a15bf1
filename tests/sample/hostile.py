# SPDX-License-Identifier: MIT
"""hostile.py PERF_DATA CASE OUT: a perf.data file (one that variant.py has made for a pipe is needed for records) with
something wrong, or missing, in it. Without CASE and OUT the names of the cases."""
import struct
import sys

IDENTIFIER, ID, CALLCHAIN = 1 << 16, 1 << 6, 1 << 5


def record(kind, body, misc=0, size=None):
    """Returns a record; size: the size that it claims."""
    return struct.pack("<IHH", kind, misc, size or 8 + len(body)) + body


def trailer(data):
    """Returns the end of the kernel's records in a file whose first record is the attr."""
    sample_type = struct.unpack_from("<Q", data, 16 + 8 + 24)[0]
    return bytes(8 * bin(sample_type & 0x102c6).count("1"))


def mmap2(data, size, name=b"/bin/ls\0"):
    """Returns a mapping with a build-id of so many bytes."""
    body = struct.pack("<2I3Q", 1, 1, 0x1000, 0x1000, 0) + bytes([size, 0, 0, 0]) + bytes(20) + struct.pack("<2I", 5, 2)
    return record(10, body + name + trailer(data), 1 << 14)


def with_type(data, sample_type):
    """Returns the file with another sample_type in all of its attrs."""
    out, at = bytearray(data), 16
    while at < len(out):
        kind, _, size = struct.unpack_from("<IHH", out, at)
        if kind == 64:
            struct.pack_into("<Q", out, at + 8 + 24, sample_type)
        at += size
    return bytes(out)


def other_types(data):
    """Returns the file with another sample_type, and no identifier, in its second attr."""
    out = bytearray(with_type(data, 1))
    second = 16 + struct.unpack_from("<IHH", out, 16)[2]
    struct.pack_into("<Q", out, second + 8 + 24, 3)
    return bytes(out)


REFUSED = {
    "record-without-size": lambda d: d + struct.pack("<IHH", 9, 0, 4),
    "feature-string-too-long": lambda d: d + record(80, struct.pack("<QI", 9, 1 << 30) + b"x\0"),
    "feature-string-without-end": lambda d: d + record(80, struct.pack("<QI", 9, 4) + b"abcd"),
    "event-with-too-many-ids": lambda d: d + record(80, struct.pack("<Q2I", 12, 1, 8) + bytes(8) + struct.pack("<I", 1 << 31)),
    "pmus-too-many": lambda d: d + record(80, struct.pack("<QI", 16, 1 << 31)),
    "compressed-too-large": lambda d: d + record(83, struct.pack("<Q", 1 << 40) + b"(\xb5/\xfd"),
    "compressed-is-none": lambda d: d + record(81, b"text" * 8),
    "events-without-identifier": other_types,
    "no-event": lambda d: d[:16],
}
LEFT_OUT = {
    "build-id-too-long": lambda d: d + mmap2(d, 21),
    "name-without-end": lambda d: d + mmap2(d, 20, b"/bin/ls!"),
    "callchain-wraps": lambda d: with_type(d, IDENTIFIER | CALLCHAIN) +
    record(9, struct.pack("<2Q", 0, (1 << 61) + 1) + bytes(16)),
    "sample-cut": lambda d: d + record(9, bytes(8)),
}
CUT = {
    "last-record-cut": lambda d: d + record(9, b"", size=64),
    "text-and-cut": lambda d: d + b"[ perf record: Woken up 1 times ]\n" + record(9, b"", size=64)[:7],
    "text-behind": lambda d: d + b"[ perf record: Woken up 1 times ]\n[ perf record: Captured and wrote 1 MB - ]\n",
}
LOST = {
    "lost": lambda d: d + record(2, struct.pack("<2Q", 0, 7) + trailer(d)) + record(13, struct.pack("<Q", 5) + trailer(d)),
    "throttled": lambda d: d + record(5, bytes(24) + trailer(d)),
}
if len(sys.argv) == 2:
    print(*REFUSED, *(f"+{name}" for name in LEFT_OUT))
    sys.exit()
with open(sys.argv[1], "rb") as file:
    content = file.read()
with open(sys.argv[3], "wb") as file:
    file.write({**REFUSED, **LEFT_OUT, **CUT, **LOST}[sys.argv[2]](content))
