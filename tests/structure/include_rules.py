#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Checks the includes between the project's files.

usage: include_rules.py ROOT
Prints a line for each fault, and ends with status 1 if there is one:
- a file includes a file of a folder that the row of its own folder does not have;
- a row has a folder that does not stand below it, so that folders could include each other in a circle;
- units include each other in a circle;
- the rows of recorder/ are not those of the table in recorder/README.md.
"""
import os
import re
import sys

# From top to bottom: a folder, and the folders whose files its files may include. A folder's own files are
# always allowed.
ROWS = """
examples
cli: cli/anonymise cli/compare cli/info cli/filter cli/dump cli/export cli/verify cli/record cli/sample cli/import cli/analyze cli/report recorder/launch recorder/import cli/common traceformat
cli/anonymise: cli/common traceformat
cli/compare: cli/common traceformat
cli/info: cli/common traceformat
cli/filter: cli/common traceformat
cli/dump: cli/common traceformat
cli/export: cli/common traceformat
cli/verify: cli/common traceformat
cli/record: recorder cli/common traceformat
cli/sample: cli/common
cli/import: recorder/import cli/common traceformat
cli/analyze: analyzers/simpoint cli/common traceformat
cli/report: cli/common

analyzers: analyzers/bbv analyzers/calls/models analyzers/cache analyzers/calls analyzers/mica analyzers/mix analyzers/simpoint analyzers/slo/html analyzers/slo analyzers/stackdist
analyzers: analyzers/ibs/hardware analyzers/ibs/views analyzers/ibs/model analyzers/locality analyzers/common
analyzers: cli/common traceformat
analyzers/calls/models: analyzers/cache analyzers/calls analyzers/ibs/model analyzers/common cli/common traceformat
analyzers/simpoint: analyzers/bbv analyzers/locality analyzers/common cli/common traceformat
analyzers/bbv: analyzers/common cli/common traceformat
analyzers/cache: analyzers/calls analyzers/ibs/model analyzers/locality analyzers/program analyzers/common cli/common
analyzers/cache: traceformat traceformat/common
analyzers/calls: analyzers/program analyzers/common cli/common traceformat
analyzers/mica: analyzers/locality analyzers/common cli/common traceformat
analyzers/mix: cli/common traceformat
analyzers/stackdist: analyzers/locality analyzers/common cli/common traceformat
analyzers/slo/html: analyzers/slo cli/common traceformat
analyzers/slo: analyzers/locality analyzers/program analyzers/common cli/common traceformat traceformat/common
analyzers/ibs/hardware: analyzers/ibs/views analyzers/ibs/packet analyzers/common cli/common
analyzers/ibs/views: analyzers/ibs/model analyzers/ibs/packet analyzers/program analyzers/common cli/common
analyzers/ibs/model: analyzers/ibs/packet analyzers/locality cli/common traceformat traceformat/common
analyzers/ibs/packet: cli/common traceformat
analyzers/program: analyzers/common cli/common traceformat traceformat/common
analyzers/locality: analyzers/common cli/common traceformat
analyzers/common: cli/common traceformat

recorder: recorder/launch recorder/ptrace recorder/sampling recorder/program recorder/core
recorder/launch: recorder/ptrace recorder/sampling recorder/core
recorder/translate: recorder/translate/superblocks recorder/translate/records recorder/translate/thread
recorder/translate: recorder/translate/store
recorder/translate: recorder/translate/cache recorder/translate/emit recorder/ptrace recorder/sampling
recorder/translate: recorder/program recorder/core
recorder/translate/superblocks: recorder/translate/thread recorder/translate/cache recorder/translate/plan
recorder/translate/superblocks: recorder/translate/store recorder/ptrace recorder/program recorder/core
recorder/translate/records: recorder/translate/thread recorder/translate/emit recorder/translate/plan
recorder/translate/records: recorder/ptrace recorder/program recorder/core
recorder/translate/thread: recorder/translate/cache recorder/translate/emit recorder/ptrace recorder/program
recorder/translate/thread: recorder/samples recorder/core
recorder/translate/cache: recorder/translate/emit recorder/translate/plan recorder/ptrace recorder/program
recorder/translate/cache: recorder/translate/store recorder/core
recorder/translate/emit: recorder/translate/plan recorder/core
recorder/translate/plan: recorder/program
recorder/translate/store: recorder/program recorder/elf recorder/core
recorder/step: recorder/ptrace recorder/program recorder/core
recorder/ptrace: recorder/sampling recorder/program recorder/core
recorder/sampling: recorder/samples recorder/core
recorder/program: recorder/elf recorder/core
recorder/import: recorder/samples
recorder/core: recorder/samples
recorder/samples: recorder/elf
recorder/elf

cli/common: traceformat

traceformat/rewrite: traceformat/writer traceformat/replay traceformat/pack traceformat/reader traceformat/codings
traceformat/rewrite: traceformat/file traceformat/common
traceformat/replay: traceformat/pack traceformat/reader traceformat/codings traceformat/common
traceformat/pack: traceformat/reader traceformat/codings traceformat/dictionary traceformat/file traceformat/common
traceformat/writer: traceformat/codings traceformat/dictionary traceformat/file traceformat/common
traceformat/reader: traceformat/codings traceformat/dictionary traceformat/file traceformat/common
traceformat/codings: traceformat/dictionary traceformat/common
traceformat/dictionary
traceformat/file: traceformat/common
traceformat/common
traceformat/x86_64
traceformat
"""
TOPS = ("examples", "cli", "analyzers", "recorder", "traceformat")
# Folders that every folder of a top folder may include, too.
ALWAYS = {"cli": {"traceformat/common"}, "analyzers": {"traceformat/common"},
          "recorder": {"traceformat", "traceformat/common"}, "traceformat": {"traceformat"}}


def rows_of(text):
    rows = {}
    for line in text.split("\n"):
        folder, _, allowed = line.partition(":")
        if folder:
            rows.setdefault(folder, []).extend(allowed.split())
    return rows


def includes_of(root):
    """Returns the files that each file includes, by path."""
    found = {}
    for top in TOPS:
        for folder, _, names in os.walk(os.path.join(root, top)):
            for name in names:
                if name.endswith((".c", ".h", ".S")):
                    path = os.path.join(folder, name)
                    with open(path, errors="replace") as file:
                        found[os.path.relpath(path, root)] = re.findall(r'^[ \t]*#[ \t]*include[ \t]*"([^"]+)"',
                                                                       file.read(), re.M)
    for path, names in found.items():
        beside = [os.path.normpath(os.path.join(os.path.dirname(path), name)) for name in names]
        found[path] = [name if name in found else other for name, other in zip(names, beside)]
    return found


def unit_of(path):
    """Returns the unit of a file: its name without suffix; the header of a unit's own parts belongs to the unit."""
    folder, name = os.path.split(os.path.splitext(path)[0])
    if name == "internal":
        name = os.path.basename(folder)
    return os.path.join(folder, re.sub("_(internal|parts)$", "", name))


def circles(edges):
    """Returns the sets of nodes that reach each other."""
    reached = {}
    for node in edges:
        seen, ahead = set(), [node]
        while ahead:
            for other in edges.get(ahead.pop(), ()):
                if other not in seen:
                    seen.add(other)
                    ahead.append(other)
        reached[node] = seen
    return {tuple(sorted(other for other in edges if other in reached[node] and node in reached[other]))
            for node in edges if node in reached[node]}


def readme_rows(root):
    """Returns the table of folders in recorder/README.md."""
    with open(os.path.join(root, "recorder/README.md")) as file:
        cells = [[re.findall("`([^`]+)`", cell) for cell in line.split("|")[1:-1]]
                 for line in file if line.startswith("| `")]
    full = {folder[0]: os.path.normpath("recorder/" + folder[0]) for folder, _, _ in cells}
    return {full[folder[0]]: [full.get(name, name) for name in allowed] for folder, _, allowed in cells}


def faults_of(root):
    rows, includes = rows_of(ROWS), includes_of(root)
    folders, units = list(rows), {}
    for folder, allowed in rows.items():
        for other in allowed:
            if other not in rows or folders.index(other) <= folders.index(folder):
                yield "%s: its row has %s, which does not stand below it" % (folder, other)
    for path, names in sorted(includes.items()):
        folder = os.path.dirname(path)
        allowed = {folder, *rows.get(folder, ()), *ALWAYS.get(folder.split("/")[0], ())}
        if folder not in rows:
            yield "%s: its folder has no row" % path
        for name in names:
            if os.path.dirname(name) not in allowed:
                yield "%s: includes %s, which its folder may not" % (path, name)
            if name in includes and unit_of(name) != unit_of(path):
                units.setdefault(unit_of(path), set()).add(unit_of(name))
    for circle in sorted(circles(units)):
        yield "units include each other in a circle: " + " ".join(circle)
    mine = {folder: set(allowed) for folder, allowed in rows.items() if folder.split("/")[0] == "recorder"}
    table = {folder: set(allowed) for folder, allowed in readme_rows(root).items()}
    for folder in sorted(mine.keys() | table.keys()):
        if mine.get(folder) != table.get(folder):
            yield "%s: its row is not that of recorder/README.md" % folder


found = list(faults_of(sys.argv[1]))
for fault in found:
    print(fault)
sys.exit(1 if found else 0)
