#!/bin/sh
# Fuzzes the reader for some seconds, after replaying the inputs that once made it fail. Fails on
# any crash, hang or huge allocation, and keeps the input in build-fuzz/.
#
# usage: tests/fuzz/run.sh SECONDS
set -eu
cd "$(dirname "$0")/../.."
seconds=${1:?usage: tests/fuzz/run.sh SECONDS}
build=build-fuzz
flags="-std=gnu11 -D_GNU_SOURCE -DTRACELAB_VERSION=\"fuzz\" -I. -g -O1 -pthread -Wall -Wextra"
sanitize="-fsanitize=address,undefined -fno-sanitize-recover=undefined"

mkdir -p $build/seeds $build/corpus tests/fuzz/crashes
clang $flags $sanitize -fsanitize=fuzzer -o $build/fuzz_reader tests/fuzz/fuzz_reader.c \
	tests/fuzz/mutate.c traceformat/*.c -lzstd -lxxhash
clang $flags -o $build/make_seeds tests/fuzz/make_seeds.c traceformat/*.c -lzstd -lxxhash
$build/make_seeds $build/seeds

export ASAN_OPTIONS=quarantine_size_mb=16
limits="-rss_limit_mb=2048 -timeout=20 -artifact_prefix=$build/"
$build/fuzz_reader $limits -runs=0 tests/fuzz/crashes
exec $build/fuzz_reader $limits -max_total_time="$seconds" -max_len=65536 -print_final_stats=1 \
	$build/corpus $build/seeds tests/fuzz/crashes
