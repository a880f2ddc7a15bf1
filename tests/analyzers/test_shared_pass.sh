#!/bin/bash
# SPDX-License-Identifier: MIT
# Several results of one pass over a trace (--also), which are those of several passes.
. "$(dirname "$0")/../lib.sh"
same() { /usr/bin/python3 "$OLDPWD/tests/analyzers/shared_pass_check.py" "$BIN" "$@"; }
cd "$work" || exit 1

"${recorder[@]}" -q -o objects.trace -- "$PROGRAMS/objects" >/dev/null
check one_thread same 10000 objects.trace
"${recorder[@]}" -q --no-functions -o bare.trace -- "$PROGRAMS/reps" >/dev/null
check no_heap same 300 bare.trace trace-calls=1
"${recorder[@]}" -q -o threads.trace -- "$PROGRAMS/barriers" >/dev/null
check threads same "$(($(info threads.trace instructions) / 20))" threads.trace trace-calls=1 trace-footprint=1

# A pass of other paths, or of a second table of intervals; a slice, whose warm-up is forgotten.
also() { "$BIN/trace-$1" -q --format=json "${@:3}" "$2" | /usr/bin/python3 -c '
import json, sys
print(*["none" if result is None else "result" for result in json.load(sys.stdin)])'; }
check_equal per_thread 'result none' "$(also calls objects.trace --also=--per=thread)"
check_equal rows_of_threads 'result none' "$(also mix objects.trace --also=--by=thread)"
check_equal two_intervals 'result result none' \
	"$(also mix objects.trace '--also=--interval=1000' '--also=--interval=2000')"
check_equal lagging_intervals 'result none' "$(also ilp objects.trace --also=--interval=1000)"
"$BIN/trace-cut" -q --from=20000 --count=20000 --warmup=5000 -o slice.trace objects.trace >/dev/null
check_equal slice 'result none' "$(also ppm slice.trace --also=--interval=1000)"

"$BIN/trace-mix" -q --results=mix '--also=--by=symbol --top=3' objects.trace
check_equal results "$("$BIN/trace-mix" -q objects.trace)" "$(cat mix.txt)"
check_equal results.more "$("$BIN/trace-mix" -q --format=json --by=symbol --top=3 objects.trace | /usr/bin/python3 -m json.tool)" \
	"$(/usr/bin/python3 -c '
import json, sys
print(json.dumps(json.load(open("mix.report.json"))["--by=symbol --top=3"], indent=4))')"
check_status text 2 "$BIN/trace-mix" --also=--by=symbol objects.trace
check_match text.says 'also needs --format=json or --results' err
check_status wrong 2 "$BIN/trace-mix" --format=json '--also=--by=nothing' objects.trace
check_status range 2 "$BIN/trace-mix" --format=json '--also=--from=5' objects.trace
