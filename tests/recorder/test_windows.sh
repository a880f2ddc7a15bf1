#!/bin/bash
# SPDX-License-Identifier: MIT
# Windows: several parts of one program in one trace, with the program at full speed in between.
. "$(dirname "$0")/../e2e/e2e.sh"

# regions TRACE: prints "thread first instructions" of each region.
regions() {
	"$BIN/trace-info" --regions --format=json "$1" | /usr/bin/python3 -c '
import json, sys
for row in json.load(sys.stdin)["region_list"]:
    print(row["thread"], row["first"], row["instructions"])'
}

# executed TRACE: prints the instructions executed before each region, "-" if not known.
executed() {
	"$BIN/trace-info" --regions --format=json "$1" | /usr/bin/python3 -c '
import json, sys
for row in json.load(sys.stdin)["region_list"]:
    print("-" if row["first_executed"] is None else row["first_executed"])'
}

# ---- by instructions: exactly those parts of the whole ----
record whole.trace -- "$PROGRAMS/functions" >whole.out
code whole.trace >whole
total=$(wc -l <whole)
period=$((total / 5 - 100))	# and some more at the end
check_equal counted.out "$(cat whole.out)" \
	"$(record counted.trace --every=$period --for=1000 -- "$PROGRAMS/functions")"
for first in $(seq 1 $period $total); do
	sed -n "$first,$((first + 999))p" whole
done >expected
code counted.trace >windows
check counted.windows cmp windows expected
check_equal counted.regions "$(for ((i = 0; i < $(wc -l <windows); i += 1000)); do
	left=$(($(wc -l <windows) - i))
	echo 0 $i $((left < 1000 ? left : 1000))
done)" "$(regions counted.trace)"
check_equal counted.executed "$(seq 0 $period $((total - 1)))" "$(executed counted.trace)"
check_equal counted.gap "$((period - 1000))" \
	"$(events counted.trace gap | sed -n '1s/.*"instructions":\([0-9]*\).*/\1/p')"
check_whole counted counted.trace
# the limit counts the instructions of all windows together
check_equal limited.out "$(cat whole.out)" \
	"$(record limited.trace --every=$period --for=1000 --count=1500 -- "$PROGRAMS/functions")"
code limited.trace >windows
check limited.windows cmp windows <(head -1500 expected)
check_equal limited.reason count "$(info limited.trace stop_reason)"

# an event at the begin of a window has the control words loaded before
words() {	# TRACE EVERY: "which value" as each window begins, of a whole trace or of its windows
	"$BIN/trace-dump" --format=jsonl "$1" | /usr/bin/python3 -c '
import json, sys
flags = {"x87": 0, "mxcsr": 0x3f}	# flags of exceptions, which are left out
every, executed, words, begins = int(sys.argv[1]), 0, {"x87": 0x37f, "mxcsr": 0x1f80}, False
for row in map(json.loads, sys.stdin):
    begins |= row.get("event") == "region-begin"
    if row.get("event") == "control-word":
        words[row["which"]] = int(row["value"], 16) & ~flags[row["which"]]
    if row["type"] == "insn":
        if begins or every and executed % every == 0:
            print(words["x87"], words["mxcsr"])
            words, begins = dict.fromkeys(words) if begins else words, False
        executed += 1' "$2"
}
record states.trace -- "$PROGRAMS/states" >/dev/null
for backend in step translate; do
	record words.trace --backend=$backend --every=30 --for=2 -- "$PROGRAMS/states" >/dev/null
	check_equal words.$backend "$(words states.trace 30)" "$(words words.trace 0)"
done
check words.vary [ "$(words states.trace 30 | sort -u | wc -l)" -ge 2 ]

# ---- by time: threads do all their work, whether recorded or not ----
turns=250000000
worked=$("$PROGRAMS/workers" 4 $turns)
for options in "--every=20ms --for=1ms" "--every=16ms --for=20k" "--every=20ms --for=20k --from=work"; do
	name=time_${options//[ =]/_}
	check_equal $name.out "$worked" "$(record time.trace $options -- "$PROGRAMS/workers" 4 $turns)"
	check $name.verify "$BIN/trace-verify" -q time.trace
	regions time.trace >listed
	check $name.several [ "$(cut -d' ' -f1 listed | sort | uniq -c | sort -n | tail -1 | xargs | cut -d' ' -f1)" -ge 2 ]
	# no instruction lies outside of the windows
	check_equal $name.inside "$(info time.trace instructions)" \
		"$(awk '{ sum += $3 } END { print sum }' listed)"
	[[ $name == *20k* ]] || continue
	# a slow recorder may miss all of a thread's life
	check_equal $name.gaps "$(cut -d' ' -f1 listed | sort -u | wc -l)" \
		"$(events time.trace gap | grep -o '"thread":[0-9]*' | sort -u | wc -l)"
done
# a window that ends by time counts what encoders still had to write; threads may each write the last instruction
record most.trace --every=6ms --for=3ms --count=2M -- "$PROGRAMS/workers" 4 $turns >most.out
check most.instructions [ "$(info most.trace instructions)" -le 2100000 ]
# a process that is attached to, and goes on
"$PROGRAMS/waits" - >pid &
until [ -s pid ]; do pause 0.05; done
check attached.record record attached.trace --every=60ms --for=5k --count=12k -p "$(cat pid)"
check_equal attached.instructions 12000 "$(info attached.trace instructions)"
check_equal attached.regions "5000 5000 2000" "$(regions attached.trace | cut -d' ' -f3 | xargs)"
check attached.lives kill "$(cat pid)"

check_status alone.status 2 "$BIN/trace-record" --every=10s -- true
check_status longer.status 2 "$BIN/trace-record" --every=1s --for=2s -- true
check_status mixed.status 2 "$BIN/trace-record" --every=1M --for=2s -- true
check_status unit.status 2 "$BIN/trace-record" --every=1h --for=1k -- true
