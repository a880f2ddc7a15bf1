# SPDX-License-Identifier: MIT
"""variant.py PERF_DATA pipe|packed OUT: pipe: the file as perf record would have written it to a pipe; packed: with its
records compressed, in two pieces that split a record."""
import struct
import sys

import zstandard

source, how, out = sys.argv[1:]
with open(source, "rb") as file:
    data = file.read()
attr_size, attrs, attrs_size, start, size = struct.unpack_from("<5Q", data, 16)
bits = int.from_bytes(data[72:104], "little")


def record(kind, body):
    """Returns a record of perf itself."""
    return struct.pack("<IHH", kind, 0, 8 + len(body)) + body


written = [struct.pack("<8sQ", b"PERFILE2", 16)]
for at in range(attrs, attrs + attrs_size, attr_size):
    ids, ids_size = struct.unpack_from("<QQ", data, at + attr_size - 16)
    own = struct.unpack_from("<I", data, at + 4)[0]
    written.append(record(64, data[at:at + own] + data[ids:ids + ids_size]))
for i, feature in enumerate(bit for bit in range(256) if bits >> bit & 1):
    offset, length = struct.unpack_from("<QQ", data, start + size + 16 * i)
    written.append(record(80, struct.pack("<Q", feature) + data[offset:offset + length]))
records = data[start:start + size]
if how == "packed":
    packer = zstandard.ZstdCompressor().compressobj()
    half = len(records) // 2 | 1
    written.append(record(81, packer.compress(records[:half]) + packer.flush(zstandard.COMPRESSOBJ_FLUSH_BLOCK)))
    written.append(record(81, packer.compress(records[half:]) + packer.flush(zstandard.COMPRESSOBJ_FLUSH_FINISH)))
else:
    written.append(records)
with open(out, "wb") as file:
    file.write(b"".join(written))
