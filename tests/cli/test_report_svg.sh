#!/bin/bash
# SPDX-License-Identifier: MIT
# trace-report --format=svg: pictures show the data beside them, hostile names stay inert, and failures are noted.
. "$(dirname "$0")/../lib.sh"
report=$BIN/trace-report
model=$PWD/tests/cli/charts_model.py
cd "$work" || exit 1

"${recorder[@]}" -o true.trace -- /bin/true >/dev/null 2>&1
check_status charts 0 "$report" -q --format=svg -o 'the charts' true.trace
check charts.silent test ! -s out -a ! -s err
check charts.data /usr/bin/python3 "$model" 'the charts' "$BIN" true.trace
for name in instruction-mix hot-functions flame-graph heap miss-ratio-curve cache-misses latencies ilp branches mica phases reuse-distances locality-advice system-calls; do
	check "charts.$name" test -s "the charts/$name.svg" -a -s "the charts/$name.csv"
done
check_status again 1 "$report" -q --format=svg -o 'the charts' true.trace
check_match again.says 'the charts/.*: exists; use --force' err

# The same bytes, whatever the user's settings and the language are.
echo "set title 'of the user'" >.gnuplot
HOME=$PWD LC_ALL=C.UTF-8 GNUTERM=dumb check_status same 0 "$report" -q --format=svg --jobs=1 -o same true.trace
check same.bytes diff -r same 'the charts'
check_status force 0 "$report" -q --format=svg --force --only=mica -o same true.trace
check force.bytes diff -r same 'the charts'
check_status only 0 "$report" -q --format=svg --only=heap -o only true.trace
check only.files test "$(ls only | tr '\n' ' ')" = 'heap.csv heap.gnuplot heap.svg '

# Without gnuplot, or with one that fails.
mkdir empty failing
PATH=empty check_status missing 1 "$report" -q --format=svg -o missing true.trace
check_match missing.says 'install the package gnuplot-nox; missing has the data as CSV' err
check missing.data diff -r -x '*.svg' missing 'the charts'
check missing.flame cmp missing/flame-graph.svg 'the charts/flame-graph.svg'
check missing.no_picture test "$(ls missing | grep -c svg)" = 1
printf '#!/bin/sh\nexit 3\n' >failing/gnuplot
chmod +x failing/gnuplot
PATH=$PWD/failing:$PATH check_status failing 1 "$report" -q --format=svg --only=heap -o failed true.trace
check_match failing.says 'gnuplot cannot draw failed/heap.svg' err
check failing.no_picture test ! -e failed/heap.svg -a -e failed/heap.csv

# Names that gnuplot, CSV, XML and formats of numbers would take for something else.
cp "$PROGRAMS/calls" plain
# shellcheck disable=SC2016
prefix='%s%n%`touch pwned`"; '\''.system("touch pwned")."<b>&amp;,@x {/Bold y}'$'\n1e9,2\n\x01\xef\xbf\xbe\\'
objcopy --prefix-symbols="$prefix" plain $'a`touch pwned`\'"<&,'
"${recorder[@]}" -o hostile.trace -- $'./a`touch pwned`\'"<&,' >/dev/null 2>&1
check_status hostile 0 "$report" -q --format=svg --only=mix,calls,mica,stackdist -o hostile hostile.trace
check hostile.data /usr/bin/python3 "$model" hostile "$BIN" hostile.trace
check hostile.inert test -z "$(find . -name 'pwned*')"
objcopy --prefix-symbols="%$(printf '\xe2\x82\xac%.0s' {1..60})" plain wide
"${recorder[@]}" -o wide.trace -- ./wide >/dev/null 2>&1
check_status wide 0 "$report" -q --format=svg --only=mix,calls,mica,stackdist -o wide.charts wide.trace
check wide.data /usr/bin/python3 "$model" wide.charts "$BIN" wide.trace
# shellcheck disable=SC2016
check hostile.shown grep -qF '<text>%s%n%`touch pwned`"; '\''.system(...)' hostile/hot-functions.svg
check hostile.flame grep -qF 'pwned")."&lt;b&gt;&amp;amp;,@x {/Bold y}' hostile/flame-graph.svg

# Traces that have few of the data.
"$BIN/trace-export" -q --to=champsim --thread=0 -o true.champsim true.trace
"$BIN/trace-import" -q --from=champsim -o bare.trace true.champsim
check_status bare 0 "$report" -q --format=svg -o bare bare.trace
check bare.data /usr/bin/python3 "$model" bare "$BIN" bare.trace
"${recorder[@]}" --vectors --interval=10k -o vectors.trace -- /bin/true >/dev/null 2>&1
check_status vectors 0 "$report" -q --format=svg --only=phases,heap -o vectors vectors.trace
check vectors.files test "$(ls vectors | tr '\n' ' ')" = 'phases.csv phases.gnuplot phases.svg '
check_status none 1 "$report" -q --format=svg --only=calls -o none vectors.trace
check_match none.says 'the results have no chart' err

check_status stream 2 "$report" --format=svg -o - true.trace

# Two traces, of which either has functions that the other one does not have, and functions that became cheaper.
"${recorder[@]}" -o longer.trace -- "$PROGRAMS/call_paths" >/dev/null 2>&1
for pair in 'true longer' 'longer true'; do
	read -r first second <<<"$pair"
	check_status "pair.$first" 0 "$report" -q --format=svg --only=compare -o "from $first" "$first.trace" "$second.trace"
	check "pair.$first.silent" test ! -s err
	check "pair.$first.data" /usr/bin/python3 "$model" "from $first" "$BIN" "$first.trace" "$second.trace"
	check "pair.$first.files" test "$(ls "from $first" | grep -c 'compared-.*svg')" = 9
done
check_status equal 0 "$report" -q --format=svg --only=compare -o equal true.trace true.trace
check equal.files test "$(ls equal | grep -c 'functions\|misses\|cycles')" = 0 -a -s equal/compared-paths-first.svg
check equal.data /usr/bin/python3 "$model" equal "$BIN"
check_status file 1 "$report" -q --format=svg --only=mix -o true.trace/charts true.trace
mkdir own
cp true.trace own/heap.csv
check_status itself 1 "$report" -q --format=svg --force --only=heap -o own own/heap.csv
check itself.kept cmp own/heap.csv true.trace
cp true.trace own/compared-totals.csv
check_status other 1 "$report" -q --format=svg --force --only=compare -o own true.trace own/compared-totals.csv
check other.kept cmp own/compared-totals.csv true.trace
