#!/bin/bash
# SPDX-License-Identifier: MIT
# Fuzzes the readers that are functions for some seconds together, after replaying the inputs that once made them
# fail. Fails on any crash, hang or huge allocation, and keeps the input in build-fuzz/.
#
# usage: tests/fuzz/run.sh SECONDS [FLAGS [FUZZER...]]
# FLAGS: further ones of clang, -O1 if none are given.
set -eu
cd "$(dirname "$0")/../.."
seconds=${1:?usage: tests/fuzz/run.sh SECONDS [FLAGS [FUZZER...]]}
build=build-fuzz flags=${2:--O1}
shift $(($# < 2 ? $# : 2))
[ $# -gt 0 ] || set -- fuzz_files fuzz_samples fuzz_reader fuzz_isa fuzz_names fuzz_modules
export ASAN_OPTIONS=quarantine_size_mb=16
tests/fuzz/build.sh $build -fsanitize=address,undefined -fno-sanitize-recover=undefined "$flags"
each=$((seconds / $# + 1)) # 0 would be no limit

for fuzzer; do
	corpus=$build/corpus/$fuzzer crashes=tests/fuzz/crashes/$fuzzer
	mkdir -p "$corpus"
	# Messages of the readers are not printed; those of sanitizers and of the fuzzer are.
	limits="-rss_limit_mb=2048 -timeout=60 -close_fd_mask=2 -artifact_prefix=$build/$fuzzer-"
	[ ! -d "$crashes" ] || $build/"$fuzzer" $limits -runs=0 "$crashes"
	$build/"$fuzzer" $limits -max_total_time=$each -max_len=65536 -print_final_stats=1 "$corpus" $build/seeds/"$fuzzer" \
		$([ ! -d "$crashes" ] || echo "$crashes")
done
