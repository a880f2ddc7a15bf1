#!/bin/bash
# SPDX-License-Identifier: MIT
# The numbers of --stats agree with the trace, with the other backend, and with each other.
. "$(dirname "$0")/e2e.sh"

# of STATS NAME WHAT: the number of WHAT in the line NAME.
of() {
	sed -n "s/^trace-record: $2: //p" "$1" | tr -d , | grep -oE "[0-9.]+ $3" | head -1 | cut -d' ' -f1
}
positive() { awk "BEGIN { exit !(${1:-0} > 0) }"; }
stats() { "$BIN/trace-record" --quiet --force --stats "$@" 2>&1 >/dev/null </dev/null; }

for backend in translate step; do
	stats --backend=$backend -o $backend.trace -- "$PROGRAMS/branches" >$backend.stats
	check_equal $backend.instructions "$(info $backend.trace instructions)" \
		"$(of $backend.stats executed instructions)"
	check_equal $backend.paths "$(info $backend.trace paths_executed)" "$(of $backend.stats executed superblocks)"
	check_equal $backend.blocks "$(info $backend.trace blocks_executed)" "$(of $backend.stats executed blocks)"
	check_equal $backend.insns_a_path "$(awk "BEGIN { printf \"%.2f\",
		$(info $backend.trace instructions) / $(info $backend.trace paths_executed) }")" \
		"$(of $backend.stats 'a superblock' instructions)"
	check $backend.slots positive "$(of $backend.stats 'a superblock' slots)"
	check_equal $backend.syscalls "$(events $backend.trace syscall | wc -l)" \
		"$(of $backend.stats threads 'system calls')"
	check_equal $backend.threads 1 "$(of $backend.stats threads thread)"
	check_equal $backend.bytes "$(stat -c %s $backend.trace)" \
		"$(sed -n 's/^trace-record: bytes: \([0-9,]*\) .*/\1/p' $backend.stats | tr -d , |
			awk '{ n += $1 } END { print n }')"
	"$BIN/trace-info" --columns --format=json $backend.trace | /usr/bin/python3 -c '
import json, sys
for c in json.load(sys.stdin)["columns"]:
    if c["column"][0] != "(":
        print(c["stored"], c["column"])' >columns
	sed -n 's/^trace-record: bytes: \([0-9,]*\) ([0-9.]* %) \([a-z0-9-]*\)$/\1 \2/p' $backend.stats |
		tr -d , >said
	check $backend.columns cmp columns said
done

check_equal step.all_stepped "$(info step.trace instructions)" "$(of step.stats stepped instructions)"
check_equal step.blocks_stepped "$(info step.trace blocks_executed)" "$(of step.stats stepped blocks)"
check_equal step.translates_nothing "" "$(grep -E 'translated|stops|seconds' step.stats)"

# Few instructions are stepped; the others have been translated, after a stop at a missing target.
total=$(info translate.trace instructions)
check translate.little_stepped [ "$(of translate.stats stepped instructions)" -lt $((total / 20)) ]
for what in superblocks instructions 'bytes of code'; do
	check "translate.translated.${what// /_}" positive "$(of translate.stats translated "$what")"
done
for what in 'targets missing' 'indirect targets missing'; do
	check "translate.${what// /_}" positive "$(of translate.stats stops "$what")"
done

# More records than a buffer holds: the encoder's thread works, and superblocks are extended.
"$BIN/trace-record" --quiet --stats -o long.trace -- /usr/bin/python3 -S -E -c \
	'print(sum(i * i for i in range(100000)))' >out 2>long.stats
check_equal long.output 333328333350000 "$(cat out)"
check long.buffers positive "$(of long.stats stops 'buffers full')"
check long.extended positive "$(of long.stats translated 'of them extended')"
check long.translating positive "$(of long.stats seconds translating)"
check long.encoder positive "$(of long.stats seconds encoding)"
check long.compression positive "$(of long.stats seconds compressing)"

# A loop's superblocks are longer than 128 instructions, unless there is a limit that has to be kept.
head -c 40000000 /dev/zero >zeros
stats -o loop.trace -- sum zeros >loop.stats
stats --max-size=100M -o loop.trace -- sum zeros >limited.stats
check loop.insns awk "BEGIN { exit !($(of loop.stats 'a superblock' instructions) > 150) }"
check limited.insns awk "BEGIN { exit !($(of limited.stats 'a superblock' instructions) <= 128) }"

# The phases of the recording thread take time, no more CPU time than time, and no more than the command. Translating
# branches may take less than 0.5 ms, which is printed as 0.000 s; true has more code, which takes 30 ms.
declare -A program=([translate]=true [step]=$PROGRAMS/branches)
for backend in translate step; do
	began=$(date +%s%N)
	stats --backend=$backend -o $backend.phases.trace -- "${program[$backend]}" >$backend.phases
	took=$(awk "BEGIN { print ($(date +%s%N) - $began) / 1e9 }")
	check $backend.phases /usr/bin/python3 - $backend.phases "$took" <<'END'
import re, sys
(line,) = [line for line in open(sys.argv[1]) if line.startswith("trace-record: phases: ")]
found = re.findall(r"(\w+) ([0-9.]+) s \(CPU ([0-9.]+) s\)", line)
times = {name: (float(all), float(cpu)) for name, all, cpu in found}
names = ["launch", "translate", "load", "synchronize", "write", "exit", "other"]
assert list(times) == names + ["together"], times
half = 0.0005 * (len(names) + 1)  # the numbers are rounded to 0.001
for i in range(2):
    assert abs(sum(times[name][i] for name in names) - times["together"][i]) <= half, times
assert all(cpu <= all + 0.02 for all, cpu in times.values()), times
assert times["launch"][0] > 0 and 0 < times["together"][0] <= float(sys.argv[2]) + half, times
assert (times["translate"][0] > 0) == ("translate" in sys.argv[1]), times
END
done

# Without a file --stats has no line of bytes; without a recording it prints nothing.
"$BIN/trace-record" --quiet --stats -o - -- /bin/true 2>pipe.stats | cat >pipe.trace
check_equal pipe.instructions "$(info pipe.trace instructions)" "$(of pipe.stats executed instructions)"
check_equal pipe.no_bytes "" "$(grep bytes: pipe.stats)"
check_status none 127 "$BIN/trace-record" --stats -o none.trace -- ./no-such-program
check_equal none.one_line 1 "$(wc -l <"$work/err")"
