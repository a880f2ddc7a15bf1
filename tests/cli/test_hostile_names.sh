#!/bin/bash
# SPDX-License-Identifier: MIT
# Hostile names in CSV, .pc and region files: no control character is written raw, every row has
# the fields of its table, no cell is a formula, and numbers stay numbers.
. "$(dirname "$0")/../lib.sh"
golden=$(cd "$(dirname "$0")/../golden" && pwd)
cd "$work" || exit 1

mkdir -- '=a,b "c'
cp "$PROGRAMS/calls" plain
nm plain | awk '$2 ~ /[tT]/ { print $3 }' | head -n 12 >symbols
i=0
while read -r symbol; do
	evil=("=cmd|' /C calc'!A0$i" $'new\nline'$i $'\e]0;title\a'$i "+1+$i" "-x$i" "@sum$i" "a,b\"$i" "'=quoted$i" "T:1:5$i" "F:1:2:x$i"
		$'tab\tand\rreturn'$i $'\xff\xfe'$i)
	printf '%s\0%s\0' "$symbol" "${evil[$((i++ % ${#evil[@]}))]}"
done <symbols >names
/usr/bin/python3 - <<'PYEND'
import subprocess
names = open("names", "rb").read().split(b"\0")[:-1]
words = [b"objcopy"]
for old, new in zip(names[::2], names[1::2]):
    words += [b"--redefine-sym", old + b"=" + new]
subprocess.run(words + [b"plain", b'=a,b "c/-evil, name'], check=True)
PYEND
"$BIN/trace-record" -q -o hostile.trace -- './=a,b "c/-evil, name' >/dev/null
check recorded "$BIN/trace-verify" -q hostile.trace
for words in 'trace-mix --by=symbol' 'trace-mix --by=module' 'trace-info --threads' 'trace-info --modules' 'trace-info --meta' \
	'trace-dump --count=300' 'trace-dump --blocks --count=300' 'trace-ibs --by=symbol' \
	'trace-calls --syscalls' 'trace-calls --heap' 'trace-calls --code' 'trace-cache --by=symbol,line' 'trace-cache --by=path' \
	'trace-compare --no-phases hostile.trace' 'trace-ibs --period=144 --by=stack' 'trace-info --samples' 'trace-info --manifest' \
	'trace-slo --min-distance=0 --data' 'trace-simpoint --interval=50 --counter=exact' 'trace-calls --threshold=0' trace-footprint trace-verify; do
	# shellcheck disable=SC2086
	"$BIN/"$words --format=csv hostile.trace >out.csv 2>err
	check "${words// --/.}" /usr/bin/python3 - <<-'PYEND'
		import csv, re
		data = open("out.csv", "rb").read()
		assert data and not re.search(rb"[\x00-\x09\x0b-\x1f\x7f]", data), re.search(rb"[\x00-\x09\x0b-\x1f\x7f].*", data)
		assert data.decode("utf-8").count("\n") >= 2
		width = None
		for row in csv.reader(data.decode().splitlines()):
		    if not row or (len(row) == 1 and row[0].startswith("# ")):
		        width = None
		        continue
		    width = width or len(row)
		    assert len(row) == width, row
		    for cell in row:
		        if cell[:1] and cell[0] in "=+-@" and len(cell) > 1:
		            float(cell)
	PYEND
done
"$BIN/trace-mix" --by=symbol --format=csv hostile.trace >out.csv
check marked grep -q "'=cmd|' /C calc'!A0" out.csv
"$BIN/trace-bbv" --interval-size=50 --bb-out-file=v.bb --pc-out-file=v.pc hostile.trace >/dev/null 2>&1
check_equal pc_lines 0 "$(grep -cv '^F:[0-9]*:[0-9a-f]*:' v.pc)"
check_equal pc_controls 0 "$(LC_ALL=C grep -c $'[\x01-\x08\x0b-\x1f\x7f]' v.pc)"
"$BIN/trace-bbv" --places=module+offset --interval-size=50 --bb-out-file=v.bb --pc-out-file=v.pc hostile.trace >/dev/null 2>&1
check pc_read "$BIN/trace-simpoint" -q --pc-file=v.pc v.bb
"$BIN/trace-simpoint" -q --interval=50 --counter=exact -k 3 -o regions hostile.trace
check_equal regions.fields '16' "$(grep '^cluster' regions.pc.csv | awk -F, '{ print NF }' | sort -u)"
check_match regions.image ',_evil__name,0x' regions.pc.csv

# ---- formats of other tools ----

# Functions of calls in formats of lines: no name adds a line, a caller, or an entry of another kind.
cp "$golden/v1.1/operands.trace" plain.trace
i=0
for name in 'a;b 7' $'two\nlines 9' $'fn=(9) x\ncalls=9 9' $'\e]0;title\a' $'\r' '</script><script>' $'"\\'; do
	"$BIN/../tests/edit_trace" plain.trace named.trace "string:SYMBOLS:_start:$name"
	i=$((i + 1))
	for format in folded callgrind speedscope; do
		"$BIN/trace-calls" -q --export=$format -o calls.$format named.trace 2>/dev/null
		check_equal $format.$i.controls 0 "$(LC_ALL=C grep -c $'[\x01-\x08\x0b-\x1f\x7f]' calls.$format)"
	done
	check_equal folded.$i '1 2' "$(awk '{ sub(/ [0-9]+$/, ""); print split($0, callers, ";") }' calls.folded | xargs)"
	check_equal callgrind.$i '1 2' "$(grep -c '^fn=(1) ' calls.callgrind) $(grep -c '^calls=' calls.callgrind)"
	check speedscope.$i /usr/bin/python3 -c 'import json; json.load(open("calls.speedscope"))'
done

# A symbol without a name is an unknown function.
"$BIN/../tests/edit_trace" plain.trace nameless.trace 'string:SYMBOLS:_start:'
for format in folded callgrind speedscope pprof firefox; do
	"$BIN/trace-calls" -q --export=$format nameless.trace 2>/dev/null | { [ $format != pprof ] || gunzip; cat; } >calls.$format
	check nameless.$format grep -aqF '[unknown]' calls.$format
done
check_equal nameless.stacks '[unknown] [unknown];[unknown]' "$(sed 's, [0-9]*$,,' calls.folded | xargs)"
for words in 'trace-calls --threshold=0' 'trace-mix --by=symbol' 'trace-cache --by=symbol'; do
	# shellcheck disable=SC2086
	"$BIN/"$words --format=json nameless.trace >nameless.json 2>err
	check "nameless.${words// --/.}" grep -q '"\[unknown\]"' nameless.json
done
