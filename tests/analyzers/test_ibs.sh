#!/bin/bash
# SPDX-License-Identifier: MIT
# trace-ibs on a recorded program: its packets against another decoder, its options.
. "$(dirname "$0")/../lib.sh"
root=$(cd "$(dirname "$0")/../.." && pwd)
checker=$root/tests/analyzers/ibs_check.py
cd "$work" || exit 1
ibs=$BIN/trace-ibs

"${recorder[@]}" -q -o all.trace -- "$PROGRAMS/model_kernels"
for kernel in streams patterns misses jumps surprises walks; do
	"${recorder[@]}" -q --from=$kernel --to=${kernel}_end -o $kernel.trace -- "$PROGRAMS/model_kernels"
done
for machine in simple zen4 k10; do
	"$ibs" --machine=$machine --period=144 --packets --events=all --top=100000 --format=json all.trace >packets
	check packets.$machine /usr/bin/python3 -B "$checker" <packets
done
"$ibs" --machine=k10 --period=144 --packets --events=all --top=100000 --format=json all.trace >again
check repeatable cmp packets again

# Ops that are not watched are executed by other code than those that --compare-modes watches.
for options in '--machine=simple' '--machine=zen4' '--machine=k10 --mode=fetches' \
	'--mode=fetches --handler=300'; do
	# shellcheck disable=SC2086
	for watched in '' --compare-modes; do
		"$ibs" $options --period=4080 $watched --packets --format=csv all.trace |
			sed -n '1,/^$/p; /^# \(packets\|fetches\)$/,/^$/p' >"packets$watched"
	done
	check "unwatched.${options//[ =-]/}" cmp packets packets--compare-modes
	check "unwatched.${options//[ =-]/}.samples" test "$(wc -l <packets)" -gt 20
done

"$ibs" --mode=fetches --period=16 --packets --format=json all.trace >packets
check packets.fetches /usr/bin/python3 -B "$checker" <packets
for period in 8 1048576; do
	check_status "fetches.period.$period" 2 "$ibs" --mode=fetches --period=$period all.trace
done

# field NAME OPTION...: a fact of $trace
trace=all.trace
field() { "$ibs" -q --format=csv "${@:2}" "$trace" | sed -n "s/^$1,\([0-9]*\),.*/\1/p"; }

instructions=$("$BIN/trace-info" --format=json all.trace | sed -n 's/.*"instructions": *\([0-9]*\).*/\1/p' | head -1)
check ops_are_instructions_or_more test "$(field ops)" -ge "$instructions"
check fewer_samples_of_longer_periods test "$(field samples --period=160)" -gt "$(field samples --period=320)"
"$ibs" -m zen5 --save-machine=saved all.trace >by_preset
"$ibs" -m ./saved all.trace | sed 's,\./saved,zen5,' >by_file
check saved_machine cmp by_preset by_file
check_status saved_machine.nowhere 1 "$ibs" --save-machine=none/saved all.trace
echo 'preset = zen4' >same
check_equal a_file_as_the_preset "$(field cycles_of_all_threads)" "$(field cycles_of_all_threads -m ./same)"
"$ibs" --by=instruction --top=3 --format=csv all.trace >out
check_equal top_of_the_instructions 3 "$(sed -n '/^# by_instruction/,/^$/p' out | grep -c 0x)"

# All samples of loads and stores have a cache line, a page and a region.
"$ibs" --events=classic --period=144 --format=csv all.trace >out
loads_and_stores=$(sed -n 's/^IBS_OP_ALL_LOAD_STORE,\([0-9]*\),.*/\1/p' out)
for by in cacheline page region object; do
	check_equal data_by.$by "$loads_and_stores" "$("$ibs" --by=$by --top=100000 --period=144 --format=csv all.trace |
		sed -n "/^# by_$by/,/^$/p" | awk -F, '{ n += $1 } END { print n }')"
done

"$ibs" --where='ld && dc_miss' --events --period=144 --format=csv all.trace >out
check_equal where "$(sed -n 's/^IBS_LD_L1_DC_MISS,\([0-9]*\),.*/\1/p' out)" \
	"$(sed -n 's/^samples,\([0-9]*\),.*/\1/p' out)"
check_status bad_condition 2 "$ibs" --where='ld &&' all.trace

# Each sample has a time from tag to retirement, and the median divides them.
"$ibs" --histogram --period=144 --format=csv all.trace >out
median=$(sed -n 's/^tag to retire,[0-9]*,[^,]*,[0-9]*,\([0-9]*\),.*/\1/p' out)
check_equal histogram "$(sed -n 's/^samples,\([0-9]*\),.*/\1/p' out) yes" "$(awk -F, -v median="$median" '
	NF == 4 && $1 == "tag to retire" { all += $4; if ($2 < median) below += $4; if ($2 <= median) upto += $4 }
	END { print all, (below < all / 2 && upto >= all / 2 ? "yes" : "no") }' out)"

"$ibs" --compare-modes --period=144 --format=csv all.trace | sed -n '/^# modes$/,/^$/p' >modes
check_equal all_modes 27 "$(grep -cE '^(ops|cycles)' modes)"
# Ops after mispredicted branches wait, so that samples of cycles are not those of ops.
"$ibs" --compare-modes --period=144 --format=csv surprises.trace | sed -n '/^# modes$/,/^$/p' >surprises
check random_ops_are_ops awk -F, '$1 == "ops" && $2 == "hw7" { good = $6 < 1.1 * $7 } END { exit !good }' surprises
check cycles_are_not awk -F, '$1 == "cycles-wait" && $2 == "hw7" { good = $6 > 1.5 * $7 } END { exit !good }' surprises
# A sample of a wrong instruction may have the right function: no distance is larger by function.
"$ibs" --compare-modes --by=symbol --period=144 --format=csv all.trace | sed -n '/^# modes_by_symbol$/,/^$/p' >by_symbol
check_equal all_modes_by_symbol 27 "$(grep -cE '^(ops|cycles)' by_symbol)"
check nearer_by_symbol awk -F, '
	$3 !~ /^[0-9]/ { next }
	NR == FNR { for (i = 5; i <= 8; i++) distance[$1, $2, i] = $i; next }
	{ for (i = 5; i <= 8; i++) if ($i > distance[$1, $2, i] + 1e-9) wrong = 1; if ($8 < distance[$1, $2, 8]) nearer = 1 }
	END { exit wrong || !nearer }' modes by_symbol
# Ops are not counted while one is tagged.
"$ibs" --packets --period=144 --handler=30 --compare-modes --format=csv all.trace >out
dead_time=$(awk -F, '
	/^cycles_of_all_threads,/ { cycles = $2 }
	$1 == "thread" { for (i = 1; i <= NF; i++) if ($i == "tag_to_ret") column = i; next }
	column && $column ~ /^[0-9]+$/ { dead += $column + 30 }
	END { print 100 * dead / cycles }' out)
# (This bound allows for a cycle more or less at the end.)
check dead_time awk -F, -v by_packets="$dead_time" '
	$1 == "mode" { for (i = 1; i <= NF; i++) if ($i ~ /^dead_time( \[.*\])?$/) column = i }
	column && $1 == "ops" && $2 == "hw7" { off = $column - by_packets; good = off * off < 1e-6; exit }
	END { exit !(by_packets > 1 && good) }' out
check_equal about_code_only '' "$("$ibs" --compare-modes --by=page --format=csv all.trace | grep '^# modes_by')"
for way in none hw4 op12 max8 uniform geometric prime; do
	samples=$(field samples --period=1008 --randomize=$way)
	check "$way.as_many_samples_as_periods" test "$((samples * 1008 * 10))" -gt "$(($(field ops) * 8))"
done
for mode in ops cycles-wait cycles-skip; do
	"$ibs" --mode=$mode --period=144 --format=csv all.trace >out 2>err
	check_equal "$mode.alone_as_compared" "$(sed -n "s/^$mode,hw7,\([0-9]*\),.*/\1/p" modes)" \
		"$(sed -n 's/^samples,\([0-9]*\),.*/\1/p' out)"
done
check_match cycles.warning 'when cycles are counted' err

# About half of the tags of wrong paths are lost, and each begins a count; the other numbers do not change.
check_equal no_wrong_paths '' "$(field killed --period=144)"
"$ibs" --compare-modes --wrong-paths --period=144 --format=csv all.trace >out
killed=$(sed -n 's/^killed,\([0-9]*\),.*/\1/p' out)
check wrong_paths test "$killed" -gt 100
check_equal wrong_paths.alone_as_compared "$killed" "$(sed -n '/^# modes$/,/^$/s/^ops,hw7,.*,//p' out)"
check_equal right_paths "$(field ops --period=144)" "$(field ops --period=144 --wrong-paths)"
samples=$(field samples --period=1008 --wrong-paths)
killed=$(field killed --period=1008 --wrong-paths)
check wrong_paths.end_counts test "$(((samples + killed) * 1008))" -gt "$(field ops)"
echo 'predictor = perfect' >perfect
check_equal wrong_paths.none 0 "$(field killed --period=144 --wrong-paths -m ./perfect)"

# ---- windows, slots, handlers ----

check_equal window.all "$(field samples --mode=cycles-wait --period=160)" \
	"$(field samples --mode=cycles-skip --window=100000000 --period=160)"
check_equal window.none_skipped 0 "$(field skipped --mode=cycles-skip --window=100000000 --period=160)"
check window.more_samples test "$(field samples --mode=cycles-skip --window=4 --period=160)" -gt \
	"$(field samples --mode=cycles-skip --period=160)"
check handler.fewer_samples test "$(field samples --period=160 --handler=4000)" -lt "$(($(field samples --period=160) / 4))"
check handler.fewer_fetches test "$(field samples --mode=fetches --period=160 --handler=4000)" -lt \
	"$(($(field samples --mode=fetches --period=160) / 4))"
check_equal handler.not_slower "$(field cycles_of_all_threads)" "$(field cycles_of_all_threads --handler=4000)"
packets() { "$ibs" --mode=cycles-wait --period=160 --packets --slot="$1" --format=csv all.trace 2>/dev/null | md5sum; }
check_equal slots 5 "$(for slot in uniform first last clamp rr; do packets $slot; done | sort -u | wc -l)"
for bad in --window=5 --slot=first '--mode=cycles-skip --window=999999999999'; do
	check_status "cycles.bad.${bad%% *}" 2 "$ibs" $bad all.trace
done

# ---- machines ----

manual=$BIN/../man/tracelab-machines.7
for parameter in $(sed -nE 's/^\t(NUMBER|WORD)\(([a-z0-9_]+),.*/\2/p' "$root/analyzers/ibs/model/machine.c"); do
	grep -q "^\.It Va .*\<$parameter\>" "$manual" || check_equal "manual.$parameter" there missing
	count=$((${count:-0} + 1))
done
check parameters_in_the_manual test "$count" -gt 20
printf 'several_ops = 0\nrep_bytes = 0\n' >one_op
check_equal as_many_ops_as_instructions "$(field ops -m simple)" "$(field ops -m ./one_op)"
echo 'several_ops = 0' >one_op
check more_ops test "$(field ops)" -gt "$(field ops -m ./one_op)"

# slower KERNEL PERCENT CHANGE: on the changed machine, the kernel takes at least so many percent of its cycles.
slower() {
	local trace=$1.trace
	printf 'preset = zen4\n%s # worse\n' "$3" >worse
	check "slower.${3%% *}" test "$(field cycles_of_all_threads -m ./worse)" -ge "$(($(field cycles_of_all_threads) * $2 / 100))"
}
slower streams 200 'l1_prefetcher = none'
slower patterns 300 'predictor = bimodal'
slower misses 2000 'memory_interval = 400'
slower misses 500 'memory_latency = 3000'
slower misses 200 'rob = 8'
slower jumps 300 'btb_entries = 16'
slower surprises 110 'op_cache = 256'
slower walks 120 'walk_cache = 1'

# ---- errors ----

printf 'preset = zen4\n\nrop = 7\n' >bad
check_status bad_machine 1 "$ibs" --machine=./bad all.trace
check_match bad_machine.says 'bad:3: no such parameter' err
check_status no_machine 1 "$ibs" --machine=zen1 all.trace
check_match no_machine.says '--machine=zen1: one of simple, zen4, zen5, goldencove and k10 is expected, or a file: No such file' err
check_status no_samples 3 "$ibs" --source=hardware all.trace
check_match no_samples.says 'no samples of hardware' err
for period in 100 128 134217728; do
	check_status "period.$period" 2 "$ibs" --period=$period all.trace
done
"${recorder[@]}" -q --no-addresses -o bare.trace -- /bin/true >/dev/null 2>&1
check_status no_addresses 3 "$ibs" bare.trace
