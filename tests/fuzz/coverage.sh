#!/bin/bash
# SPDX-License-Identifier: MIT
# Measures which lines of the readers the fuzzers reach from their seeds in a short run, and prints the table of
# tests/README.md with these shares: coverage.sh [SECONDS], of which each fuzzer gets as many.
set -eu
cd "$(dirname "$0")/../.."
seconds=${1:-60} build=build-cover
flags=(-fprofile-instr-generate -fcoverage-mapping)
rm -rf $build/profiles $build/input-seeds
tests/fuzz/build.sh $build -O1 "${flags[@]}"
env -u MAKEFLAGS -u MAKELEVEL make -s -j2 BUILD=$build CC=clang CFLAGS="-gline-tables-only -O1" \
	SANITIZE="-fsanitize=fuzzer-no-link ${flags[*]}" all $build/tests/fuzz_commands $build/tests/fuzz_inputs
export LLVM_PROFILE_FILE=$PWD/$build/profiles/%8m.profraw
tests/fuzz/make_input_seeds.sh $build/bin $build/input-seeds

# A corpus of an earlier run counts: `make fuzz` keeps it.
for fuzzer in fuzz_files fuzz_samples fuzz_reader fuzz_isa fuzz_names fuzz_modules; do
	mkdir -p $build/corpus/$fuzzer
	$build/$fuzzer -close_fd_mask=2 -max_total_time="$seconds" -max_len=65536 $build/corpus/$fuzzer \
		$build/seeds/$fuzzer >/dev/null 2>&1
done
$build/tests/fuzz_commands -s 1 -t "$seconds" $build/bin $build/faults tests/golden/v*/*.trace || true
$build/tests/fuzz_inputs -s 1 -t "$seconds" $build/bin $build/faults $build/input-seeds/* || true

llvm-profdata-14 merge -o $build/profile $build/profiles/*.profraw
objects=()
for program in $build/fuzz_* $build/bin/*; do
	objects+=(-object "$program")
done
llvm-cov-14 export -summary-only -instr-profile=$build/profile "${objects[@]}" >$build/coverage.json
/usr/bin/python3 -B tests/fuzz/readers.py coverage $build/coverage.json
