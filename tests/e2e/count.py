#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Counts the lines of trace-dump --format=jsonl, and compares the totals with those of trace-info.

usage: count.py INFO.json <DUMP.jsonl
"""
import json
import sys


def count(lines):
    total = dict.fromkeys(("instructions", "loads", "stores", "prefetches", "opaque", "events",
                           "threads", "processes"), 0)
    for item in map(json.loads, lines):
        if item["type"] == "event":
            total["events"] += 1
            total["threads"] += item["event"] == "thread-start"
            total["processes"] += item["event"] == "process-start"
            continue
        total["instructions"] += 1
        total["opaque"] += "opaque" in item
        for operand in item["mem"]:
            for kind, key in (("load", "loads"), ("store", "stores"), ("prefetch", "prefetches")):
                if kind in operand["kind"]:
                    total[key] += operand["count"]
    return total


def main():
    counted = count(sys.stdin)
    with open(sys.argv[1], encoding="utf-8") as file:
        info = json.load(file)
    if counted["instructions"] == 0:
        sys.exit("the listing has no instruction")
    faults = [f"{key}: {number} listed, trace-info says {info.get(key)}"
              for key, number in counted.items() if info.get(key) != number]
    sys.exit("\n".join(faults) or None)


main()
