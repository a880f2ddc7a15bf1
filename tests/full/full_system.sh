#!/bin/bash
# SPDX-License-Identifier: MIT
# Kernel services of all kinds in test suites of other tools: signals, interrupted system
# calls, threads, processes, memory.
. "$(dirname "$0")/programs.sh"

behaves signal_actions
behaves restarts --follow
behaves thread_lives --follow
behaves process_trees --follow
behaves process_trees
behaves memory_maps --follow
