#!/bin/bash
# SPDX-License-Identifier: MIT
# Builds the fuzzers that call readers as functions, and writes their seeds: build.sh FOLDER FLAG...
# The flags are clang's: optimization, sanitizers or coverage. Seeds of a fuzzer NAME are in FOLDER/seeds/NAME.
set -eu
cd "$(dirname "$0")/../.."
build=${1:?usage: build.sh FOLDER FLAG...}
shift
flags=$*
libraries='-lzstd -lxxhash -lZydis -lcapstone -ljansson -lz -llzma -lbz2 -ldw -lelf -liberty -lm'

# Compiling takes most of the time, so files that no fuzzer calls are compiled only if linking without them fails.
uncalled=$(echo traceformat/rewrite/{filter,join}*.c traceformat/rewrite/{run_counts,stream_source}.c \
	traceformat/reader/{called,excluded}.c traceformat/writer/{intervals,vectors}_writer.c \
	cli/common/{code_hash,columns,command_line,event_fields,file_set,http_file,jobs,loss,memory_watch,names}.c \
	cli/common/{output_trace,pack,report_join,report_tables,rewrite,save_file,sha256,shell_word,slice_meta}.c \
	cli/common/{stage,table_folder,trace_input,unfinished,write_page,zip_writer}.c)
# called FILE...: prints those that are not among the uncalled ones.
called() {
	printf '%s\n' "$@" | grep -vxF "$(printf '%s\n' $uncalled)"
}
format=$(called traceformat/{codings,common,dictionary,file,pack,reader,replay,rewrite,writer}/*.c)
isa=$(echo traceformat/x86_64/*.c)
common="$(called cli/common/*.c) $isa"
elf="$(echo recorder/elf/elf_*.c) recorder/elf/plt.c recorder/elf/unwind.c"
declare -A needs=(
	[fuzz_reader]="tests/fuzz/mutate.c tests/fuzz/mutate_trace.c tests/fuzz/trace_fields.c tests/fuzz/loose_trace.c $format"
	[fuzz_files]="analyzers/simpoint/bb_file.c analyzers/simpoint/bb_line.c analyzers/simpoint/matrix_file.c
		analyzers/simpoint/origin.c analyzers/common/parallel.c analyzers/simpoint/pc_file.c
		analyzers/simpoint/plan_file.c analyzers/simpoint/project.c analyzers/simpoint/random.c
		analyzers/simpoint/strata.c
		analyzers/mica/config.c analyzers/mica/config_log.c analyzers/mica/itypes_groups.c
		analyzers/mica/latencies.c analyzers/ibs/model/machine.c analyzers/cache/config.c
		analyzers/cache/machines.c
		analyzers/ibs/packet/events.c analyzers/ibs/packet/event_table.c analyzers/ibs/packet/packet.c
		analyzers/ibs/packet/where.c $common
		recorder/samples/text_symbols.c cli/record/points_plan.c
		recorder/translate/store/saved_program.c recorder/translate/store/saved_superblock.c
		recorder/translate/store/store_folder.c $format"
	[fuzz_samples]="recorder/import/ibs_toolkit.c recorder/import/import.c recorder/import/import_meta.c
		recorder/import/perf_feature.c recorder/import/perf_file.c recorder/samples/images.c
		recorder/samples/perf_events.c recorder/samples/perf_sample.c
		recorder/samples/pmu.c recorder/samples/sink.c recorder/samples/text_symbols.c
		analyzers/ibs/packet/decode.c analyzers/ibs/packet/packet.c $elf $format"
	[fuzz_isa]="cli/verify/second_decoder.c $isa"
	[fuzz_names]="analyzers/common/symbol_names.c $common $format"
	[fuzz_modules]="analyzers/common/debug_file.c analyzers/common/lines.c $common $elf $format"
	[make_seeds]="tests/unit/traces/modelled_trace.c $(echo tests/unit/traces/random/*.c) $format"
)

# The project's own rules compile, so that only changed files are compiled again.
objects() {
	local source
	for source; do
		echo "$build/obj/${source%.c}.o"
	done
}
all=()
for name in "${!needs[@]}"; do
	all+=($(objects "tests/fuzz/$name.c" ${needs[$name]}))
done
# compile OBJECT...
compile() {
	env -u MAKEFLAGS -u MAKELEVEL make -s -j2 BUILD="$build" CC=clang CFLAGS=-gline-tables-only \
		SANITIZE="-fsanitize=fuzzer-no-link $flags" $(printf '%s\n' "$@" | sort -u)
}
# link NAME [OBJECT...]: with further objects
link() {
	local name=$1
	shift
	[[ $name = make_* ]] && main=fuzzer-no-link || main=fuzzer
	clang $flags -fsanitize=$main -pthread -o "$build/$name" $(objects "tests/fuzz/$name.c" ${needs[$name]}) "$@" $libraries
}
compile "${all[@]}"
for name in "${!needs[@]}"; do
	link "$name" 2>"$build/link.log" && continue
	compile $(objects $uncalled)
	rm -f "$build/uncalled.a"
	ar rcs "$build/uncalled.a" $(objects $uncalled)
	link "$name" "$build/uncalled.a"
done

# ---- seeds ----
rm -rf "$build/seeds"
for name in reader files samples isa names modules; do
	mkdir -p "$build/seeds/fuzz_$name"
done
"$build/make_seeds" "$build/seeds/fuzz_reader"
for golden in tests/golden/v*/sample*.trace tests/golden/v*/{intervals,excluded,withheld-*}.trace; do # versions have the same names
	cp "$golden" "$build/seeds/fuzz_reader/$(basename "$(dirname "$golden")")-${golden##*/}"
done
tests/fuzz/make_file_seeds.sh "$build/seeds/fuzz_files"
tests/fuzz/make_sample_seeds.sh "$build/seeds/fuzz_samples"
tests/fuzz/make_module_seeds.sh "$build/seeds/fuzz_modules"
tests/fuzz/make_code_seeds.sh "$build/seeds/fuzz_isa"
seed=$build/seeds/fuzz_names
printf '_ZNSt6vectorIiSaIiEE9push_backERKi@plt' >"$seed/vector"
printf '_ZZN1AIXsrSt11is_integralIT_EE5valueEE3fooIS0_EEvS1_ENKUlRKT_E_clIiEEDaS5_' >"$seed/lambda"
printf '=1+1,"a\n\033[31m\303\244\342\200\256' >"$seed/escapes"
printf '/proc/self/../../etc/./hostname/' >"$seed/path"
printf '/dev/fd/0' >"$seed/descriptor"
printf '/usr/lib/os-release' >"$seed/file"
