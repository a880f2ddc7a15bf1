#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Compares a trace with the comments in an assembly program.

usage: expectations.py PROGRAM SOURCE.S DUMP.csv

PROGRAM is SOURCE.S assembled with -g, DUMP.csv is the output of trace-dump --format=csv for a
recording of it. The text behind `#` on the line of an instruction describes its expected executions,
one after the other, separated by `|`. Each has, in this order, all optional:

    [load 8 @sym+8]     its memory operands as trace-dump prints them; @expr is an address, a sum
                        of symbols and numbers; @? is any address
    bytes=90            its code bytes
    x3                  so many executions like this; 1 without it
    never               no execution
    -- name field=value the events that follow it up to the next instruction, with some of their
                        fields; a value may be @expr

An instruction without comment is executed once and has no memory operands. Events that are
not about single instructions (mappings, starts and ends) need not be named.
"""
import bisect
import csv
import re
import subprocess
import sys

UNNAMED = {"mapping", "time", "exec", "thread-start", "thread-exit", "process-start",
           "process-exit"}


class Symbols:
    def __init__(self, program):
        output = subprocess.run(["nm", program], check=True, text=True, capture_output=True)
        self.values = {fields[2]: int(fields[0], 16)
                       for fields in map(str.split, output.stdout.splitlines())
                       if len(fields) == 3}

    def address(self, expression):
        total = 0
        for sign, term in re.findall(r"([+-]?)\s*(\w+)", expression):
            value = int(term, 0) if term[0].isdigit() else self.values[term]
            total += -value if sign == "-" else value
        return f"{total % 2**64:#x}"


class Execution:
    """The observed or expected properties of one execution."""

    def __init__(self, mem="", code=None, events=()):
        self.mem, self.code, self.events = mem, code, list(events)

    def __str__(self):
        return " -- ".join([self.mem or "no operands"] + self.events)

    def is_met_by(self, actual):
        pattern = re.escape(self.mem).replace(r"@\?", "@0x[0-9a-f]+")
        return (re.fullmatch(pattern, actual.mem) is not None
                and self.code in (None, actual.code)
                and len(self.events) == len(actual.events)
                and all(expected.split()[0] == event.split()[0]
                        and set(expected.split()) <= set(event.split())
                        for expected, event in zip(self.events, actual.events)))


def parse(comment, symbols):
    """Returns the executions that a comment calls for."""
    executions = []
    for part in comment.split("|"):
        head, *events = part.split("-- ")
        events = [re.sub(r"=@(\S+)", lambda match: "=" + symbols.address(match[1]), event.strip())
                  for event in events]
        mem = " ".join(re.findall(r"\[.*?\]", head))
        words = re.sub(r"\[.*?\]", "", head).split()
        code, count = None, 1
        for word in words:
            if word == "never":
                count = 0
            elif re.fullmatch(r"x\d+", word):
                count = int(word[1:])
            elif word.startswith("bytes="):
                code = word[6:]
            else:
                sys.exit(f"'{word}' is not an expectation: {comment}")
        mem = re.sub(r"@([^]]*)", lambda match: "@" + ",".join(
            symbols.address(address) if address.strip("?") else address
            for address in match[1].split(",")), mem)
        executions += [Execution(mem, code, events)] * count
    return executions


def line_table(program):
    """Returns sorted lists of addresses and their line numbers."""
    output = subprocess.run(["objdump", "--dwarf=decodedline", program], check=True, text=True,
                            capture_output=True).stdout
    rows = sorted((int(address, 16), int(line)) for line, address in
                  re.findall(r"^\S+\.S\s+(\d+)\s+(0x[0-9a-f]+|0)\b", output, re.MULTILINE))
    return [row[0] for row in rows], [row[1] for row in rows]


def expected_executions(source, lines, symbols):
    with open(source, encoding="utf-8") as file:
        text = file.read().splitlines()
    comments = {i: line.split("#", 1)[1] for i, line in enumerate(text, 1)
                if "\t#" in line or " # " in line}
    for line in comments.keys() - set(lines):
        sys.exit(f"{source}:{line}: an expectation without an instruction")
    return {line: parse(comments.get(line, ""), symbols) for line in set(lines)}


def actual_executions(dump, addresses, lines):
    executions = {line: [] for line in lines}
    last = None
    with open(dump, encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            if row["type"] == "insn":
                line = lines[bisect.bisect_right(addresses, int(row["pc"], 16)) - 1]
                last = Execution(row["mem"], row["bytes"])
                executions[line].append(last)
            elif last and row["text"].split()[0] not in UNNAMED:
                last.events.append(row["text"])
    return executions


def main():
    program, source, dump = sys.argv[1:]
    symbols = Symbols(program)
    addresses, lines = line_table(program)
    expected = expected_executions(source, lines, symbols)
    actual = actual_executions(dump, addresses, lines)
    faults = 0
    for line in sorted(expected):
        if len(expected[line]) != len(actual[line]):
            print(f"{source}:{line}: {len(actual[line])} executions, "
                  f"expected {len(expected[line])}")
            faults += 1
            continue
        for turn, (want, have) in enumerate(zip(expected[line], actual[line]), 1):
            if not want.is_met_by(have):
                print(f"{source}:{line}: execution {turn} is {have} ({have.code}), "
                      f"expected {want}")
                faults += 1
    total = sum(map(len, actual.values()))
    print(f"{len(expected)} lines, {total} executions, {faults} faults")
    sys.exit(faults > 0 or total == 0)


main()
