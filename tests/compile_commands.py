#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Turns the commands that `make -Bn V=1` prints into compile_commands.json."""
import json
import os
import shlex
import sys

entries = []
for line in sys.stdin:
    try:
        words = shlex.split(line)
    except ValueError:
        continue
    if "-c" in words and "-o" in words and words[-1].endswith(".c"):
        entries.append({"directory": os.getcwd(), "file": words[-1], "arguments": words,
                        "output": words[words.index("-o") + 1]})
json.dump(entries, sys.stdout, indent=1)
print()
