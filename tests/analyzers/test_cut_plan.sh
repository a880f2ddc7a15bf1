#!/bin/bash
# SPDX-License-Identifier: MIT
# trace-cut with the plan of another run of the program: points are found by markers, which are known by module
# and offset, and counted over all threads.
. "$(dirname "$0")/../lib.sh"
cut=$BIN/trace-cut
steps() { # TRACE: thread and address of each instruction, in the merged order
	"$BIN/trace-dump" --format=csv --no-events "$1" | sed 1d | cut -d, -f3,4 --output-delimiter=' '
}

# ---- one thread ----

"${recorder[@]}" -q -o "$work/one.trace" -- gzip -9c LICENSE >/dev/null
"$BIN/trace-simpoint" --counter=exact --interval=10k -k 5 -q -o "$work/one" "$work/one.trace"
check one.here "$cut" -q --simpoints="$work/one.json" -o "$work/here" "$work/one.trace"
# The same plan as that of another run, where the modules were elsewhere.
/usr/bin/python3 - "$work/one.json" "$work/moved.json" <<-'END'
	import json, sys
	plan = json.load(open(sys.argv[1]))
	plan["profile"] = plan["uuid"] = "0" * 32
	for point in plan["points"]:
	    point["start"] = point["end"] = 0
	    for name in "first", "behind":
	        if point[name]:
	            point[name]["pc"] = hex(int(point[name]["pc"], 16) + 0x100000000)
	json.dump(plan, open(sys.argv[2], "w"))
END
check one.moved "$cut" -q --simpoints="$work/moved.json" -o "$work/moved" "$work/one.trace"
for slice in "$work"/here.[0-9]*.trace; do
	check "one ${slice##*/}" cmp <("$BIN/trace-dump" "$slice") <("$BIN/trace-dump" "$work/moved${slice#"$work/here"}")
done
check_match one.multiplier '^slice.multiplier +[1-9]' <("$BIN/trace-info" --meta "$work/moved.0.trace")
sed 's/"build_id": "[^"]*"/"build_id": ""/' "$work/moved.json" >"$work/named.json"
check one.by_name "$cut" -q --force --simpoints="$work/named.json" -o "$work/moved" "$work/one.trace"
check one.by_name.same cmp <("$BIN/trace-dump" "$work/here.0.trace") <("$BIN/trace-dump" "$work/moved.0.trace")

# ---- all threads ----

for program in threads "workers 3 5000"; do
	# shellcheck disable=SC2086
	"${recorder[@]}" -q --force -o "$work/all.trace" -- "$PROGRAMS/${program%% *}" ${program#"${program%% *}"} >/dev/null
	steps "$work/all.trace" >"$work/steps"
	/usr/bin/python3 - "$work/steps" "$work/all.json" >"$work/bounds" <<-'END'
		import json, sys
		steps = [line.split() for line in open(sys.argv[1])]
		assert len({thread for thread, pc in steps}) > 1
		pcs = [pc for thread, pc in steps]
		bounds = [0] + [len(pcs) * i // 7 for i in range(1, 7)] + [len(pcs)]
		def marker(at):
		    if at in (0, len(pcs)):
		        return None
		    return {"module": None, "pc": pcs[at], "count": pcs[:at + 1].count(pcs[at])}
		points = [{"cluster": i, "interval": i, "weight": 1 / 7, "start": 0, "end": 0, "first": marker(bounds[i]),
		           "behind": marker(bounds[i + 1])} for i in range(7)]
		json.dump({"profile": "0" * 32, "points": points}, open(sys.argv[2], "w"))
		for i in range(7):
		    print(i, bounds[i], bounds[i + 1] - bounds[i])
	END
	check "all $program" "$cut" -q --force --simpoints="$work/all.json" -o "$work/all" "$work/all.trace"
	cp "$work/.out" "$work/says"
	check_match "all $program says" 'has the order of its threads only approximately' "$work/says"
	while read -r i from count; do
		check "all $program $i" cmp <(steps "$work/all.$i.trace") <(tail -n +$((from + 1)) "$work/steps" | head -n "$count")
	done <"$work/bounds"
done

"${recorder[@]}" -q --force --threads=serial -o "$work/serial.trace" -- "$PROGRAMS/threads" >/dev/null
/usr/bin/python3 - "$work/serial.json" <<-'END'
	import json, sys
	points = [{"cluster": 0, "interval": 0, "weight": 1, "start": 0, "end": 0, "first": None, "behind": None}]
	json.dump({"profile": "0" * 32, "points": points}, open(sys.argv[1], "w"))
END
check serial "$cut" -q --simpoints="$work/serial.json" -o "$work/serial" "$work/serial.trace"
check_equal serial.silent '' "$(cat "$work/.out")"

# ---- several points of a cluster, and what is refused ----

sed 's/"cluster": [01],/"cluster": 0,/g' "$work/all.json" >"$work/several.json"
check several "$cut" -q --simpoints="$work/several.json" -o "$work/several" "$work/all.trace"
check_equal several.names '0.0 0.1 2.2 3.3 4.4 5.5 6.6' \
	"$(cd "$work" && echo several.*.trace | sed 's/several\.//g; s/\.trace//g')"
refused() {
	local name=$1 change=$2 regex=$3
	sed "$change" "$work/all.json" >"$work/bad.json"
	check_status "refused.$name" 1 "$cut" -q --simpoints="$work/bad.json" -o "$work/bad" "$work/all.trace"
	check_match "refused.$name.says" "$regex" "$work/err"
}
refused absent 's/"first"/"begin"/g' 'has points of a run that recorded vectors, but no addresses'
refused count 's/"count": [0-9]*/"count": 0/' 'no addresses to find them by'
refused offset 's/"module": null/"module": "x"/' 'no addresses to find them by'
# A value of another type is no missing one.
refused twice 's/{"cluster": 0,/{"cluster": 1, "cluster": 0,/' 'line 1: duplicate object key'
refused weight 's/"weight": [0-9.]*/"weight": "0.5"/' 'is not a file of trace-simpoint'
refused multiplier 's/{"cluster": 0,/{"multiplier": [2], "cluster": 0,/' 'is not a file of trace-simpoint'
refused thread 's/{"profile"/{"thread": "1", "profile"/' 'is not a file of trace-simpoint'
refused interval 's/{"profile"/{"interval_size": 1.5, "profile"/' 'is not a file of trace-simpoint'
refused counter 's/{"profile"/{"counter": "instructions", "profile"/' 'is not a file of trace-simpoint'
sed 's/{"profile"/{"counter": "exp-bbv", "thread": null, "profile"/; s/"weight": [0-9.]*/"weight": null/' \
	"$work/all.json" >"$work/null.json"
check null "$cut" -q --simpoints="$work/null.json" -o "$work/null" "$work/all.trace"
refused beyond 's/"count": [0-9]*/"count": 99999999/' 'is not executed 99,999,999 times'
check refused.nothing test -z "$(find "$work" -name 'bad.*.trace')"
