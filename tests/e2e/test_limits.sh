#!/bin/bash
# SPDX-License-Identifier: MIT
# A recording of a part of a program is exactly that part of the whole recording.
. "$(dirname "$0")/e2e.sh"

program=$PROGRAMS/functions
# The program's load address without randomization, and the address of one of its functions.
address() {
	printf ',0x%x,' $((0x555555554000 + 0x$(nm "$program" | sed -n "s/ [Tt] $1\$//p")))
}
# The whole recording: one line an instruction.
check_equal whole.out done "$(record whole.trace -- "$program")"
code whole.trace >whole
total=$(wc -l <whole)
check_equal whole.instructions "$(info whole.trace instructions)" "$total"
# ordinal NAME [FROM]: the number, from 1, of the first instruction of a function at or after FROM.
ordinal() {
	awk -v from="${2:-0}" -v pc="$(address "$1")" 'NR > from && index($0, pc) { print NR; exit }' whole
}

# part NAME FIRST LAST OPTION...: the trace has those lines of the whole, and the program ends well.
part() {
	local name=$1 first=$2 last=$3
	shift 3
	check_equal $name.out done "$(record $name.trace "$@" -- "$program")"
	code $name.trace >part
	check $name.part cmp part <(sed -n "$first,${last}p" whole)
	check_equal $name.instructions $((last - first + 1)) "$(info $name.trace instructions)"
	check_whole $name $name.trace
}

part count 1 500 --count=500
check_equal count.reason count "$(info count.trace stop_reason)"
check_equal count.exit_status 0 "$(info count.trace exit_status)"
part one 1 1 --count=1
part all 1 $total --count=1G
check_equal all.reason exit "$(info all.trace stop_reason)"
part skip $((total - 999)) $total --skip=$((total - 1000))
part slice 1001 1500 --skip=1000 --count=500
check_match slice.gap '"reason":"skipped","instructions":1000' <(events slice.trace gap)
# a region that begins in the middle of a rep or of a block is exact all the same
for first in 2001 2002 2003 2004 2005; do
	part slice_$first $first $((first + 6)) --skip=$((first - 1)) --count=7
done
check_equal nothing.status 125 "$(record nothing.trace --skip=1G -- "$program" 2>err >/dev/null; echo $?)"
check_equal nothing.instructions 0 "$(info nothing.trace instructions)"
check nothing.verify "$BIN/trace-verify" -q nothing.trace
check_match nothing.says 'nothing was recorded: the program ended 999,?[0-9,]* instructions before the end of --skip' err

part from "$(ordinal begin)" $total --from=begin
part to 1 $(($(ordinal end) - 1)) --to=end
check_equal to.reason to "$(info to.trace stop_reason)"
part from_to "$(ordinal begin)" $(($(ordinal end) - 1)) --from=begin --to=end
part from_count "$(ordinal middle)" $(($(ordinal middle) + 9)) --from=middle --count=10
part from_skip $(($(ordinal factorial) + 3)) $(($(ordinal factorial) + 12)) --from=factorial --skip=3 --count=10
check_equal region "region-begin region-end" \
	"$(listing from_to.trace --events | grep -oE 'region-(begin|end)' | xargs)"

# functions of a library that is not yet loaded when the program begins
check_equal library.out done "$(record library.trace --from=putchar --from=puts --count=10 -- "$program")"
check_equal library.count 10 "$(info library.trace instructions)"
check_match library.symbol '^(puts|_IO_puts)[^+]* \(libc' <("$BIN/trace-dump" library.trace)

# between two marks, the first one included
check_equal marks.out 4498500 "$(record marks.trace --from=ssc:111 --to=ssc:0xde -- "$PROGRAMS/marks")"
code marks.trace >marks
record unmarked.trace -- "$PROGRAMS/marks" >unmarked.out
code unmarked.trace >unmarked
first=$(grep -nF "$(head -1 marks)" unmarked | cut -d: -f1)
check marks.part cmp marks <(sed -n "$first,$((first + $(wc -l <marks) - 1))p" unmarked)
check_equal marks.mark "bb6f000000 646790" "$(head -2 marks | cut -d, -f3 | xargs)"
check_match marks.next '^0,0x[0-9a-f]*,bbde000000,' <(sed -n "$((first + $(wc -l <marks)))p" unmarked)
check_equal marks.none 0 "$(record none.trace --from=ssc:112 -- "$PROGRAMS/marks" >none.out; info none.trace instructions)"
check_status marks.wrong 2 "$BIN/trace-record" --from=ssc:x true

# segments longer than the file: the kernel maps the part that exists
/usr/bin/python3 - "$PROGRAMS/marks" longer <<'PYEND'
import struct
import sys

with open(sys.argv[1], "rb") as file:
    data = bytearray(file.read())
headers, = struct.unpack_from("<Q", data, 32)
for i in range(*struct.unpack_from("<H", data, 56)):
    at = headers + 56 * i
    kind, flags = struct.unpack_from("<II", data, at)
    if kind == 1 and flags & 1:  # code that is loaded
        sizes = struct.unpack_from("<QQ", data, at + 32)
        struct.pack_into("<QQ", data, at + 32, *(size + (1 << 20) for size in sizes))
with open(sys.argv[2], "wb") as file:
    file.write(data)
PYEND
chmod +x longer
check_equal marks.longer 4498500 "$(record longer.trace --from=ssc:111 --to=ssc:0xde -- ./longer)"
check_equal marks.longer.part "$(info marks.trace instructions)" "$(info longer.trace instructions)"

# a function that does not exist
"$BIN/trace-record" --force -o nowhere.trace --from=no_such_function -- "$program" >out 2>err
check_equal nowhere.status 125 $?
check_match nowhere.says no_such_function err
check_equal nowhere.instructions 0 "$(info nowhere.trace instructions)"

# The other options change only how the trace is stored.
part chunks 1 $total --chunk=10k
number=$(info chunks.trace chunks) path=512	# the longest; a chunk ends behind one
check chunks.number [ $number -le $(((total + 9999) / 10000)) -a \
	$number -ge $(((total + 9999 + path) / (10000 + path))) ]
part level 1 $total --level=1
part blocks_of_one 1 300 --chunk=1 --count=300

check_equal control_flow.out done "$(record control_flow.trace --no-addresses -- "$program")"
code control_flow.trace >part
check control_flow.rest cmp part \
	<(sed 's/ @0x[0-9a-fx,]*]/]/g' whole)
check_equal control_flow.addresses "0 false" "$(grep -c '@0x' part) $(info \
	control_flow.trace addresses)"
check_whole control_flow control_flow.trace
check control_flow.smaller [ "$(info control_flow.trace bytes)" -lt "$(info whole.trace bytes)" ]

# By time: the program sleeps until the recorder has let it go. On a busy computer it may not run in so short a time:
# then for longer.
for time in 0.5 5 50; do
	record time.trace --time=$time -- sh -c 'until grep -q "^TracerPid:[^0-9]*0$" /proc/$$/status; do sleep 0.1; done'
	status=$?
	[ $status = 125 ] && [ "$(info time.trace instructions)" = 0 ] || break
done
check_equal time.status 0 $status
check_equal time.reason time "$(info time.trace stop_reason)"
check_whole time time.trace

# The end comes before the program runs: the status is 125 if and only if the trace is empty.
for options in "--every=10ms --for=1ms" "--vectors --interval=10k" "--backend=step"; do
	"$BIN/trace-record" -q --force -o brief.trace $options --time=1us -- true 2>err
	status=$?
	executed=$(info brief.trace instructions)
	[[ $options != --vectors* ]] || executed=$(info brief.trace vector_instructions)
	executed=$((${executed:-0} > 0))
	check_equal "brief.status($options)" $((executed ? 0 : 125)) $status
	check_equal "brief.says($options)" $((executed ? 0 : 1)) \
		"$(grep -c 'nothing was recorded: the program executed nothing before the recording ended' err)"
done

# By size: sorting noise gives more than 64 KiB.
head -c 20000 /dev/urandom >noise
record size.trace --max-size=64Ki -- sort noise >sorted 2>err
check_equal size.status 0 $?
check size.out cmp sorted <(sort noise)
check_equal size.reason size "$(info size.trace stop_reason)"
check_match size.gap '"reason":"size-limit"' <(events size.trace gap)
check size.bytes [ "$(info size.trace bytes)" -le $((64 * 1024)) ]
check_whole size size.trace
# A command line that does not fit is cut, with a message.
argument=$(head -c 70000 /dev/urandom | base64 -w 0 | tr +/ xy)
record line.trace --max-size=128Ki -- sort -T "$argument" noise >sorted 2>err
check_equal line.reason size "$(info line.trace stop_reason)"
check line.bytes [ "$(info line.trace bytes)" -le $((128 * 1024)) ]
check_match line.says 'only [0-9]+ bytes of command.argv are in the trace: the rest would take too much of --max-size' err
check_match line.kept "^sort -T ${argument:0:1000}" <(info line.trace command)
check_whole line line.trace
# New code takes most of the room, whatever the buffer holds when the room ends.
for limit in 64Ki 100Ki 128Ki; do
	record "code.$limit.trace" --max-size=$limit -- sort noise >sorted 2>err
	check_equal "code.$limit.reason" size "$(info "code.$limit.trace" stop_reason)"
	check "code.$limit.bytes" [ "$(info "code.$limit.trace" bytes)" -le $((${limit%Ki} * 1024)) ]
done
