#!/bin/bash
# SPDX-License-Identifier: MIT
# Kernel services of all kinds in test suites of other tools: signals, interrupted system calls, threads, processes,
# memory, descriptors, settings of the process.
. "$(dirname "$0")/programs.sh"

behaves signal_actions
behaves restarts --follow
behaves thread_lives --follow
behaves process_trees --follow
behaves process_trees
behaves memory_maps --follow
behaves events --follow
behaves exec_by_fd --follow
behaves landlock --follow
behaves personalities --follow
behaves prctls --follow
behaves self_access --follow
behaves special_memory --follow
behaves protection_keys --follow

# Thread-local storage of each model, in libraries that come and go
libraries=()
for option in -ftls-model={global-dynamic,local-dynamic,initial-exec} -mtls-dialect=gnu2 -DSIZE=5000; do
	gcc -O1 -shared -fPIC "$option" -o "lib$option.so" "$tests/full/programs/tls_library.c" &&
		libraries+=("./lib$option.so")
done
compiled tls_models && alike tls_models -- ./tls_models "${libraries[@]}"
