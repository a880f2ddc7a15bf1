#!/bin/bash
# SPDX-License-Identifier: MIT
# trace-filter: what is kept is what trace-mix, trace-stackdist and a model of a cache count in the whole trace; removed
# accesses are no accesses for any command.
. "$(dirname "$0")/../lib.sh"
golden=$PWD/tests/golden
cd "$work" || exit 1

# fact COMMAND... KEY: a number from a command's JSON.
fact() { "$BIN/$1" --format=json "${@:2:$#-2}" 2>/dev/null | sed -n 's/^  "'"${*: -1}"'": \([0-9]*\),*$/\1/p'; }
# of_row TRACE BY NAME: instructions, loads and stores of a row of trace-mix.
of_row() {
	"$BIN/trace-mix" --by="$2" --top=100000 --format=json "$1" | /usr/bin/python3 -c 'import json, sys
rows = json.load(sys.stdin)[sys.argv[1] + "s"]
print(*(sum(r[k] for r in rows if str(r[sys.argv[1]]) == sys.argv[2]) for k in ("instructions", "loads", "stores")))' "$2" "$3"
}
totals() { echo "$(info "$1" instructions) $(info "$1" loads) $(info "$1" stores)"; }
# filter NAME OPTION...: makes NAME.trace of whole.trace; it is valid.
filter() {
	check "$1" "$BIN/trace-filter" -q "${@:2}" -o "$1.trace" whole.trace
	check "$1.verify" "$BIN/trace-verify" -q --decode "$1.trace"
}
# lines TRACE: instructions and accesses without ordinals; events are left out.
lines() { "$BIN/trace-dump" "${@:2}" "$1" | awk '$1 ~ /^[0-9]+$/ && $2 != "--" && $3 != "--" { $1 = ""; print }'; }

"$BIN/trace-record" -q --threads=serial -o whole.trace -- "$PROGRAMS/threads" >/dev/null
n=$(info whole.trace instructions)

filter all
check_equal all.same "$(lines whole.trace | cksum)" "$(lines all.trace | cksum)"
check_equal all.events "$(fact trace-info whole.trace events)" "$(fact trace-info all.trace events)"

filter function --function=run
check_equal function.totals "$(of_row whole.trace symbol run)" "$(totals function.trace)"
check function.some test "$(info function.trace instructions)" -gt 1000
check_equal function.lines "$("$BIN/trace-dump" whole.trace | awk '/^[^ ]/ { inside = /^run[+ ]/ }
	inside && $1 ~ /^[0-9]+$/ && $2 != "--" && $3 != "--" { $1 = ""; print }' | cksum)" "$(lines function.trace | cksum)"
gaps=$("$BIN/trace-dump" --format=jsonl function.trace | sed -n 's/.*"event": *"gap".*"instructions": *\([0-9]*\).*/\1/p' | paste -sd+)
check_equal function.gaps "$((n - $(info function.trace instructions)))" "$((gaps))"
check_equal function.removed "$((n - $(info function.trace instructions)))" "$(info function.trace removed_instructions)"
check_equal function.options --function=run "$(info function.trace filter)"
check_equal function.parent "$(info whole.trace uuid | tr -d -)" "$(info function.trace filtered_from)"
check_equal function.bbv "$(info function.trace instructions)" "$("$BIN/trace-bbv" --instr-count-only function.trace 2>&1 | awk '/Total instructions/ { n += $NF } END { print n }')"
check_equal reader "$("$BIN/trace-dump" --format=jsonl function.trace | cksum)" \
	"$(cd "$OLDPWD" && /usr/bin/python3 tests/reader.py "$work/function.trace" | cksum)"

filter module --module=threads
check_equal module.totals "$(of_row whole.trace module threads)" "$(totals module.trace)"
for t in 0 1; do
	filter thread.$t --thread=$t
	check_equal thread.$t.lines "$(lines whole.trace -t $t | cksum)" "$(lines thread.$t.trace -t $t | cksum)"
	check_equal thread.$t.totals "$(of_row whole.trace thread "$(sed -n "$((t + 1))p" <<<$'0\n1')")" "$(totals thread.$t.trace)"
done
filter process --process="$("$BIN/trace-info" -t --format=json whole.trace | sed -n 's/.*"pid": \([0-9]*\).*/\1/p')"
check_equal process.totals "$(totals whole.trace)" "$(totals process.trace)"

filter loads --accesses=loads
check_equal loads.totals "$n $(info whole.trace loads) 0" "$(totals loads.trace)"
filter stores --accesses=stores --function=run
check_equal stores.totals "$(of_row whole.trace symbol run | awk '{ print $1, 0, $3 }')" "$(totals stores.trace)"
check stores.nowhere test "$("$BIN/trace-dump" stores.trace | grep -c '@0x0\]')" = 0

# ---- caches: against stack distances, and against a model ----
cat >model.py <<'E2'
import json, subprocess, sys
bin, trace, thread, sets, ways = *sys.argv[1:4], int(sys.argv[4]), int(sys.argv[5])
cache, misses, kept = [[] for _ in range(sets)], 0, [0, 0]
for line in subprocess.run([bin + "/trace-dump", "--format=jsonl", "-t", thread, trace], capture_output=True, text=True).stdout.splitlines():
    row = json.loads(line)
    operands = row.get("mem", [])
    for kind in ("load", "store"):
        for a in operands:
            if kind not in a["kind"] or "prefetch" in a["kind"]:
                continue
            assert a["count"] == 1
            missed, address = 0, int(a["address"], 16)
            for line in range(address >> 6, (address + a["size"] - 1 >> 6) + 1):
                lines = cache[line % sets]
                if line in lines:
                    lines.remove(line)
                else:
                    missed += 1
                lines.insert(0, line)
                del lines[ways:]
            misses += missed
            kept[kind == "store"] += missed > 0
print(misses, *kept)
E2
for t in 0 1; do
	for size in 4Ki 32Ki; do
		ways=$((${size%Ki} * 16))
		"$BIN/trace-filter" --format=json --thread=$t --cache=$size/$ways/64 -o full.$t.$size.trace whole.trace >summary
		check_equal full.$t.$size "$("$BIN/trace-stackdist" --thread=$t --cache-size=$size --format=json whole.trace |
			sed -n 's/.*"misses": \([0-9]*\),*/\1/p' | tail -n 1)" "$(sed -n 's/.*"cache_misses": \([0-9]*\).*/\1/p' summary)"
	done
done
"$BIN/trace-filter" --thread=1 --cache=1Ki/2/64 --format=json -o sets.trace whole.trace >summary
model=$(/usr/bin/python3 model.py "$BIN" whole.trace 1 8 2)
check_equal sets "$model" "$(sed -n 's/.*"cache_misses": \([0-9]*\).*/\1/p' summary) $(info sets.trace loads) $(info sets.trace stores)"
check sets.some test "${model%% *}" -gt 100
check full.some test "$(info full.0.4Ki.trace loads)" -gt 20
filter cache --cache=1Ki/2/64
check_equal cache.instructions "$n" "$(info cache.trace instructions)"
for trace in cache full.1.4Ki; do
	# Every command counts the accesses that are kept, and no other.
	check_equal $trace.mix "$(info $trace.trace loads)" "$(fact trace-mix $trace.trace loads)"
	check_equal $trace.stackdist "$(($(info $trace.trace loads) + $(info $trace.trace stores)))" \
		"$("$BIN/trace-stackdist" --block-size=1Mi --format=json $trace.trace | sed -n 's/.*"touches": \([0-9]*\).*/\1/p' | head -n 1)"
	check $trace.zero test "$("$BIN/trace-dump" $trace.trace | grep -c '@0x0\]')" = 0
done
# Each address that is kept is one of the whole trace's, at the same instruction.
check_equal cache.addresses '' "$(paste -d'|' <(lines whole.trace) <(lines cache.trace) | awk -F'|' '{
	rest = $2; while (match(rest, /@0x[0-9a-f]+/)) { if (!index($1, substr(rest, RSTART, RLENGTH))) { print NR, $0; break }
	rest = substr(rest, RSTART + RLENGTH) } }')"
"$BIN/trace-record" -q -o lanes.trace -- "$PROGRAMS/reps" >/dev/null
cp whole.trace threads.trace && cp lanes.trace whole.trace
filter reps --cache=512/2/64
check_equal reps.full "$("$BIN/trace-stackdist" --cache-size=4Ki --format=json whole.trace | sed -n 's/.*"misses": \([0-9]*\),*/\1/p' | tail -n 1)" \
	"$("$BIN/trace-filter" --force --format=json --cache=4Ki/64/64 -o out.trace whole.trace | sed -n 's/.*"cache_misses": \([0-9]*\).*/\1/p')"
filter reps.loads --accesses=loads
check_equal reps.loads.totals "$(info whole.trace instructions) $(info whole.trace loads) 0" "$(totals reps.loads.trace)"
for command in trace-info trace-dump 'trace-mix --by=mnemonic' trace-itypes trace-ilp trace-reg trace-stride trace-footprint \
	trace-ppm 'trace-ibs --period=144' trace-slo 'trace-bbv --interval=1k' 'trace-export --force --to=champsim --thread=0 -o out.gz'; do
	for trace in reps reps.loads cache; do
		# shellcheck disable=SC2086
		check "runs.$trace.${command%% *}" "$BIN"/$command "$trace.trace"
	done
done
# the first path of a thread has no operands
check no_operands "$BIN/trace-filter" -q --cache=1Ki/4/64 -o operands.trace "$golden/v1.3/sampled-chains.trace"
check no_operands.verify "$BIN/trace-verify" -q operands.trace
check twice "$BIN/trace-filter" -q --accesses=loads -o twice.trace reps.trace
check_match twice.before '^filter.before.options  *--cache=512/2/64' <("$BIN/trace-info" --meta twice.trace)
check_equal twice.totals "$(info reps.trace instructions) $(info reps.trace loads) 0" "$(totals twice.trace)"

# ---- what is kept of a thread is nothing: no instruction, and the number of removed ones ----
check nothing "$BIN/trace-filter" -q --thread=1 --function=main -o nothing.trace threads.trace
check nothing.verify "$BIN/trace-verify" -q --decode nothing.trace
check_equal nothing.totals '0 0 0' "$(totals nothing.trace)"
check_equal nothing.removed "$n" "$(info nothing.trace removed_instructions)"
check_status nothing.mix 1 "$BIN/trace-mix" nothing.trace
check_match nothing.mix.says 'the trace has no instruction' err

# ---- samples, and events that only a later version knows, are left out and counted ----
check_status samples 0 "$BIN/trace-filter" --format=json -o samples.trace "$golden/v1.3/sampled-chains.trace"
n_samples=$("$BIN/trace-dump" --samples --format=jsonl "$golden/v1.3/sampled-chains.trace" | wc -l)
check_match samples.warning "lacks the samples of .*sampled-chains.trace: $n_samples records$" err
check_match samples.summary "\"removed_samples\": $n_samples," out
check_match samples.meta "^filter.removed.samples  *$n_samples$" <("$BIN/trace-info" --meta samples.trace)
"$BIN/../examples/write-trace" hand.trace
check_equal later 1 "$("$golden/../cli/later_events.py" hand.trace later.trace 1)"
check_status later.filter 0 "$BIN/trace-filter" --accesses=loads --format=json -o known.trace later.trace
check_match later.warning 'known.trace lacks events that only a later version knows: 1$' err
check_match later.summary '"unknown_events": 1,' out
check_match later.meta '^filter.removed.events  *1$' <("$BIN/trace-info" --meta known.trace)
check_status later.none 0 "$BIN/trace-filter" -q --accesses=loads -o hand.loads.trace hand.trace
check_equal later.silent '' "$(cat err)"

# ---- refused ----
for option in --function=none --module=none --module=thread --thread=99 --process=99999999; do
	check_status "none $option" 1 "$BIN/trace-filter" $option -o refused.trace threads.trace
	check_match "none.says $option" 'threads.trace: has no ' err
done
check_status mangled 1 "$BIN/trace-filter" --function='main()' -o refused.trace threads.trace
check_match mangled.says 'trace-mix --by=symbol --demangle=no lists the names' err
for shape in 32Ki 32Ki/8 32Ki/8/64/1 32Ki/0/64 32Ki/8/63 32Ki/7/64 64/1/64 96Ki/8/64 x/8/64 1G/1/1; do
	check_status "shape $shape" 2 "$BIN/trace-filter" --cache=$shape -o refused.trace threads.trace
done
check_status kinds 2 "$BIN/trace-filter" --accesses=reads -o refused.trace threads.trace
check_status vectors 1 "$BIN/trace-filter" -o refused.trace "$golden/v1.6/intervals.trace"
check_match vectors.says 'has basic block vectors' err
"$BIN/trace-record" -q --no-addresses -o plain.trace -- "$PROGRAMS/live" >/dev/null
check_status addresses 1 "$BIN/trace-filter" --cache=1Ki/2/64 -o refused.trace plain.trace
check_match addresses.says 'has no addresses' err
check plain "$BIN/trace-filter" -q --accesses=loads -o plain.loads.trace plain.trace
check_equal plain.totals "$(info plain.trace instructions) $(info plain.trace loads) 0" "$(totals plain.loads.trace)"
check refused.none test ! -e refused.trace
