#!/bin/bash
# SPDX-License-Identifier: MIT
# How many passes over a trace trace-report makes: commands of ours beside a copy of it note that they run.
. "$(dirname "$0")/../lib.sh"
cd "$work" || exit 1
mkdir bin
cp "$BIN/trace-report" bin
for command in "$BIN"/trace-*; do
	name=${command##*/}
	[ "$name" = trace-report ] && continue
	printf '#!/bin/sh\necho %s "$@" >>"%s/passes"\nexec "%s" "$@"\n' "$name" "$work" "$command" >"bin/$name"
	chmod 755 "bin/$name"
done
passes() { sort passes | cut -d' ' -f1 | uniq -c | awk '{ print $2 "=" $1 }' | xargs; }

"${recorder[@]}" -q -o sort.trace -- sort /etc/hostname >/dev/null
check_status page 0 bin/trace-report -q -o page.html sort.trace
check_equal passes "trace-cache=1 trace-calls=1 trace-footprint=1 trace-ibs=1 trace-ilp=1 trace-info=1 trace-itypes=1 \
trace-mix=2 trace-ppm=1 trace-reg=1 trace-simpoint=1 trace-slo=1 trace-stackdist=1 trace-stride=1" "$(passes)"
"$BIN/trace-report" -q --jobs=1 -o same.html sort.trace 2>/dev/null
check same cmp page.html same.html

# A part that its pass leaves out, or whose pass fails, gets one of its own; its message says why.
"${recorder[@]}" -q --no-functions -o bare.trace -- sort /etc/hostname >/dev/null
rm passes
check_status no_heap 0 bin/trace-report -q --only=calls,heap,syscalls -o bare.html bare.trace
check_equal no_heap.passes "trace-calls=2 trace-info=1" "$(passes)"
check_match no_heap.says '"unsuitable":\{"heap":"[^"]*no calls of malloc' bare.html
check_match no_heap.others '"syscalls":\{' bare.html
"${recorder[@]}" -q --no-addresses -o values.trace -- sort /etc/hostname >/dev/null
rm passes
check_status no_addresses 0 bin/trace-report -q --only=stackdist,phases,mix -o values.html values.trace
check_match no_addresses.says '"unsuitable":\{"stackdist":"[^"]*no data addresses[^}]*"stackdist_by_interval":"' values.html
check_match no_addresses.others '"classes":' values.html
