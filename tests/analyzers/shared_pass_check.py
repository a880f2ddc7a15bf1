# SPDX-License-Identifier: MIT
"""Checks that the results of one pass (--also) are those of the same options on their own.

usage: shared_pass_check.py BIN INTERVAL TRACE [COMMAND=N]...
COMMAND=N: the command leaves out the result of number N, which needs a pass of its own.
"""
import json
import subprocess
import sys

BIN, INTERVAL, TRACE = sys.argv[1:4]
LEFT_OUT = {(word.partition("=")[0], int(word.partition("=")[2])) for word in sys.argv[4:]}
ROWS = "--interval=" + INTERVAL
RESULTS = {
    "trace-mix": ["--by=class", "--by=symbol --top=100", "--by=line", "--by=mnemonic --top=3", "--by=module",
                  "--by=total " + ROWS],
    "trace-calls": ["--threshold=0.05 --depth=1000", "--heap --top=5", "--syscalls"],
    "trace-stackdist": ["", "--accesses=reads+writes,fetches --cache-size=256,32Ki,1Mi",
                        "--accesses=reads+writes --cache-size=1Mi,32Ki " + ROWS, "--accesses=fetches --cache-size=4Ki"],
    "trace-ilp": ["--windows=32,unlimited", "--windows=32,unlimited --exact-intervals " + ROWS],
    "trace-ppm": ["", ROWS],
    "trace-footprint": ["--block-size=32", "--block-size=32 " + ROWS],
}


def run(command, *options):
    done = subprocess.run([f"{BIN}/{command}", "-q", "--format=json", *options, TRACE], stdout=subprocess.PIPE)
    return json.loads(done.stdout)


for command, texts in RESULTS.items():
    results = run(command, *texts[0].split(), *["--also=" + text for text in texts[1:]])
    assert len(results) == len(texts), command
    for number, (result, text) in enumerate(zip(results, texts)):
        if (command, number) in LEFT_OUT:
            assert result is None, (command, text)
        else:
            assert result == run(command, *text.split()), (command, text)
            assert ROWS not in text or len(result["intervals"]) > 3, (command, text)
