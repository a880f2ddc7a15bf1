#!/bin/bash
# SPDX-License-Identifier: MIT
# trace-ibs: its statistics of the samplers themselves, and its warning of a period that is locked to a loop.
. "$(dirname "$0")/../lib.sh"
oracle=$(cd "$(dirname "$0")/../oracle/ibs" && pwd)
cd "$work" || exit 1
ibs=("$BIN/trace-ibs" -q)

# sampler COLUMN [FILE]: a value from the first row of the table of samplers
sampler() {
	awk -F, -v column="$1" '
		/^# (fetch_)?samplers$/ { getline; for (i = 1; i <= NF; i++) if ($i == column) at = i; getline; print $at; exit }
	' "${2:-out}"
}

"${recorder[@]}" -q -o loop.trace -- "$PROGRAMS/locks"
for way in none zero4 prime; do
	check_status "$way" 0 "${ibs[@]}" --randomize=$way --period=1600 --format=csv loop.trace
	check_equal "$way.locked" yes "$(sampler locked)"
	check_match "$way.warns" 'warning: the period is locked to a loop: [0-9]+ % .* thread 0 ' err
done
for way in hw4 hw7 uniform geometric; do
	check_status "$way" 0 "${ibs[@]}" --randomize=$way --period=1600 --format=csv loop.trace
	check_equal "$way.not_locked" no "$(sampler locked)"
	check_equal "$way.does_not_warn" '' "$(cat err)"
done

# Samples with intervals of one length are all worth a sample; with those of Poisson's process, about half.
"${ibs[@]}" --randomize=none --period=1600 --format=csv loop.trace >out 2>/dev/null
check even awk -v n="$(sampler samples)" -v e="$(sampler effective_samples)" 'BEGIN { exit !(n > 500 && e > .99 * n && e <= n) }'
"${ibs[@]}" --randomize=geometric --period=1600 --format=csv loop.trace >out
check random awk -v n="$(sampler samples)" -v e="$(sampler effective_samples)" 'BEGIN { exit !(e > .4 * n && e < .75 * n) }'

# The statistics are of all samples, whichever are shown, and the same if every op is watched.
check_equal samples "$(sed -n 's/^samples,\([0-9]*\),.*/\1/p' out)" "$(sampler samples)"
"${ibs[@]}" --randomize=geometric --period=1600 --where=st --compare-modes --format=csv loop.trace >again
check_equal watched "$(sed -n '/^# samplers$/,/^$/p' out)" "$(sed -n '/^# samplers$/,/^$/p' again)"

for way in none hw7; do
	"${ibs[@]}" --mode=fetches --randomize=$way --period=160 --format=csv loop.trace >"fetches.$way" 2>/dev/null
done
check_equal fetches 'yes no' "$(sampler locked fetches.none) $(sampler locked fetches.hw7)"

# For samples of hardware, the intervals are those in the samples.
"$BIN/trace-import" -q -o hardware.trace "$oracle/fam19h_m11h_bff.perf.data"
check_status hardware 0 "${ibs[@]}" --format=csv hardware.trace
check_equal hardware.samples "$(sed -n 's/^samples,\([0-9]*\),.*/\1/p' out)" \
	"$(awk -F, '/^# (fetch_)?samplers$/ { getline; while (getline && NF) n += $2 } END { print n }' out)"
check_match hardware.effective '^[0-9]+,[0-9]+,[0-9.]+,' <(sed -n '/^# samplers$/,/^$/p' out)

# Options that only the model has are not left out without a word, nor those of hardware for the model.
for option in --machine=zen5 --save-machine=saved --mode=fetches --period=160 --randomize=none --seed=2 --window=9 \
	--slot=first --handler=9 --compare-modes --wrong-paths; do
	check_status "model${option%%=*}" 2 "$BIN/trace-ibs" -q $option hardware.trace
	check_match "model${option%%=*}.says" "error: ${option%%=*} needs --source=model" err
done
check saved.none test ! -e saved
for option in --sampler=0 --overhead; do
	check_status "hardware$option" 2 "$BIN/trace-ibs" -q $option loop.trace
	check_match "hardware$option.says" 'error: --sampler and --overhead need samples of hardware' err
done
check_status packets.several 2 "$BIN/trace-ibs" -q --packets=lines loop.trace loop.trace
check_match packets.several.says 'need exactly one trace' err
check_status packets.table 0 "$BIN/trace-ibs" -q --period=65536 --packets loop.trace loop.trace
