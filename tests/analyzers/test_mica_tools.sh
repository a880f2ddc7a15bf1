#!/bin/bash
# SPDX-License-Identifier: MIT
# MICA's analyzers on recorded programs, against a slow model of MICA that reads a dump of the trace.
. "$(dirname "$0")/../lib.sh"
tests=$(cd "$(dirname "$0")/.." && pwd)
dump=$(cd "$tests/.." && pwd)/$BUILD/tests/mica_dump
cd "$work" || exit 1

derived='^(ipc_|operands_per_instruction|degree_of_use|.*_percent)'	# from MICA's numbers

# numbers TOOL OPTION...: MICA's numbers, a line for each interval, without counts of instructions
numbers() {
	local tool=$1
	shift
	"$BIN/trace-$tool" --format=csv "$@" 2>err |
		if [[ " $* " = *--interval* ]]; then
			awk -F, -v derived="$derived" 'NR == 1 { while (n < NF && $(n + 1) !~ derived) n++; next } {
				for (i = 3; i <= n; i++) printf "%s%s", $i, i < n ? " " : "\n" }'
		else
			awk -F, -v derived="$derived" '!NF { exit } $1 ~ derived || $1 ~ /^(name|mica_instructions|executions)$/ { next } { printf "%s%s", s, $2; s = " " }
				END { print "" }'
		fi
}

# model BASE FIRST: the model's lines, from column FIRST on
model() { grep -v '^number' model/"$1"_*_int_pin.out | cut -d' ' -f"$2"-; }

# compare NAME INTERVAL [TOOLS]: compares results of `trace`, whose dump is `text`; INTERVAL: "full" or instructions
compare() {
	local name=$1 interval=() tools=${3:-ilp itypes ppm reg stride footprint} tool base first
	[ "$2" = full ] || interval=(--interval="$2")
	rm -rf model
	timeout $patience /usr/bin/python3 -B "$tests/oracle/mica_oracle.py" --out model --all "${interval[@]}" text
	while read -r tool base first; do
		[[ " $tools " = *" $tool "* ]] || continue
		check_equal "$name.$2.$tool" "$(model $base $first)" "$(numbers $tool "${interval[@]}" trace)"
	done <<-E
		ilp ilp 2
		itypes itypes 2
		ppm ppm 2
		reg reg 2
		stride stride 1
		footprint memfootprint 1
	E
}

for name in blocks branches strings; do
	[ -x "$PROGRAMS/$name" ] || continue
	"${recorder[@]}" -o trace --count=6k -- "$PROGRAMS/$name" >/dev/null 2>&1
	"$dump" trace >text
	check "$name.has_instructions" test -s text
	compare $name full
	compare $name 200
done
"${recorder[@]}" -o trace --count=5k -- /bin/true >/dev/null 2>&1
"$dump" trace >text
compare true full
compare true 1000

# ---- threads ----

if [ -x "$PROGRAMS/workers" ]; then
	"${recorder[@]}" -o workers.trace --threads=serial -- "$PROGRAMS/workers" >/dev/null 2>&1
	each() { "$BIN/trace-$1" --format=csv "${@:2}" workers.trace | sed '1d; /^$/,$d'; }
	check several_threads test "$(each reg --threads=each | wc -l)" -gt 1
	for tool in ilp itypes ppm reg stride footprint; do
		check_equal $tool.threads "$(for ((t = 0; t < $(each $tool --threads=each | wc -l); t++)); do
			echo "$t,$(each $tool --thread=$t | cut -d, -f2 | paste -sd,)"
		done)" "$(each $tool --threads=each)"
	done
	check_equal intervals_of_threads "$(for t in 0 1; do
		each reg --thread=$t --interval=2k | sed "s/^/$t,/"
	done)" "$(each reg --threads=each --interval=2k | grep '^[01],')"
fi

# ---- processes: merged streams keep the addresses of each process apart ----

if [ -x "$PROGRAMS/forks" ]; then
	"${recorder[@]}" -o tree --follow -- "$PROGRAMS/forks" 2 >/dev/null 2>&1
	check several_processes test "$("$BIN/trace-info" tree | awk '/^processes/ { print $2 }')" -eq 3
	footprints() { "$BIN/trace-footprint" --format=csv "$@" tree; }
	check_equal footprints_sum_up "$(footprints --threads=each | awk -F, 'NR > 1 {
			for (i = 4; i <= NF; i++) s[i] += $i } END { print s[4], s[5], s[6], s[7] }')" \
		"$(footprints | awk -F, '/^[a-z_]*(blocks|pages),/ { print $2 }' | xargs)"
	mv trace true.trace
	"$BIN/trace-cut" -q --from=$(($(info tree instructions) - 6000)) -o trace tree
	"$dump" trace >text
	check end_has_all_processes test "$("$BIN/trace-footprint" --threads=each --format=csv trace | wc -l)" -eq 4
	for interval in full 400; do
		compare processes $interval "ilp itypes ppm reg stride"
	done
	mv true.trace trace
fi

# ---- regions: a part behind a warm-up, and the same part by itself ----

"$BIN/trace-cut" -q --from=2000 --count=2000 --warmup=1000 -o warm.trace trace
"$BIN/trace-cut" -q --from=2000 --count=2000 -o part.trace trace
of() { "$BIN/trace-$1" --format=csv "${@:2}"; }
for tool in ilp itypes ppm reg stride footprint; do
	check_equal $tool.region "$(of $tool part.trace)" "$(of $tool --region=simulation warm.trace)"
	check $tool.region_is_a_part test "$(of $tool --warmup=no warm.trace)" != "$(of $tool part.trace)"
done
for tool in itypes footprint; do
	check_equal $tool.warmup "$(of $tool part.trace)" "$(of $tool warm.trace)" # they remember nothing
done
printf 'analysis_type: all\ninterval_size: 400\n' >mica.conf
mkdir warm part
check mica.region "$BIN/trace-mica" -d warm --region=simulation warm.trace
check mica.part "$BIN/trace-mica" -d part part.trace
check mica.same diff -rq warm part

# ---- numbers derived from MICA's ----

# follows NAME TOOL EXPRESSION: the fact NAME is that expression of other facts, also in each interval
follows() {
	"$BIN/trace-$2" --format=csv trace >facts
	check_equal "$1" "$(awk -F, -v OFMT=%.15g '{ f[$1] = $2 } END { print '"$3"' }' facts)" \
		"$(sed -n "s/^$1,\([^,]*\),$/\1/p" facts)"
	"$BIN/trace-$2" --interval=1000 --format=csv trace >rows
	check_equal "$1.intervals" "$(awk -F, -v OFMT=%.15g 'NR == 1 { gsub(/ \[[^]]*\]/, ""); for (i = 1; i <= NF; i++) c[i] = $i; next }
		{ for (i = 1; i <= NF; i++) f[c[i]] = $i; print '"$3"' }' rows)" \
		"$(awk -F, -v name="$1" 'NR == 1 { while ($(++i) != name); next } { print $i }' rows)"
}
follows ipc_32 ilp 'f["executions"] / f["cycles_32"]'
follows ipc_256 ilp 'f["executions"] / f["cycles_256"]'
follows gag_12_misprediction_percent ppm '100 * f["gag_12"] / f["branches"]'
follows pas_4_misprediction_percent ppm '100 * f["pas_4"] / f["branches"]'
follows operands_per_instruction reg 'f["operands"] / f["executions"]'
follows degree_of_use reg 'f["uses_of_values"] / f["values"]'
"$(dirname "$BIN")/examples/write-trace" loop.trace
check_match nothing_to_divide_by '^ipc_32,,$' <("$BIN/trace-ilp" --format=csv loop.trace)
check_match an_unlimited_window '^ipc unlimited +[0-9.]+$' <("$BIN/trace-ilp" --windows=unlimited trace)
check_match cumulative '^reads local up to 8 +[0-9,]+ access' <("$BIN/trace-stride" trace)

# ---- options ----

one() { "$BIN/trace-$1" --format=csv "${@:2}" trace | sed -n "s/^$field,\([0-9]*\),.*/\1/p"; }
field=cycles_32
check_equal one_window "$(one ilp)" "$(one ilp --windows=32)"
field=cycles_unlimited
check_equal no_more_than_a_huge_one yes \
	"$([ "$(one ilp --windows=unlimited)" -le "$(field=cycles_32 one ilp)" ] && echo yes)"
check_equal exact_intervals_sum_up "$(field=cycles_64 one ilp)" \
	"$("$BIN/trace-ilp" --windows=64 --interval=1000T --exact-intervals --format=csv trace | tail -1 | cut -d, -f3)"
check_status not_a_window 2 "$BIN/trace-ilp" --windows=32,x trace
check_status page_in_a_block 2 "$BIN/trace-footprint" --page-size=32 trace
check_match page_in_a_block.says 'page-size must not be smaller than --block-size' err
check_status block_above_the_page 2 "$BIN/trace-footprint" --block-size=8Ki trace
check_status page_is_a_block 0 "$BIN/trace-footprint" --page-size=64 trace
check_match blocks_once '^data blocks +[0-9,]+  ' out
check_status not_a_power_of_two 2 "$BIN/trace-footprint" --block-size=48 trace
printf '0, 0, CATEGORY, SSE\n2, 0, OPCODE, ADD\n' >spec
check_status bad_groups 1 "$BIN/trace-itypes" --groups=spec trace
check_match says_which_line 'spec: line 2 has a group' err
check_status no_groups 1 "$BIN/trace-itypes" --groups=/nonexistent trace
