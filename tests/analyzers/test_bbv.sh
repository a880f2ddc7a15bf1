#!/bin/bash
# SPDX-License-Identifier: MIT
# trace-bbv beyond exp-bbv: the exact rules against a model that goes by single instructions, the effect
# of options, threads and processes, and traces for which there is nothing to write.
. "$(dirname "$0")/../lib.sh"
tests=$(cd "$(dirname "$0")" && pwd)
cd "$work" || exit 1

# vectors OPTION...: of $trace, into bb and pc
vectors() { "$BIN/trace-bbv" --bb-out-file=bb --pc-out-file=pc "$@" "$trace" >out 2>err; }
lines() { grep ^T "${1:-bb}"; }

for name in blocks branches; do
	trace=$name.trace
	"$PROGRAMS/$name"
	check_status "records_$name" $? "$BIN/trace-record" -o "$trace" -- "$PROGRAMS/$name"
	"$BIN/trace-dump" --format=jsonl --bytes "$trace" >"$name.jsonl"
	for rules in dynamic cfg; do
		for size in 1 13 1000; do
			/usr/bin/python3 -B "$tests/bbv_model.py" $rules $size <"$name.jsonl" >model
			vectors --compat=exact --blocks=$rules --keep-last --interval-size=$size
			check "$name.$rules.$size" cmp model <(lines; cut -d: -f1-3 pc)
		done
	done
done

# Counts of repetitions come with the paths of a whole trace, and with all addresses of a part. The part here
# has many chunks, whose slots have sources.
trace=sources.trace
check_status records_sources 0 "$BIN/trace-record" -q --count=300k --chunk=20k -o "$trace" -- \
	gzip -c "$PROGRAMS/vectors"
vectors --interval-size=1000
mv bb whole.bb && mv pc whole.pc
vectors --interval-size=1000 --count=1G
check repetitions_by_paths cmp whole.bb bb
check repetitions_by_paths.pc cmp whole.pc pc
for jobs in 2 5; do
	vectors --interval-size=1000 --jobs=$jobs
	check "jobs.$jobs" cmp whole.bb bb
	check "jobs.$jobs.pc" cmp whole.pc pc
done

# ---- options ----

trace=blocks.trace
vectors --interval-size=1000
mv bb default.bb && mv pc default.pc
vectors --interval-size=1000 --compat=exp-bbv
check compat_is_the_default cmp default.bb bb
vectors --interval-size=1000 --keep-last
check_equal one_line_more $(($(lines default.bb | wc -l) + 1)) "$(lines | wc -l)"
check keeps_the_others cmp <(lines default.bb) <(lines | head -n -1)
vectors --interval-size=1000 --compat=exact --keep-last
check_equal exact_lines_hold_all "$(sed -n 's/^#   Total instructions: //p' bb)" \
	"$(lines | grep -o ':[0-9]* ' | tr -d : | awk '{ n += $1 } END { print n }')"
check_equal each_of_them_holds_as_many "1000 " "$(lines | head -n -1 | while IFS= read -r line; do
	grep -o ':[0-9]* ' <<<"$line" | tr -d : | awk '{ n += $1 } END { print n }'
done | sort -u | xargs) "
vectors --interval-size=1000 --key=module+offset
check same_vectors_by_offset cmp default.bb bb
check_equal places_by_offset "$(sed 's/^F:\([0-9]*\):/\1 /; s/:.*//' default.pc)" \
	"$(sed -n 's/^F:\([0-9]*\):blocks+\([0-9a-f]*\):.*/\1 \2/p' pc)"
cp pc by_offset.pc
vectors --interval-size=1000 --places=module+offset
check places_alone_by_offset cmp by_offset.pc pc

for how in gzip:gz:zcat zstd:zst:zstdcat; do
	IFS=: read -r word suffix unpack <<<"$how"
	"$BIN/trace-bbv" --interval-size=1000 --compress=$word --bb-out-file=c --pc-out-file=d "$trace" >out 2>&1
	check $word cmp default.bb <($unpack c.$suffix)
	check $word.places cmp default.pc <($unpack d.$suffix)
	"$BIN/trace-bbv" --interval-size=1000 --bb-out-file=e.$suffix "$trace" >out 2>&1
	check $word.by_name cmp c.$suffix e.$suffix
done
check_equal nothing_half_written "" "$(ls | grep part)"
check_status cfg_is_not_exp_bbv 2 "$BIN/trace-bbv" --compat=exp-bbv --blocks=cfg "$trace"

# The addresses of every instruction, as trace-dump has them, by page.
vectors --interval-size=1T --keep-last --memory=page --memory-weight=0
/usr/bin/python3 - blocks.jsonl >pages <<'END'
import json, sys
pages = {}
for line in open(sys.argv[1]):
    step = json.loads(line)
    for access in step['mem'] if step['type'] == 'insn' else []:
        if access['kind'] == 'prefetch':
            continue
        down = -1 if access.get('down') else 1
        for i in range(access.get('count', 1)):
            page = int(access['address'], 16) + down * i * access['size'] >> 12
            pages[page] = pages.get(page, 0) + 1
print(' '.join('%x:%d' % (page << 12, pages[page]) for page in sorted(pages)))
END
join -t: -1 2 -2 1 <(grep ^M pc | sort -t: -k2,2) <(lines | tr -s ' ' '\n' | sed 's/^T*://' | sort -t: -k1,1) |
	awk -F: '{ print $3 ":" $5 }' | sort | xargs >ours
check pages cmp pages ours
vectors --interval-size=1000 --memory=miss
check_match levels_have_names '^M:[0-9]*:1:L1$' pc
# Counts are rounded: a line may be off by half a count for each of the four levels.
check_equal weighted "" "$(awk -F: 'NR == FNR { if ($1 == "M") level[$2] = 1; next }
	/^T/ { blocks = memory = 0; for (i = 2; i < NF; i += 2)
		if ($i in level) memory += $(i + 1); else blocks += $(i + 1)
	if (memory < blocks - 2 || memory > blocks + 2) print }' pc bb)"

# ---- paths and blocks ----

# A range is counted block by block, everything else by path exits; the result is the same.
for name in blocks branches strings blocks-signals states; do
	trace=by.trace
	"$BIN/trace-record" -q --force -o "$trace" -- "$PROGRAMS/$name" >/dev/null
	for size in 1 100; do
		vectors --interval-size=$size
		mv bb by.bb && mv pc by.pc
		vectors --interval-size=$size --count=1T
		check "$name.by_block.$size" cmp by.bb bb
		check "$name.by_block.$size.places" cmp by.pc pc
	done
done

# ---- threads and processes ----

trace=threads.trace
check_status records_threads 0 "$BIN/trace-record" -o "$trace" -- "$PROGRAMS/workers"
vectors --interval-size=1000 --compat=exact --keep-last
check_equal a_file_a_thread "$(grep -c '# Thread' err)" "$(ls bb bb.* | wc -l)"
check_equal all_instructions "$("$BIN/trace-info" --format=json "$trace" | sed -n 's/.*"instructions": *\([0-9]*\).*/\1/p' | head -1)" \
	"$(sed -n 's/^#   Total instructions: //p' bb bb.* | awk '{ n += $1 } END { print n }')"
check_status follows 0 "$BIN/trace-record" --follow -o follow.trace -- "$PROGRAMS/forks"
trace=follow.trace
rm -f bb*
"$BIN/trace-bbv" --interval-size=1000 --keep-last --bb-out-file=p.%p --pc-out-file=c.%p "$trace" >out 2>err
check_equal a_file_a_process "$(sed -n 's/^==\([0-9]*\)== # Thread 1$/p.\1/p' err | sort)" "$(ls p.*)"
check_equal places_of_each "$(ls p.* | sed 's/^p/c/')" "$(ls c.[0-9]*)"

# ---- the table of threads ----

"$BIN/trace-bbv" --interval-size=1000 --keep-last --bb-out-file=of.%p --format=csv "$trace" >out 2>err
check_equal thread_indexes "$("$BIN/trace-info" --threads --format=json "$trace" | /usr/bin/python3 -c '
import collections, json, sys
info, n = json.load(sys.stdin), collections.Counter()
for t in info["thread_list"]:
    pid = info["process_list"][t["process"]]["pid"]
    n[pid] += 1
    print(pid, t["thread"], n[pid])')" "$(sed -n '/^pid,/,/^$/p' out | awk -F, 'NR > 1 && NF > 1 { print $1, $2, $3 }')"

# ---- nothing to write ----

for option in bb pc; do
	check_status standard_output.$option 2 "$BIN/trace-bbv" --$option-out-file=- "$trace"
	check_match standard_output.$option.says "$option-out-file=-: is not standard output" "$work/err"
done
check standard_output.no_file test ! -e -

trace=blocks.trace
rm -f bb pc
check_status no_interval 3 "$BIN/trace-bbv" --interval-size=1G --bb-out-file=bb "$trace"
check_match no_interval.says 'no interval is full: the longest thread has [0-9]* instructions' "$work/err"
check_match no_interval.summary '^#   Total intervals: 0 ' bb
check_status counted 0 "$BIN/trace-bbv" --interval-size=1G --instr-count-only --bb-out-file=bb "$trace"
rm -f bb
check_status beyond 1 "$BIN/trace-bbv" --from=1G --bb-out-file=bb "$trace"
check_match beyond.says 'no instructions' "$work/err"
check_equal beyond.no_file "" "$(ls bb* 2>&1 | grep -v 'cannot access')"
check_status no_such_mark 3 "$BIN/trace-bbv" --interval-mark=frame "$trace"
check_match no_such_mark.says "no region 'frame'" "$work/err"
# --from and --to choose one region: an interval that holds all its instructions, however long.
"$BIN/trace-record" -q --from=factorial --to=end -o part.trace -- "$PROGRAMS/functions" >/dev/null
trace=part.trace
vectors --compat=exact --interval-mark=recorded
check_equal marked_region.one_line 1 "$(lines | wc -l)"
check_equal marked_region.holds_all "$("$BIN/trace-info" --format=json part.trace |
	tr -d ' ,' | sed -n 's/^"instructions"://p' | head -n 1)" \
	"$(lines | grep -o ':[0-9]* ' | tr -d : | awk '{ n += $1 } END { print n }')"
trace=blocks.trace
mkdir full
check_status no_place_for_pcs 1 "$BIN/trace-bbv" --interval-size=1k --bb-out-file=full/bb \
	--pc-out-file=none/pc "$trace"
check_equal no_place_for_pcs.nothing "" "$(ls full)"
check_status records_flow 0 "$BIN/trace-record" --no-addresses -o flow.trace -- "$PROGRAMS/blocks"
check_status no_addresses 3 "$BIN/trace-bbv" --memory=page flow.trace
check_match no_addresses.says 'no data addresses' "$work/err"
"$BIN/trace-bbv" --interval-size=1000 --bb-out-file=bb flow.trace >out 2>&1
check without_addresses cmp default.bb bb
check_status of_a_pipe 0 sh -c '"$0/trace-record" -q --no-addresses -o - -- "$1" |
	"$0/trace-bbv" --interval-size=1000 --bb-out-file=bb -' "$BIN" "$PROGRAMS/blocks"
check of_a_pipe.same cmp default.bb bb

# A line that is too long for SimPoint 3.2: each of 110,000 blocks is executed.
awk 'BEGIN { print ".globl _start\n_start:"; for (i = 0; i < 110000; i++) print "jmp 1f\n1:"; print "mov $60, %eax\nxor %edi, %edi\nsyscall" }' \
	>"$work/long.S"
if gcc -nostdlib -static -o "$work/long" "$work/long.S" 2>/dev/null; then
	"$BIN/trace-record" -q -o "$work/long.trace" -- "$work/long"
	check_status long_line 0 "$BIN/trace-bbv" --interval-size=110k --bb-out-file="$work/long.bb" "$work/long.trace"
	check_match long_line.says 'long.bb: a line has [0-9]+ bytes, but SimPoint 3.2 reads lines below 1 MiB' "$work/err"
fi
