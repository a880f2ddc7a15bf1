#!/bin/bash
# SPDX-License-Identifier: MIT
# What programs ask of the kernel, of all kinds that test suites of other tools have: signals, system
# calls that are interrupted, threads, processes, memory.
. "$(dirname "$0")/programs.sh"

behaves signal_actions
behaves restarts --follow
behaves thread_lives --follow
behaves process_trees --follow
behaves process_trees
behaves memory_maps --follow
