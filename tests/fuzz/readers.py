# SPDX-License-Identifier: MIT
"""The table of readers in tests/README.md. readers.py check: names what is missing in it, or is there no more.
readers.py coverage JSON: prints the table with the lines that were reached, by an export of llvm-cov."""
import glob
import json
import os
import re
import sys

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
OPENS = re.compile(r"\b(fopen|open|openat|fdopen|json_load\w*|gzdopen|elf_begin|elf_memory|dwfl_report_offline|pread|fread|"
                   r"getline|getdelim|unpack_open|unpack_stream|named_file_open|open_input|sscanf|fscanf)\(")


def rows():
    """Yields the rows of the table: inputs, patterns of files, targets, share."""
    with open(os.path.join(ROOT, "tests/README.md")) as file:
        for line in file:
            cells = [cell.strip() for cell in line.strip().strip("|").split("|")]
            if line.startswith("| ") and len(cells) == 4 and "`" in cells[1]:
                yield cells[0], re.findall("`([^`]+)`", cells[1]), re.findall("`([^`]+)`", cells[2]), cells[3]


def files_of(pattern):
    path = os.path.join(ROOT, pattern)
    found = glob.glob(path + "/**/*.c", recursive=True) if os.path.isdir(path) else glob.glob(path)
    return {os.path.relpath(name, ROOT) for name in found}


def check():
    faults, listed = [], set()
    for _, patterns, targets, _ in rows():
        for pattern in patterns:
            listed |= files_of(pattern)
            if not files_of(pattern):
                faults.append(f"{pattern}: in the table, but there is no such file")
        for target in targets:
            if not os.path.exists(os.path.join(ROOT, "tests/fuzz", target + ".c")):
                faults.append(f"{target}: in the table, but there is no such fuzzer")
    for folder in "analyzers", "cli", "recorder", "traceformat":
        for name in sorted(files_of(folder) - listed):
            with open(os.path.join(ROOT, name)) as file:
                call = OPENS.search(re.sub(r"/\*.*?\*/", "", file.read(), flags=re.S))
            if call:
                faults.append(f"{name}: calls {call[1]}, but is not in the table of readers of tests/README.md")
    return faults


def coverage(path):
    with open(path) as file:
        lines = {os.path.relpath(f["filename"], ROOT): f["summary"]["lines"] for f in json.load(file)["data"][0]["files"]}
    for what, patterns, targets, _ in rows():
        found = [lines[name] for pattern in patterns for name in sorted(files_of(pattern)) if name in lines]
        total, reached = sum(f["count"] for f in found), sum(f["covered"] for f in found)
        share = f"{100 * reached // total} %" if total and targets else ""
        print(f"| {what} | {' '.join(f'`{p}`' for p in patterns)} | {' '.join(f'`{t}`' for t in targets) or 'none'} | {share} |")


if sys.argv[1:] == ["check"]:
    found = check()
    print("\n".join(found))
    sys.exit(bool(found))
elif len(sys.argv) == 3 and sys.argv[1] == "coverage":
    coverage(sys.argv[2])
else:
    sys.exit("usage: readers.py check | readers.py coverage JSON")
