#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""An independent reader of the trace format, written only from traceformat/FORMAT.md.

Prints a trace as `trace-dump --format=jsonl` does: one instruction or event a line, in the merged
order of all threads or as one thread's stream. Damage ends it with a message and status 1.
"""

import argparse
import struct
import sys
from contextlib import redirect_stdout

import zstandard

from traceread.encodings import Damage, THREADS
from traceread.trace import Trace
from traceread.listing import info, listing, sample_listing


def load(name, walk):
    """Reads a trace; says if it is unfinished."""
    with open(name, "rb") as file:
        trace = Trace(file.read(), walk)
    if not trace.finished:
        print(f"reader.py: {name}: unfinished", file=sys.stderr)
    return trace


def each(name, folder):
    """Writes every listing of a trace into a file of its own: info, merged, walked, and that of each thread."""
    def write(file, what, *arguments):
        with open(f"{folder}/{file}", "w", encoding="utf-8") as out, redirect_stdout(out):
            what(*arguments)

    trace = load(name, walk=False)
    write("info", info, trace)
    write("merged", listing, trace, None)
    for thread in sorted(trace.records[THREADS]):
        write(f"thread.{thread}", listing, trace, thread)
    write("walked", listing, load(name, walk=True), None)


def main():
    """Runs the command."""
    parser = argparse.ArgumentParser(description="Print a trace as JSON lines.")
    parser.add_argument("trace")
    parser.add_argument("--thread", type=int, help="print this thread's stream alone")
    parser.add_argument("--walk", action="store_true", help="walk the sections, ignore INDEX")
    parser.add_argument("--samples", action="store_true", help="print the samples alone")
    parser.add_argument("--info", action="store_true", help="print totals alone")
    parser.add_argument("--each", metavar="FOLDER", help="write every listing into a file of this folder")
    arguments = parser.parse_args()
    sys.stdout.reconfigure(encoding="utf-8")
    try:
        if arguments.each:
            each(arguments.trace, arguments.each)
            return
        trace = load(arguments.trace, arguments.walk)
        if arguments.samples:
            sample_listing(trace)
        elif arguments.info:
            info(trace)
        else:
            listing(trace, arguments.thread)
    except (Damage, OSError, LookupError, struct.error, zstandard.ZstdError) as error:
        sys.exit(f"reader.py: error: {arguments.trace}: {error or type(error)}")


if __name__ == "__main__":
    main()
