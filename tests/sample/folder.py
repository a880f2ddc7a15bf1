# SPDX-License-Identifier: MIT
"""folder.py PERF_DATA N FOLDER: the records of a perf.data file as perf record --threads would have written them to a
folder with N files beside the one with the header: every Nth record into each, the last file's records compressed."""
import os
import struct
import sys

import zstandard

source, parts, folder = sys.argv[1], int(sys.argv[2]), sys.argv[3]
with open(source, "rb") as file:
    data = bytearray(file.read())
offset, size = struct.unpack_from("<2Q", data, 40)
streams, at, turn = [bytearray() for _ in range(parts)], offset, 0
while at < offset + size:
    length = struct.unpack_from("<IHH", data, at)[2]
    streams[turn % parts] += data[at:at + length]
    at, turn = at + length, turn + 1
packed = zstandard.ZstdCompressor().compress(bytes(streams[-1]))
streams[-1] = struct.pack("<IHHQ", 83, 0, 16 + len(packed) + -len(packed) % 8, len(packed)) + packed + bytes(-len(packed) % 8)

# Builds perf's header with one record of perf's own and no features but the mark of a folder: feature 24, a version.
header = data[:offset]
struct.pack_into("<Q", header, 48, 8)
header[72:104] = (1 << 24).to_bytes(32, "little")
header += struct.pack("<IHH", 68, 0, 8) + struct.pack("<2Q", offset + 24, 8) + struct.pack("<Q", 1)
os.makedirs(folder)
for name, content in [("data", header)] + [(f"data.{i}", stream) for i, stream in enumerate(streams)]:
    with open(os.path.join(folder, name), "wb") as file:
        file.write(content)
