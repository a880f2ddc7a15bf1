"""Changes a file of partial results (analyzers/PARTIAL.md), with the right hashes: edit_partial.py CHANGE FROM TO."""
import ctypes
import struct
import sys

zstd = ctypes.CDLL('libzstd.so.1')
zstd.ZSTD_compressBound.restype = zstd.ZSTD_compress.restype = zstd.ZSTD_decompress.restype = ctypes.c_size_t
zstd.ZSTD_compressBound.argtypes = [ctypes.c_size_t]
zstd.ZSTD_compress.argtypes = [ctypes.c_char_p, ctypes.c_size_t, ctypes.c_char_p, ctypes.c_size_t, ctypes.c_int]
zstd.ZSTD_decompress.argtypes = [ctypes.c_char_p, ctypes.c_size_t, ctypes.c_char_p, ctypes.c_size_t]
xxhash = ctypes.CDLL('libxxhash.so.0')
xxhash.XXH3_64bits.restype = ctypes.c_uint64
xxhash.XXH3_64bits.argtypes = [ctypes.c_char_p, ctypes.c_size_t]

change, source, target = sys.argv[1:]
with open(source, 'rb') as file:
    header, stored = bytearray(file.read(64)), file.read()
size = struct.unpack_from('<Q', header, 32)[0]
buffer = ctypes.create_string_buffer(size)
assert zstd.ZSTD_decompress(buffer, size, stored, len(stored)) == size
payload = bytearray(buffer.raw)
name = payload[0]   # the length of the analyzer's name, as a varint

if change == 'format':
    struct.pack_into('<H', header, 12, 2)
elif change == 'version':
    payload[1 + name] += 1
elif change == 'uuid':
    payload[2 + name] ^= 1
elif change == 'layout':
    payload[18 + name] ^= 1
elif change == 'name':
    payload[1:1 + name] = b'trace-' + b'/' * (name - 6)
elif change == 'short':
    payload = payload[:-1]
elif change == 'long':
    payload += b'\0'

size = len(payload)
buffer = ctypes.create_string_buffer(zstd.ZSTD_compressBound(size))
n_stored = zstd.ZSTD_compress(buffer, len(buffer), bytes(payload), size, 3)
stored = buffer.raw[:n_stored]
struct.pack_into('<QQQ', header, 32, size, len(stored), xxhash.XXH3_64bits(stored, len(stored)))
struct.pack_into('<Q', header, 56, xxhash.XXH3_64bits(bytes(header[:56]), 56))
with open(target, 'wb') as file:
    file.write(header + stored)
