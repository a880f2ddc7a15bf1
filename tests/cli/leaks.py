#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Searches a trace for secrets.

usage: leaks.py TRACE SECRET...
A secret is a text, or a number that begins with 0x. Prints the secrets that are found in the decompressed bytes of
any section or column, in the numbers of any encoding, or in the slots of any execution.
"""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from traceread import chunk, sections, trace  # noqa: E402
from traceread.encodings import CHUNK, COPIES  # noqa: E402

slots = set()


def noting(take_slots):
    """Returns a method that takes slots and keeps them."""
    def take(self, *arguments):
        taken = take_slots(self, *arguments)
        slots.update(taken)
        return taken
    return take


def varint(number):
    """Returns the bytes of a varint."""
    found = bytearray()
    while number >= 0x80:
        found.append(number & 0x7f | 0x80)
        number >>= 7
    return bytes(found + bytes([number]))


def forms(secret):
    """Returns the byte strings that show a secret."""
    if not secret.startswith("0x"):
        return [secret.encode()]
    number = int(secret, 16)
    size = 8 if number >> 32 else 4
    numbers = number, -number % (1 << 64), number << 1, (number << 1) - 1
    return [number.to_bytes(size, "little"), number.to_bytes(size, "big"),
            (-number % (1 << 8 * size)).to_bytes(size, "little"), secret[2:].encode()] + [varint(n % (1 << 64)) for n in numbers]


def contents(data):
    """Yields the bytes of a trace: the file as it is, and what is compressed in it."""
    yield data
    for section in sections.indexed(data) or sections.walked(data)[0]:
        if section.kind == CHUNK:
            yield from sections.columns(section).values()
        elif section.kind == COPIES:
            for _, copy in sections.copies(section):
                yield sections.payload(copy)
        else:
            yield sections.payload(section)


def main():
    """Runs the command."""
    with open(sys.argv[1], "rb") as file:
        data = file.read()
    chunk.Chunk.slots = noting(chunk.Chunk.slots)
    for _ in trace.Trace(data, False).merged():
        pass
    parts = list(contents(data))
    for secret in sys.argv[2:]:
        number = int(secret, 16) if secret.startswith("0x") else None
        if number in slots or any(form in part for form in forms(secret) for part in parts):
            print(secret)


main()
