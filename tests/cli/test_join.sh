#!/bin/bash
# SPDX-License-Identifier: MIT
# trace-join: the joined trace has what its parts have, no more and no less; processes, their parents, the order of
# threads and META are as the manual says; traces that are not of one run are refused.
. "$(dirname "$0")/../lib.sh"
golden=$PWD/tests/golden/v1.6
edit=$BIN/../tests/edit_trace
cd "$work" || exit 1

# sums WHAT TRACE...: prints the totals of the traces together.
cat >sums.py <<'E2'
import glob, json, os, subprocess, sys
bin, what, traces = sys.argv[1], sys.argv[2], sys.argv[3:]
def result(*words):
    return json.loads(subprocess.run([bin + "/" + words[0], "--format=json", *words[1:]], check=True,
                                     capture_output=True).stdout)
sums = {}
def add(key, value):
    sums[key] = sums.get(key, 0) + value
for trace in traces:
    if what == "info":
        facts = result("trace-info", "--sections", trace)
        for key in ("instructions", "loads", "stores", "prefetches", "repetitions", "opaque", "blocks_executed",
                    "paths_executed", "processes", "threads", "events"):
            add(key, facts[key])
    elif what == "mix":
        for row in result("trace-mix", "--by=mnemonic", "--top=100000", trace)["mnemonics"]:
            for key, value in row.items():
                if isinstance(value, int):
                    add((row["mnemonic"], key), value)
    else:
        subprocess.run([bin + "/trace-bbv", "-q", "--interval-size=5k", "--compat=exact", "--bb-out-file=sum.bb", trace],
                       check=True, capture_output=True)
        for name in glob.glob("sum.bb*"):
            add("instructions", sum(int(c.split(":")[2]) for line in open(name) for c in line[1:].split()
                                    if line[0] == "T"))
            os.remove(name)
print(*(f"{key}={sums[key]}" for key in sorted(sums, key=str)))
E2
sums() { /usr/bin/python3 sums.py "$BIN" "$@"; }

# instructions TRACE OPTION...: prints the instructions with their accesses, and neither ordinals nor events.
instructions() {
	"$BIN/trace-dump" "${@:2}" "$1" | awk '$1 ~ /^[0-9]+$/ && $2 != "--" && $3 != "--" { $1 = ""; print }'
}

# ---- a process, and one that it has started: each has a trace of its own ----
mkfifo lines
"$BIN/trace-record" -q --count=400k -o parent.trace -- sh -c "\"$PROGRAMS/serves\" <lines >pid & wait" 2>/dev/null &
recorder=$!
exec 7>lines
check served eventually test -s pid
pid=$(head -n 1 pid)
"$BIN/trace-record" -q -p "$pid" --count=30k -o child.trace
exec 7>&-
wait $recorder
check_status join 0 "$BIN/trace-join" --format=json -o joined.trace child.trace parent.trace
check_match join.order '"join_order": "times"' out
check verify "$BIN/trace-verify" -q --decode joined.trace
for what in info mix bbv; do
	check_equal sum.$what "$(sums $what child.trace parent.trace)" "$(sums $what joined.trace)"
done
check sum.some test "$(sums bbv joined.trace)" != instructions=0
# The second reader takes some seconds for the whole.
thread=$(quick_or_full --thread=0 "")
check_equal reader "$("$BIN/trace-dump" --format=jsonl $thread joined.trace | cksum)" \
	"$(cd "$OLDPWD" && /usr/bin/python3 tests/reader.py $thread "$work/joined.trace" | cksum)"
last=$(($(info joined.trace threads) - 1))
check_equal thread.parent "$(instructions parent.trace | cksum)" "$(instructions joined.trace -t $last | cksum)"
check thread.some test "$(instructions joined.trace -t $last | wc -l)" -gt 100000
for ((t = 0; t < last; t++)); do
	check_equal thread.$t "$(instructions child.trace -t $t | cksum)" "$(instructions joined.trace -t $t | cksum)"
done
"$BIN/trace-info" --format=json -t joined.trace >threads
own=$(/usr/bin/python3 -c 'import json, sys
rows = json.load(open("threads"))["process_list"]
child = next(row for row in rows if row["pid"] == int(sys.argv[1]))
print(next(row["pid"] for row in rows if str(row["process"]) == str(child["parent"])))' "$pid")
check_equal parent "$("$BIN/trace-info" -t --format=json parent.trace | sed -n 's/.*"pid": \([0-9]*\).*/\1/p')" "$own"
check sum.mix.some test "$(sums mix joined.trace | wc -w)" -gt 50
check_equal meta.parts 2 "$("$BIN/trace-info" --meta joined.trace | sed -n 's/^join.parts *//p')"
for i in 0 1; do
	part=$(sed -n "$((i + 1))p" <<<$'child.trace\nparent.trace')
	check_equal meta.$i "$("$BIN/trace-info" --meta "$part" | sed -n '/^meta:/,$p' | tail -n +3 | tr -s ' ' | sort)" \
		"$("$BIN/trace-info" --meta joined.trace | sed -n "s/^part\.$i\.//p" | grep -v '^uuid ' | tr -s ' ' | sort)"
done

# ---- the order of two processes that wait for each other: that of their system calls ----
mkfifo there back
recorders=()
for words in 'echo >&3; read x <&4' 'read x <&3; echo >&4'; do
	timeout $patience "$BIN/trace-record" -q -o "turns.${words%% *}.trace" -- \
		sh -c "exec 3<>there 4<>back; for i in 1 2 3 4 5; do $words; done" &
	recorders+=($!)
done
wait "${recorders[@]}"
check turns "$BIN/trace-join" -q -o turns.trace turns.echo.trace turns.read.trace
check turns.verify "$BIN/trace-verify" -q turns.trace
"$BIN/trace-dump" --events --format=jsonl turns.trace | sed -n 's/.*"event": *"syscall",.*"time_ns": *\([0-9]*\).*/\1/p' >times
check times.some test "$(wc -l <times)" -gt 40
check times.ascend sort -nc times
switches=$("$BIN/trace-dump" turns.trace | awk '$2 ~ /^t[01]$/ { n += $2 != last; last = $2 } END { print n }')
check turns.mixed test "$switches" -ge 10
# without times the threads of the second trace follow those of the first one
cp "$golden/by-hand.trace" hand.trace
"$BIN/trace-repack" -q -o hand.packed.trace hand.trace
check_status untimed 0 "$BIN/trace-join" --unrelated -o untimed.trace hand.trace hand.packed.trace
check_match untimed.order '^join order *parts$' out
check_equal untimed.instructions "$(instructions hand.trace; instructions hand.trace)" \
	"$(instructions untimed.trace | sed 's/^ t[01] / /')"

# ---- equal records are there once ----
for i in 1 2; do
	"$BIN/trace-record" -q -o same.$i.trace -- "$PROGRAMS/live" >/dev/null
done
check same "$BIN/trace-join" -q -o same.trace same.1.trace same.2.trace
check same.verify "$BIN/trace-verify" -q same.trace
check_equal same.reader "$("$BIN/trace-dump" --format=jsonl same.trace | cksum)" \
	"$(cd "$OLDPWD" && /usr/bin/python3 tests/reader.py "$work/same.trace" | cksum)"
check_equal same.sum "$(sums info same.1.trace same.2.trace)" "$(sums info same.trace)"
check_equal same.modules "$(info same.1.trace modules)" "$(info same.trace modules)"
blocks() { "$BIN/trace-info" --format=json --sections "$1" | grep -A3 '"kind": "BLOCKS"' | sed -n 's/.*"stored": \([0-9]*\).*/\1/p'; }
check same.blocks test "$(blocks same.trace)" -lt "$(($(blocks same.1.trace) * 3 / 2))"

# Relative times of two traces have nothing in common.
for times in keep relative; do
	for i in 1 2; do
		"$BIN/trace-anonymise" -q --force --preset=share --times=$times -o anonymous.$i.trace same.$i.trace
	done
	check anonymous.$times "$BIN/trace-join" -q --force --unrelated -o anonymous.trace anonymous.1.trace anonymous.2.trace
	check anonymous.$times.verify "$BIN/trace-verify" -q --decode anonymous.trace
	check_match anonymous.$times.order "^join.order  *$([ $times = keep ] && echo times || echo parts)\$" \
		<("$BIN/trace-info" --meta anonymous.trace)
done

# ---- slices of one trace ----
"$BIN/trace-record" -q --threads=serial -o whole.trace -- "$PROGRAMS/threads" >/dev/null
n=$(info whole.trace instructions)
for from in 0 20000 60000; do
	count=$((from == 0 ? 20000 : 30000))
	"$BIN/trace-cut" -q --from=$from --count=$count -o slice.$from.trace whole.trace
done
check slices "$BIN/trace-join" -q -o slices.trace slice.60000.trace slice.0.trace slice.20000.trace
check slices.verify "$BIN/trace-verify" -q slices.trace
check_equal slices.order '"exact"' "$("$BIN/trace-info" --format=json slices.trace | sed -n 's/.*"thread_order": \([^,]*\).*/\1/p')"
check_equal slices.instructions "$({ instructions whole.trace --count=50000; instructions whole.trace --from=60000 --count=30000; } | cksum)" \
	"$(instructions slices.trace | cksum)"
check_equal slices.count 80000 "$(info slices.trace instructions)"
check_equal slices.threads "$(info whole.trace threads)" "$(info slices.trace threads)"
gaps() { "$BIN/trace-dump" --events --format=jsonl "$1" | sed -n 's/.*"event": *"gap".*"instructions": *\([0-9]*\).*/\1/p' | paste -sd+; }
check_equal slices.gaps "$((n - 80000))" "$(($(gaps slices.trace)))"
check_equal slices.starts "$("$BIN/trace-dump" whole.trace | grep -c -- '-- thread-start')" \
	"$("$BIN/trace-dump" slices.trace | grep -c -- '-- thread-start')"
check_equal slices.execs 1 "$("$BIN/trace-dump" slices.trace | grep -c -- '-- exec')"
"$BIN/trace-cut" -q --from=10000 --count=20000 -o overlap.trace whole.trace
check_status overlap 1 "$BIN/trace-join" -q -o refused.trace slice.0.trace overlap.trace
check_match overlap.says 'slices that overlap cannot be joined' err
check overlap.removed test ! -e refused.trace

# ---- samples; events that only a later version knows ----
sampled=$golden/../v1.3/sampled-chains.trace
"$BIN/trace-repack" -q -o sampled.trace "$sampled"
check samples "$BIN/trace-join" -q --unrelated -o samples.trace "$sampled" sampled.trace
check samples.verify "$BIN/trace-verify" -q samples.trace
# Each sample is there twice, of the process of each part; threads, samplers and mappings have new numbers.
dump_samples() { "$BIN/trace-dump" --samples --format=jsonl "$1" | sed -E 's/"(thread|sampler|mapping)":[0-9]+,?//g' | sort; }
check_equal samples.same "$(dump_samples "$sampled" | sed p | cksum)" "$(dump_samples samples.trace | cksum)"
check_equal samples.threads '0 1' "$("$BIN/trace-dump" --samples --format=jsonl samples.trace |
	sed -nE 's/.*"type":"sample".*"thread":([0-9]+).*/\1/p' | sort -u | xargs)"
for thread in 0 1; do
	check_equal samples.of_thread.$thread \
		"$("$BIN/trace-dump" --samples --format=jsonl samples.trace | grep -v "\"thread\":$((1 - thread))\>")" \
		"$("$BIN/trace-dump" --samples --format=jsonl --thread=$thread samples.trace)"
done
check samples.threads_differ test -n "$("$BIN/trace-dump" --samples --format=jsonl --thread=1 samples.trace | grep '"thread":1')"
check_status samples.no_thread 3 "$BIN/trace-dump" --samples --thread=2 samples.trace
check samples.reader cmp <("$BIN/trace-dump" --samples --format=jsonl samples.trace) \
	<(/usr/bin/python3 "$golden/../../reader.py" --samples samples.trace)

"$BIN/../examples/write-trace" hand.trace
check_equal later 1 "$("$golden/../../cli/later_events.py" hand.trace later.trace 1)"
check later.verify "$BIN/trace-verify" -q later.trace
check_status later.join 0 "$BIN/trace-join" --format=json -o known.trace later.trace
check_match later.warning 'known.trace lacks events that only a later version knows: 1$' err
check_match later.summary '"unknown_events": 1,' out
check_status later.none 0 "$BIN/trace-join" -q -o hand.joined.trace hand.trace
check_equal later.silent '' "$(cat err)"

# ---- refused ----
check_status twice 1 "$BIN/trace-join" -o refused.trace child.trace child.trace
check_match twice.says 'child.trace: is the same trace as child.trace' err
"$BIN/trace-repack" -q -o packed.trace child.trace
check_status process 1 "$BIN/trace-join" -o refused.trace child.trace packed.trace
check_match process.says "packed.trace: has process $pid, as child.trace has" err
check process.unrelated "$BIN/trace-join" -q --unrelated -o pair.trace child.trace packed.trace
check_equal process.pair "$(sums info child.trace packed.trace)" "$(sums info pair.trace)"
"$BIN/trace-record" -q --no-addresses -o plain.trace -- "$PROGRAMS/live" >/dev/null
check_status addresses 1 "$BIN/trace-join" -o refused.trace same.1.trace plain.trace
check_match addresses.says 'has addresses, the other trace has none' err
"$BIN/trace-record" -q --vectors --interval=10k -o vectors.trace -- "$PROGRAMS/live" >/dev/null
check_status vectors 1 "$BIN/trace-join" -o refused.trace same.1.trace vectors.trace
check_match vectors.says 'has basic block vectors' err
check_status machine 1 "$BIN/trace-join" -o refused.trace same.1.trace "$golden/by-hand.trace"
check_match machine.says 'host.cpu.vendor' err
# another kernel: a byte of META is changed
read -r at < <(/usr/bin/python3 -c 'data = open("same.2.trace", "rb").read()
at = data.index(b"host.kernel: ") + 13
print(at - data.rindex(b"\xf3TRCSEC\n", 0, at) - 80)')
"$edit" same.2.trace other.trace byte:META:0:"$at":77
check other.verify "$BIN/trace-verify" -q other.trace
check_status kernel 1 "$BIN/trace-join" -o refused.trace same.1.trace other.trace
check_match kernel.says "other.trace: is of another machine than same.1.trace: host.kernel is 'Minux" err
check kernel.unrelated "$BIN/trace-join" -q --unrelated -o others.trace same.1.trace other.trace
check_status itself 1 "$BIN/trace-join" --force -o same.1.trace same.1.trace same.2.trace
check itself.whole "$BIN/trace-verify" -q same.1.trace
check_status exists 1 "$BIN/trace-join" -o joined.trace same.1.trace same.2.trace
check_match exists.says 'exists, a finished trace; use --force' err
head -c 5000 same.1.trace >half.trace
check_status unfinished 1 "$BIN/trace-join" -o refused.trace half.trace same.2.trace
check_match unfinished.says 'trace-repair' err
check refused.none test ! -e refused.trace
check_status full 1 bash -c 'trap "" XFSZ; ulimit -f 2; exec "$@"' - "$BIN/trace-join" -o full.trace same.1.trace same.2.trace
check_match full.says 'cannot write' err
check full.removed test ! -e full.trace
check_status pipe.twice 2 "$BIN/trace-join" -o refused.trace - same.2.trace -
check_match pipe.twice.says 'only one trace can be standard input' err
check pipe sh -c '"$0/trace-join" -q -o - - same.2.trace <same.1.trace | "$0/trace-verify" -q -' "$BIN"
