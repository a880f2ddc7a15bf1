#!/bin/sh
# Fuzzes the reader of traces, and for half as long the readers of other files, for some seconds
# together, after replaying the inputs that once made them fail. Fails on any crash, hang or huge
# allocation, and keeps the input in build-fuzz/.
#
# usage: tests/fuzz/run.sh SECONDS
set -eu
cd "$(dirname "$0")/../.."
seconds=${1:?usage: tests/fuzz/run.sh SECONDS}
build=build-fuzz
flags="-std=gnu11 -D_GNU_SOURCE -DTRACELAB_VERSION=\"fuzz\" -I. -g -O1 -pthread -Wall -Wextra"
sanitize="-fsanitize=address,undefined -fno-sanitize-recover=undefined"
export ASAN_OPTIONS=quarantine_size_mb=16

rm -rf $build/seeds $build/file-seeds
mkdir -p $build/seeds $build/corpus $build/file-seeds $build/file-corpus \
	tests/fuzz/crashes tests/fuzz/file-crashes
clang $flags $sanitize -fsanitize=fuzzer -o $build/fuzz_reader tests/fuzz/fuzz_reader.c \
	tests/fuzz/mutate.c traceformat/*.c -lzstd -lxxhash
clang $flags -o $build/make_seeds tests/fuzz/make_seeds.c traceformat/*.c -lzstd -lxxhash
$build/make_seeds $build/seeds
simpoint=analyzers/simpoint
clang $flags $sanitize -fsanitize=fuzzer -o $build/fuzz_files tests/fuzz/fuzz_files.c \
	$simpoint/bb_file.c $simpoint/bb_line.c $simpoint/matrix_file.c $simpoint/parallel.c \
	$simpoint/pc_file.c $simpoint/plan_file.c $simpoint/project.c $simpoint/random.c \
	$simpoint/unpack.c analyzers/mica/alloc.c \
	analyzers/mica/config.c analyzers/mica/itypes_groups.c analyzers/mica/latencies.c \
	recorder/elf_file.c -ljansson -lzstd -lz -lelf -lm
tests/fuzz/make_file_seeds.sh $build/file-seeds

# fuzz PROGRAM CORPUS SEEDS CRASHES SECONDS
fuzz() {
	limits="-rss_limit_mb=2048 -timeout=60 -artifact_prefix=$build/"
	$build/"$1" $limits -runs=0 "$4"
	$build/"$1" $limits -max_total_time="$5" -max_len=65536 -print_final_stats=1 "$2" "$3" "$4"
}
fuzz fuzz_files $build/file-corpus $build/file-seeds tests/fuzz/file-crashes $((seconds / 3))
fuzz fuzz_reader $build/corpus $build/seeds tests/fuzz/crashes $((seconds - seconds / 3))
