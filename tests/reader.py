#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""An independent reader of the trace format, written only from traceformat/FORMAT.md.

Prints a trace as `trace-dump --format=jsonl` does: one instruction or event a line, in the merged
order of all threads or as one thread's stream. Damage ends it with a message and status 1.
"""

import argparse
import struct
import sys

import zstandard

from traceread.encodings import Damage
from traceread.trace import Trace
from traceread.listing import info, listing, sample_listing


def main():
    """Runs the command."""
    parser = argparse.ArgumentParser(description="Print a trace as JSON lines.")
    parser.add_argument("trace")
    parser.add_argument("--thread", type=int, help="print this thread's stream alone")
    parser.add_argument("--walk", action="store_true", help="walk the sections, ignore INDEX")
    parser.add_argument("--samples", action="store_true", help="print the samples alone")
    parser.add_argument("--info", action="store_true", help="print totals alone")
    arguments = parser.parse_args()
    sys.stdout.reconfigure(encoding="utf-8")
    try:
        with open(arguments.trace, "rb") as file:
            trace = Trace(file.read(), arguments.walk)
        if not trace.finished:
            print(f"reader.py: {arguments.trace}: unfinished", file=sys.stderr)
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
