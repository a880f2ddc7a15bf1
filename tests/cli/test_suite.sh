#!/bin/bash
# SPDX-License-Identifier: MIT
# trace-analyze --all --suite: jobs that are run again only where they have to be, lists that are refused, and the
# table of metrics with its statistics, which an independent model computes anew.
. "$(dirname "$0")/../lib.sh"
model=$PWD/tests/cli/suite_model.py
cd "$work" || exit 1
export PATH=$work/path:$PATH
mkdir path 'a folder'

suite() { "$BIN/trace-analyze" --all --suite="${list:-a folder/list}" -o results -q --format=csv "$@"; }
fact() { sed -n "s/^$1,\([0-9]*\),jobs$/\1/p" out.csv; }
mica=itypes,ilp,reg,stride,ppm,footprint
# 12 short programs: windows of three programs.
for i in 0 1 2 3 4 5 6 7 8 9 10 11; do
	program=$(sed -n "$((i % 3 + 1))p" <<<$'reps\ncalls\nphases')
	[ "$program" != phases ] || program="phases A1 3000"
	"$BIN/trace-record" -q --chunk=2000 --count=$((1000 + 250 * i)) -o "a folder/p$i.trace" -- \
		"$PROGRAMS"/$program >/dev/null 2>&1
done
{
	echo '# The traces of the test'
	printf '%s\n' '' '  p0.trace' 'p1.trace  '
	for i in 2 3 4 5 6 7 8 9 10; do echo "p$i=p$i.trace"; done
	printf 'last = %s/a folder/p11.trace' "$work"
} >'a folder/list'

# ---- all jobs, and then only those that are missing ----
suite --only=$mica,mix,report >out.csv 2>err
check_equal first 0 $?
check first.quiet [ ! -s err ]
check_equal first.done 96 "$(fact done)"
check first.names [ -s results/last/mix.json -a -s results/last/mix.txt -a -s results/p10/report.html -a ! -e results/p0/slo.json ]
check first.same cmp results/p3/ppm.json <("$BIN/trace-ppm" --format=json "$work/a folder/p3.trace")
check first.list [ "$(tail -1 results/suite.list)" = "last=$work/a folder/p11.trace" ]
/usr/bin/python3 "$model" results
cp results/suite.csv first.csv

touch marked
suite --only=$mica,mix,report >out.csv 2>&1
check_equal again.kept 96 "$(fact kept_from_earlier_runs)"
check_equal again.nothing_new 0 "$(find results/p* -newer marked | wc -l)"
check again.same_table cmp first.csv results/suite.csv
rm results/p1/ppm.json results/p2/mix.job
suite --only=$mica,mix,report >out.csv 2>&1
check_equal missing.kept 92 "$(fact kept_from_earlier_runs)"	# the pages of both are made anew
check missing.anew [ -s results/p1/ppm.json -a -s results/p2/mix.job ]
check missing.same_table cmp first.csv results/suite.csv
suite --only=mix >/dev/null 2>&1
check only.same_table cmp first.csv results/suite.csv
"$BIN/trace-repack" -q 'a folder/p9.trace' -o 'a folder/new.trace'
mv 'a folder/new.trace' 'a folder/p9.trace'
suite --only=mix >out.csv 2>&1
check_equal changed.kept 11 "$(fact kept_from_earlier_runs)"

# ---- a run that is killed leaves whole files ----
printf '#!/bin/sh\n# libtraceformat\n[ "$1" != --summary ] || { echo waits; exit 0; }
echo $$ >pid; exec sleep 600\n' >path/trace-waits
chmod +x path/*
exec 9>&2 2>/dev/null # the shell's own message about the kill
"$BIN/trace-analyze" --all --suite='a folder/list' -o killed -q --only=itypes,waits --jobs=2 >/dev/null &
killed=$!
eventually [ -s killed/p0/pid -a -s killed/p1/pid ]
kill -9 $killed
wait $killed
exec 2>&9 9>&-
eventually [ -s killed/p0/itypes.json ]
check killed.begun [ -s killed/p0/itypes.job -a ! -e killed/p11/itypes.json -a ! -e killed/p0/waits.job ]
kill $(cat killed/p*/pid)
rm path/trace-waits

# ---- failures do not stop others ----
printf '#!/bin/sh\n# libtraceformat\n[ "$1" != --summary ] || { echo fails; exit 0; }
case $PWD in */p4) echo "trace-fails: error: no luck" >&2; exit 1 ;; */p5) kill -9 $$ ;; */p6) exit 3 ;; esac
echo {} >fails.json; echo >fails.txt; date +%%N >ran\n' >path/trace-fails
chmod +x path/*
check_status fails 1 suite --only=fails,mix
cp out out.csv
check_equal fails.failed 2 "$(fact failed)"
check_equal fails.skipped 1 "$(fact skipped)"
check_match fails.says '^p4,fails,failed,no luck$' out
check_match fails.signal '^p5,fails,failed,ended by signal 9 \(Killed\)$' out
rm path/trace-fails
printf '#!/bin/sh\n# libtraceformat\n[ "$1" != --summary ] || { echo fails; exit 0; }
echo {} >fails.json; echo >fails.txt\n' >path/trace-fails
chmod +x path/*
touch marked
check_status mended 0 suite --only=fails,mix
check_equal mended.ran 2 "$(find results -name fails.json -newer marked | wc -l)"
rm path/*

# ---- a damaged trace has results of a part of it ----
cp -p 'a folder/p8.trace' whole.trace
size=$(stat -c %s whole.trace)
printf XXXXXXXX | dd of='a folder/p8.trace' bs=1 seek=$((size / 2)) conv=notrunc 2>/dev/null
check_status damaged 1 suite --only=mix,itypes
check_match damaged.says '^p8,mix,incomplete,' out
cp out out.csv
check_equal damaged.incomplete 2 "$(fact incomplete)"
touch marked
check_status damaged.again 1 suite --only=mix,itypes
check damaged.kept [ -z "$(find results/p8 -name '*.job' -newer marked)" ]
mv whole.trace 'a folder/p8.trace'	# as old as before
check_status damaged.replaced 0 suite --only=mix,itypes

# ---- made-up results, so that the statistics are those of many different programs ----
suite --only=$mica >/dev/null 2>&1
/usr/bin/python3 "$model" results made-up
check_status collected 0 suite --only=$mica --collect
/usr/bin/python3 "$model" results | sed 's/model/made_up/'
check_equal collected.clusters '  "clusters_chosen": 6,' "$(grep -m 1 clusters_chosen results/suite.json)"
check collected.page grep -q '"clusters_chosen":6' results/suite.html
# Traces without some characteristics, and with too few.
rm results/p3/ppm.json results/p4/{stride,ppm,itypes}.json
check_status lacking 1 suite --only=$mica --collect
check_match lacking.says '^p3,ppm,missing,$' out
/usr/bin/python3 "$model" results | sed 's/model/lacking/'

# ---- lists ----
refused() { # refused NAME MESSAGE: the list's text is the standard input
	cat >'a folder/list'
	check_status "$1" 1 suite --only=mix
	check_match "$1.says" "$2" err
	check "$1.silent" [ ! -s out ]
}
refused gone 'gone.*No such file' <<<$'p0.trace\ngone.trace'
refused foreign "list.*not a trace" <<<$'p0.trace\nlist'
refused names "list:2: line 1 has the name 'p0', too; write NAME=TRACE" <<<$'p0.trace\n./p0.trace'
refused twice "'other' \(line 3\) is the same trace as 'p0' \(line 1\)" <<<$'p0.trace\np1.trace\nother=p0.trace'
refused name "list:1: '../p0' is no name|'\.\.' is no name" <<<'..=p0.trace'
refused reserved "list:1: 'suite.json' is a name that the suite itself uses" <<<'suite.json=p0.trace'
refused no_trace "list:1: there is no trace behind 'x='" <<<'x='
refused empty 'list: has no traces' <<<'# nothing'
printf 'p0.trace\0\n' | refused zero 'list:1: is not a text file: it contains a zero byte'
list=nowhere check_status no_list 1 suite
list=- check_status stdin 0 suite --only=mix <<<'a folder/p0.trace'
echo p0.trace >'a folder/list'
check_status which 2 suite --only=mix,ham
check_match which.says "there is no analyzer 'ham'" err
check_status trace 2 suite p0.trace
check_status where 2 "$BIN/trace-analyze" --all --suite='a folder/list'
check_status alone 2 "$BIN/trace-analyze" --suite='a folder/list' mix p0.trace
check_status only_one 2 "$BIN/trace-analyze" --all --only=mix -o x p0.trace
