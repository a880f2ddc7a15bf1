#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Runs a command and prints the CPU seconds of its busiest thread: longest_thread.py COMMAND...

The command cannot take less elapsed time than its busiest thread, whatever else the machine does. The kernel's counts
of the threads are read at short intervals, so that the last milliseconds of a thread can be missing.
"""
import os
import subprocess
import sys
import time

INTERVAL = 0.002


def read_times(folder, times):
    """Notes the CPU times of the process's threads, in ns."""
    try:
        for thread in os.listdir(folder):
            with open(f"{folder}/{thread}/schedstat", encoding="ascii") as file:
                times[thread] = int(file.read().split()[0])
    except (OSError, IndexError, ValueError):
        pass  # a thread, or the process, has ended


def main():
    process = subprocess.Popen(sys.argv[1:], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                               stderr=subprocess.DEVNULL)
    times = {}
    while process.poll() is None:
        read_times(f"/proc/{process.pid}/task", times)
        time.sleep(INTERVAL)
    print(f"{max(times.values(), default=0) / 1e9:.4f}")
    sys.exit(process.returncode)


main()
