#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Cuts ranges out of a trace and compares them with it, line by line of their dumps.

usage: cut_agrees.py BIN TRACE FOLDER SEED [RANGES]
For each thread of the trace, and for all of them, RANGES ranges by chance are cut, with and without warming
up; each slice must verify, and its dump be that range of the trace's dump: every instruction, its
addresses, and the events between them.
"""
import json
import random
import subprocess
import sys

CLOSING = ("syscall", "thread-exit", "process-exit")
STATE = ("thread-start", "process-start", "exec", "mapping", "segment-base")
INDICES = ("ordinal", "index", "module", "region", "function")


def run(*words):
    done = subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    if done.returncode:
        sys.exit("%s: %s" % (" ".join(words), done.stderr.decode(errors="replace")))
    return done.stdout.decode(errors="replace")


def dump(bin, trace, *options):
    lines = [json.loads(line) for line in run(bin + "/trace-dump", "--format=jsonl", *options, trace).splitlines()]
    return [line for line in lines if line["type"] in ("insn", "event")]


def plain(line, base):
    """Returns a line without indices, which may differ, and with its place in the slice."""
    kept = {k: v for k, v in line.items() if k not in INDICES}
    return line["ordinal"] - base, kept


def threads_of(lines):
    return sorted({line["thread"] for line in lines})


def expected(lines, first, end, at_end):
    """Returns the lines of a thread in its slice: events at both ends go with the instruction they belong to."""
    kept, opening, closing = [], True, True
    for line in lines:
        event = line["type"] == "event"
        at = line["ordinal"]
        if event and at == first and first:
            opening = opening and line["event"] in CLOSING
            if opening:
                continue
        if event and at == end and not (at < end):
            closing = closing and line["event"] in CLOSING
            if not closing and not at_end:
                continue
        elif not first <= at < end:
            continue
        kept.append(plain(line, first))
    return kept


def without_ours(lines, first, length, open_regions):
    """Returns a slice's lines without the events of the state before the slice, and without its own marks."""
    kept, before = [], first > 0
    for line in lines:
        event = line.get("event")
        if event in ("region-begin", "region-end") and line["name"] in ("warmup", "simulation"):
            continue
        if before:
            if event in STATE:
                continue
            before = False
            if event == "gap":
                continue
        kept.append(line)
    if kept and kept[-1].get("event") == "gap" and kept[-1]["ordinal"] == length and kept[-1]["reason"] == "skipped":
        kept.pop()
    return [line for line in kept if not (line.get("event") in ("region-begin", "region-end") and
                                          line["name"] in open_regions)]


def compare(name, thread, old, new, first, end, total):
    regions = {line["name"] for line in old if line.get("event") == "region-begin"}
    wanted = [item for item in expected(old, first, end, end == total) if item[1].get("event") not in
              ("region-begin", "region-end") or item[1]["name"] not in regions]
    if end == total and wanted and wanted[-1][1].get("event") == "gap" and wanted[-1][1].get("reason") == "skipped":
        wanted.pop()
    got = [plain(line, 0) for line in without_ours(new, first, end - first, regions)]
    if first == 0 and end == total:
        got = [plain(line, 0) for line in new if line.get("name") not in ("warmup", "simulation") and
               line.get("name") not in regions]
        wanted = [item for item in wanted if item[1].get("name") not in regions]
    if got and got[-1][1].get("event") == "gap" and end == total and got[-1][1].get("reason") == "skipped":
        got.pop()
    for i, (a, b) in enumerate(zip(wanted, got)):
        if a != b:
            sys.exit("%s, thread %d, line %d: expected %s, found %s" % (name, thread, i, a, b))
    if len(wanted) != len(got):
        more = (wanted + got)[min(len(wanted), len(got))]
        sys.exit("%s, thread %d: expected %d lines, found %d; %s" % (name, thread, len(wanted), len(got), more))


def check_regions(name, new, warmup, length):
    marks = [(line["ordinal"], line["event"], line["name"]) for line in new
             if line.get("name") in ("warmup", "simulation")]
    wanted = [(warmup, "region-begin", "simulation"), (length, "region-end", "simulation")]
    if warmup:
        wanted = [(0, "region-begin", "warmup"), (warmup, "region-end", "warmup")] + wanted
    if marks != wanted:
        sys.exit("%s: regions are %s, not %s" % (name, marks, wanted))


def reached(merged, steps):
    """Returns how many instructions each thread has executed after so many of the merged order."""
    count = {}
    for line in merged:
        if steps == 0:
            break
        if line["type"] == "insn":
            count[line["thread"]] = count.get(line["thread"], 0) + 1
            steps -= 1
    return count


def main():
    bin, trace, folder, seed = sys.argv[1:5]
    rounds = int(sys.argv[5]) if len(sys.argv) > 5 else 6
    chance = random.Random(int(seed))
    merged = dump(bin, trace)
    by_thread = {t: [line for line in merged if line["thread"] == t] for t in threads_of(merged)}
    totals = {t: sum(line["type"] == "insn" for line in lines) for t, lines in by_thread.items()}
    slices = 0

    def cut(thread, first, count, warmup):
        out = folder + "/slice.trace"
        words = [bin + "/trace-cut", "-q", "--force", "--from=%d" % (first + warmup), "--count=%d" % (count - warmup),
                 "--warmup=%d" % warmup, "-o", out, trace]
        run(*words, *([] if thread is None else ["--thread=%d" % thread]))
        run(bin + "/trace-verify", "-q", out)
        return dump(bin, out), "%s [%d, %d)" % (trace, first, first + count)

    def ranges(total):
        yield 0, total, 0
        for _ in range(rounds):
            first = chance.randrange(total)
            count = min(total - first, chance.choice((1, 2, 7, 60, 1000, total)))
            yield first, count, chance.randrange(count) if chance.random() < 0.5 else 0

    for thread, lines in by_thread.items():
        if totals[thread] == 0:
            continue
        for first, count, warmup in ranges(totals[thread]):
            new, name = cut(thread, first, count, warmup)
            others = [line for line in new if line["thread"] != thread]
            if others:
                sys.exit("%s: has lines of another thread: %s" % (name, others[0]))
            compare(name, thread, lines, new, first, first + count, totals[thread])
            check_regions(name, new, warmup, count)
            slices += 1
    if len(by_thread) > 1:
        for first, count, warmup in ranges(sum(totals.values())):
            new, name = cut(None, first, count, warmup)
            before, behind = reached(merged, first), reached(merged, first + count)
            for thread, lines in by_thread.items():
                a, b = before.get(thread, 0), behind.get(thread, 0)
                if a < b:
                    compare(name, thread, lines, [line for line in new if line["thread"] == thread], a, b,
                            totals[thread])
            order = [line["thread"] for line in merged if line["type"] == "insn"][first:first + count]
            if order != [line["thread"] for line in new if line["type"] == "insn"]:
                sys.exit("%s: threads are in another order" % name)
            slices += 1
    print("%d slices" % slices)


main()
