#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Call paths of a static program by a simple model, which is compared with the result of trace-calls.

usage: calls_model.py PROGRAM TRACE.jsonl RESULT.json
PROGRAM is a static program of one thread, not PIE. TRACE.jsonl is the output of trace-dump --format=jsonl, and
RESULT.json that of trace-calls --format=json --threshold=0 --top=1000000. The model reads instructions from their
bytes and functions from nm, and matches returns by return addresses. Prints differences, and "same N paths" at
last.
"""
import bisect
import collections
import json
import subprocess
import sys


class Functions:
    """The functions of a program. Functions that share an address or a name are one, known by its first address."""

    def __init__(self, program):
        self.starts, self.ends, self.first = [], [], []
        spans, addresses = {}, {}
        for line in subprocess.run(["nm", "-S", program], capture_output=True, text=True, check=True).stdout.splitlines():
            fields = line.split()
            if len(fields) == 4 and fields[2] in "TtWwi":
                start, size = int(fields[0], 16), int(fields[1], 16)
                spans[start] = max(spans.get(start, 0), size)
                addresses.setdefault(fields[3], []).append(start)
        first = {start: start for start in spans}
        for _ in range(3):
            for same in addresses.values():
                least = min(first[start] for start in same)
                for start in same:
                    first[start] = least
        self.names = {name: first[same[0]] for name, same in addresses.items()}
        for start in sorted(spans):
            self.starts.append(start)
            self.ends.append(start + spans[start])
            self.first.append(first[start])

    def begins(self, pc):
        return pc in self.starts

    def of(self, pc):
        i = bisect.bisect_right(self.starts, pc) - 1
        return self.first[i] if i >= 0 and pc < self.ends[i] else None


def kind_of(code):
    """Returns "call", "return", "jump" (indirect) or None for the bytes of an instruction."""
    while code and code[0] in (0x66, 0xF2, 0xF3, 0x2E, 0x36, 0x3E, 0x26, 0x64, 0x65, 0x67):
        code = code[1:]
    if code and 0x40 <= code[0] <= 0x4F:
        code = code[1:]
    if not code:
        return None
    if code[0] == 0xE8:
        return "call"
    if code[0] in (0xC3, 0xC2):
        return "return"
    if code[0] == 0xFF and len(code) > 1:
        return {2: "call", 4: "jump"}.get(code[1] >> 3 & 7)
    return None


class Frame:
    def __init__(self, path, returns_to=None, signal=False):
        self.above, self.returns_to, self.signal = path, returns_to, signal
        self.function = "none"

    def path(self):
        return self.above + (self.function,)


def model(functions, lines):
    calls, exclusive = collections.Counter(), collections.Counter()
    frames = [Frame(())]
    last, jumped = None, False
    for line in lines:
        item = json.loads(line)
        if item["type"] == "event":
            if item["event"] == "signal" and int(item["handler"], 16):
                path = frames[-1].path() + ("[signal]",)
                calls[path] += 1
                frames.append(Frame(path, signal=True))
                last = None
            elif item["event"] == "sigreturn":
                while not frames.pop().signal:
                    pass
                last = None
            continue
        if item["type"] != "insn":
            continue
        pc, code = int(item["pc"], 16), bytes.fromhex(item["bytes"])
        jumped = False
        if last:
            kind, after = last
            if kind == "call":
                frames.append(Frame(frames[-1].path(), after))
            elif kind == "return":
                known = [i for i, f in enumerate(frames) if f.returns_to == pc]
                if known:
                    del frames[known[-1]:]
                jumped = not known
            elif kind == "jump":
                jumped = True
        function = functions.of(pc)
        frame = frames[-1]
        if function != frame.function:
            called = frame.function == "none" and len(frames) > 1
            begins = functions.begins(pc)
            live = [i for i, f in enumerate(frames) if f.function == function]
            if jumped and not called and not begins and live:
                del frames[live[-1] + 1:]
            else:
                frame.function = function
                calls[frame.path()] += called or begins
        exclusive[frames[-1].path()] += 1
        last = kind_of(code), pc + len(code)
    return calls, exclusive


def read_result(functions, name):
    with open(name, encoding="utf-8") as file:
        rows = json.load(file)["call_paths"]
    paths, calls, exclusive = {0: ()}, collections.Counter(), collections.Counter()
    inclusive = {}
    for row in rows:
        function = row["function"]
        if function != "[signal]":
            function = functions.names.get(function)
        path = paths[row["caller"]] + (function,)
        paths[row["path"]] = path
        assert row["depth"] == len(path)
        calls[path] += row["calls"]
        exclusive[path] += row["exclusive_instructions"]
        inclusive[path] = inclusive.get(path, 0) + row["inclusive_instructions"]
    for path, value in inclusive.items():
        below = sum(n for other, n in exclusive.items() if other[:len(path)] == path)
        if below != value:
            print(f"{path}: inclusive {value}, but {below} below it")
    return calls, exclusive


def main():
    functions = Functions(sys.argv[1])
    with open(sys.argv[2], encoding="utf-8") as lines:
        wanted = model(functions, lines)
    found = read_result(functions, sys.argv[3])
    for name, want, have in zip(("calls", "exclusive"), wanted, found):
        for path in sorted(set(want) | set(have), key=str):
            # A function that nm does not know has no known beginning.
            if want[path] != have[path] and (name == "exclusive" or path[-1] is not None):
                print(f"{name} of {path}: {have[path]} instead of {want[path]}")
    print("same", len(found[1]), "paths")


main()
