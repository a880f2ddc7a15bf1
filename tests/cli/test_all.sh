#!/bin/bash
# SPDX-License-Identifier: MIT
# trace-analyze --all: each result is that of the analyzer run by itself, and the summary is true.
. "$(dirname "$0")/../lib.sh"
build=$(dirname "$BIN")
cd "$work" || exit 1
export PATH=$work/path:$PATH
mkdir path

"${recorder[@]}" -o true.trace -- /bin/true >/dev/null 2>&1
all() { "$BIN/trace-analyze" --all --format=csv "$@"; }
outcome() { sed -n "s/^$1,\([a-z ]*\),.*/\1/p" out; }

check_status all 0 all true.trace -o results
check no_progress test ! -s err
for analyzer in $("$BIN/trace-analyze" --list --format=csv | tail -n +2 | cut -d, -f1); do
	case $analyzer in
	mica)	# its list has the names of files in its folder
		check_equal mica.outcome done "$(outcome mica)"
		check mica.all test -s results/ilp_full_int_pin.out -a -s results/mica.json
		;;
	bbv)	# its files are named after the process
		check_equal $analyzer.outcome done "$(outcome $analyzer)"
		;;
	*)
		check_equal $analyzer.outcome done "$(outcome $analyzer)"
		check $analyzer.json cmp results/$analyzer.json \
			<("$BIN/trace-$analyzer" --format=json "$work/true.trace")
		check $analyzer.txt cmp results/$analyzer.txt <("$BIN/trace-$analyzer" "$work/true.trace")
		;;
	esac
done
check_equal report.outcome done "$(outcome report)"
check report.page grep -q '"classes":' results/report.html
# The analyzers compute what the page needs in the same pass.
check_equal report.saved "calls footprint ilp mix ppm stackdist" \
	"$(cd results && ls *.report.json | sed 's/[.].*//' | xargs)"
"$BIN/trace-report" -q -o alone.html true.trace
check report.same cmp results/report.html alone.html
# The page has results that the folder has, and others, with the options that pictures need.
check report.computed grep -q '"miss_ratio_curve":' results/report.html
sed 's/"mem_read": *[0-9][0-9]*/"mem_read": 424242/' results/itypes.json >changed && mv changed results/itypes.json
check report.reuses "$BIN/trace-report" -q --only=mica --reuse=results -o reused.html true.trace
check report.reused grep -q '"mem_read":424242' reused.html

# A program shorter than an interval has vectors all the same, of an interval that is not full.
check_match short_program '^bbv,done,.*no thread has the 100000000 instructions of an interval' out
check_equal short_program.vectors 1 "$(cat results/bb.out.* | grep -c '^T')"
check_match short_program.json '"intervals": 1,' results/bbv.json

printf 'analysis_type: reg\ninterval_size: full\n' >results/mica.conf
rm results/mix.json results/*_pin.out results/mica.json
check_status again 0 all -o results --jobs=1 -q true.trace
check_equal mica.outcome done "$(outcome mica)"
check mica.files test -s results/reg_full_int_pin.out -a -s results/mica.json -a ! -e results/ilp_full_int_pin.out
check anew test -s results/mix.json

# An analyzer that fails, one that is killed, and a command trace-foreign that is no analyzer.
printf '#!/bin/sh\n# libtraceformat\n[ "$1" != --summary ] || { echo fails; exit 0; }
echo "trace-fails: error: no luck" >&2; exit 1\n' >path/trace-fails
printf '#!/bin/sh\n# libtraceformat\n[ "$1" != --summary ] || { echo dies; exit 0; }\nkill -9 $$\n' >path/trace-dies
printf '#!/bin/sh\ntouch %s/ran\n' "$work" >path/trace-foreign
chmod +x path/*
check_status others 1 all true.trace -o results
check_equal fails.outcome failed "$(outcome fails)"
check_match fails.message '^fails,failed,.*,no luck' out
check_equal dies.outcome failed "$(outcome dies)"
check_equal mix.outcome done "$(outcome mix)"
check nothing_foreign test ! -e ran
rm path/*

head -c $(($(stat -c %s true.trace) * 2 / 3)) true.trace >cut.trace
printf 'XXXXXXXX' | dd of=true.trace bs=1 seek=$(($(stat -c %s true.trace) / 2)) conv=notrunc 2>/dev/null
check_status damaged 1 all true.trace -o damaged
check_equal damaged.outcome incomplete "$(outcome mix)"
check_equal damaged.report incomplete "$(outcome report)"
check damaged.result test -s damaged/mix.json -a -s damaged/mix.txt
check_match damaged.says '"complete": false' damaged/mix.json

echo 'This is not a trace, but a text that is longer than the header of one would be.' >foreign
check_status foreign 1 all foreign -o results
check_equal foreign.outcome failed "$(outcome mix)"
check_equal foreign.report failed "$(outcome report)"
check old_page_is_gone test ! -e results/report.html
check old_results_are_gone test ! -e results/mix.json
check_status missing 1 all nowhere -o results
check_match missing.says '^trace-analyze: error: nowhere: No such file' err
check_status no_folder 1 all cut.trace -o nowhere/results
check_match no_folder.says 'cannot make nowhere/results: No such file' err
check_status where 2 all cut.trace
check_match where.says '--all needs -o DIR for the results' err
check_status which 2 all -o results
check_status one_trace 2 all cut.trace foreign -o results
check_status jobs 2 all cut.trace -o results --jobs=0
check_status not_for_one 2 "$BIN/trace-analyze" -o results mix cut.trace
