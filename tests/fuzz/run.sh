#!/bin/sh
# Fuzzes the reader of traces, and for less time the readers of other files and of samples, for some
# seconds together, after replaying the inputs that once made them fail. Fails on any crash, hang or huge
# allocation, and keeps the input in build-fuzz/.
#
# usage: tests/fuzz/run.sh SECONDS [OPTIMISATION]
set -eu
cd "$(dirname "$0")/../.."
seconds=${1:?usage: tests/fuzz/run.sh SECONDS [OPTIMISATION]}
build=build-fuzz
flags="-std=gnu11 -D_GNU_SOURCE -DTRACELAB_VERSION=\"fuzz\" -I. -gline-tables-only ${2:--O1} -pthread -Wall -Wextra"
sanitize="-fsanitize=address,undefined -fno-sanitize-recover=undefined"
export ASAN_OPTIONS=quarantine_size_mb=16

rm -rf $build/seeds $build/file-seeds $build/sample-seeds $build/format
mkdir -p $build/format $build/seeds $build/corpus $build/file-seeds $build/file-corpus $build/sample-seeds \
	$build/sample-corpus tests/fuzz/crashes tests/fuzz/file-crashes tests/fuzz/sample-crashes
format=$(find traceformat -name '*.c' -not -path '*/x86_64/*')
for source in $format; do
	object=${source##*/}
	clang $flags $sanitize -fsanitize=fuzzer-no-link -c -o $build/format/${object%.c}.o $source
done
clang $flags $sanitize -fsanitize=fuzzer -o $build/fuzz_reader tests/fuzz/fuzz_reader.c \
	tests/fuzz/mutate.c tests/fuzz/loose_trace.c $build/format/*.o -lzstd -lxxhash
clang $flags $sanitize -fsanitize=fuzzer-no-link -o $build/make_seeds tests/fuzz/make_seeds.c \
	tests/unit/traces/modelled_trace.c tests/unit/traces/random/*.c $build/format/*.o -lzstd -lxxhash
$build/make_seeds $build/seeds
for golden in tests/golden/v*/sample*.trace; do	# versions have the same names
	cp "$golden" "$build/seeds/$(basename "$(dirname "$golden")")-${golden##*/}"
done
simpoint=analyzers/simpoint
clang $flags $sanitize -fsanitize=fuzzer -o $build/fuzz_files tests/fuzz/fuzz_files.c \
	$simpoint/bb_file.c $simpoint/bb_line.c $simpoint/matrix_file.c $simpoint/origin.c $simpoint/parallel.c \
	$simpoint/pc_file.c $simpoint/plan_file.c $simpoint/project.c $simpoint/random.c \
	cli/common/unpack.c analyzers/mica/alloc.c cli/common/checked.c \
	analyzers/mica/config.c analyzers/mica/config_log.c analyzers/mica/itypes_groups.c \
	analyzers/mica/latencies.c recorder/program/elf_*.c recorder/program/plt.c recorder/program/unwind.c traceformat/common/named_file.c \
	traceformat/common/foreign.c cli/common/read_line.c -ljansson -lzstd -lz -llzma -lbz2 -ldw -lelf -lm
tests/fuzz/make_file_seeds.sh $build/file-seeds
clang $flags $sanitize -fsanitize=fuzzer -o $build/fuzz_samples tests/fuzz/fuzz_samples.c \
	recorder/import/ibs_toolkit.c recorder/samples/images.c recorder/import/import.c recorder/import/import_meta.c \
	recorder/samples/numbers.c recorder/samples/perf_events.c recorder/import/perf_feature.c \
	recorder/import/perf_file.c recorder/samples/perf_sample.c recorder/samples/pmu.c \
	recorder/samples/sink.c recorder/samples/text_symbols.c recorder/program/elf_*.c recorder/program/plt.c recorder/program/unwind.c \
	analyzers/ibs/packet/decode.c analyzers/ibs/packet/packet.c $build/format/*.o -ldw -lelf -lzstd -lxxhash
tests/fuzz/make_sample_seeds.sh $build/sample-seeds

# fuzz PROGRAM CORPUS SEEDS CRASHES SECONDS: 0 seconds would be no limit.
fuzz() {
	limits="-rss_limit_mb=2048 -timeout=60 -artifact_prefix=$build/"
	$build/"$1" $limits -runs=0 "$4"
	$build/"$1" $limits -max_total_time="$5" -max_len=65536 -print_final_stats=1 "$2" "$3" "$4"
}
fuzz fuzz_files $build/file-corpus $build/file-seeds tests/fuzz/file-crashes $((seconds / 3 + 1))
fuzz fuzz_samples $build/sample-corpus $build/sample-seeds tests/fuzz/sample-crashes $((seconds / 4 + 1))
fuzz fuzz_reader $build/corpus $build/seeds tests/fuzz/crashes $((seconds - seconds / 3 - seconds / 4))
