# SPDX-License-Identifier: MIT
"""places.py JSONL THREADS: thread, time and address of the samples that trace-dump lists, as perf script has them."""
import json
import sys

threads = {row["thread"]: row["tid"] for row in json.loads(sys.argv[2])["thread_list"]}
with open(sys.argv[1], encoding="ascii") as file:
    for line in file:
        sample = json.loads(line)
        if sample["type"] == "sample":
            time = sample["time_ns"]
            print(threads[sample["thread"]], f"{time // 10**9}.{time % 10**9:09}", sample["ip"][2:])
