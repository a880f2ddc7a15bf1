#!/bin/bash
# SPDX-License-Identifier: MIT
# trace-anonymise: no secret of a program stays in its trace, the analyzers' results stay, and what is not understood
# is refused.
. "$(dirname "$0")/../lib.sh"
here=$(cd "$(dirname "$0")" && pwd)
tests=$(dirname "$here")
tests_bin=$(dirname "$BIN")/tests
anonymise=$BIN/trace-anonymise
cd "$work" || exit 1
. "$here/anonymised.sh"
head -c 32 /dev/zero | tr '\0' '\102' >other_key

# ---- nothing is left --------------------------------------------------------------------------

mkdir secret_folder_2
echo 'secret_content' >secret_folder_2/secret_file_3
(cd secret_folder_2 && secret_environment=secret_value_5 "${recorder[@]}" -q --env=all -o ../leaks.trace \
	--function=secret_symbol_4 -- "$PROGRAMS/leaks" secret_argument_1 secret_file_3)
texts=(secret_argument_1 secret_folder_2 secret_file_3 secret_symbol_4 secret_value_5 leaks)
code=(0x5a11223344556677 0x2b334455)
arguments=(0x5a0102030405)
unread=(0x5a77665544332211)
grep -q avx2 /proc/cpuinfo && unread+=(0x5a0badc0de0ddf00)
secrets=("${texts[@]}" "${code[@]}" "${arguments[@]}" "${unread[@]}")

found() {
	/usr/bin/python3 -B "$here/leaks.py" "$1" "${secrets[@]}" | paste -sd' '
}
check_equal found.before "${secrets[*]}" "$(found leaks.trace)"
check keep make keep.trace --names=keep leaks.trace
# The command line and the environment are dropped at each level; so are values that nobody reads.
check_equal found.keep "secret_folder_2 secret_file_3 secret_symbol_4 leaks ${code[*]} ${arguments[*]}" "$(found keep.trace)"
for levels in --preset=share --preset=public '--preset=share --code=facts' '--preset=share --addresses=drop' \
	'--preset=share --addresses=keep' '--preset=share --times=keep'; do
	# shellcheck disable=SC2086
	check "made $levels" make made.trace $levels leaks.trace
	check "verify $levels" "$BIN/trace-verify" -q made.trace
	case $levels in *public* | *facts*) ;; *) check "decode $levels" "$BIN/trace-verify" -q --decode made.trace ;; esac
	check_equal "found $levels" "" "$(found made.trace)"
done
# Each switch hides what it is for, without the others.
make names.trace --names=hash leaks.trace
check_equal found.names "${code[*]} ${arguments[*]}" "$(found names.trace)"
# The switch also hides the numbers of processes and threads, and the sizes and build-ids of files.
check_equal names.numbers "1 1" "$("$BIN/trace-info" --threads names.trace | awk '$1 == "0" { print $(NF == 3 ? 2 : 3) }' | xargs)"
files() { # those with a size or a build-id
	"$BIN/trace-info" --modules "$1" | awk '$2 == "file" && ($3 != "0" || $5 != "-")'
}
check names.files.before test -n "$(files leaks.trace)"
check_equal names.files "" "$(files names.trace)"
make code.trace --code=no-constants leaks.trace
check_equal found.code "secret_folder_2 secret_file_3 secret_symbol_4 leaks ${arguments[*]}" "$(found code.trace)"
# The bytes of no instruction stay where code is withheld. Eight bytes are a number for the search. A number near 0, also a
# negative one, has a short form, which other numbers of the trace may have, too.
mapfile -t encodings < <("$BIN/trace-dump" --format=jsonl leaks.trace | grep -oE '"bytes": ?"[0-9a-f]{16,}"' |
	sed -E 's/.*"(..)(..)(..)(..)(..)(..)(..)(..).*/0x\8\7\6\5\4\3\2\1/' | grep -vE '^0x(00|ff)' | sort -u | head -40)
search=("${secrets[@]}")
secrets=("${encodings[@]}")
check encodings.some test "${#secrets[@]}" -gt 20
check_equal found.encodings.keep "${secrets[*]}" "$(found keep.trace)"
for level in facts regdeps; do
	make $level.trace --code=$level --names=keep leaks.trace
	check_equal found.encodings.$level "" "$(found $level.trace)"
done
secrets=("${search[@]}")
# Without the names of instructions, system calls may be int 0x80, whose numbers are those of other calls.
make twice.trace --events=no-arguments regdeps.trace
check_equal events.other_table "" "$("$BIN/trace-dump" twice.trace | grep -E ' syscall .*args=.*0x0*[1-9a-f]')"
check events.table test -n "$("$BIN/trace-dump" regdeps.trace | grep -E ' syscall .*args=.*0x0*[1-9a-f]')"
make events.trace --events=no-arguments leaks.trace
check_equal found.events "secret_folder_2 secret_file_3 secret_symbol_4 leaks ${code[*]}" "$(found events.trace)"
# The length of a mapping is the size of a file; only its pages stay.
lengths() {
	"$BIN/trace-dump" "$1" | sed -nE 's/.* name=mmap args=0x[0-9a-f]+,0x([0-9a-f]+),.*/\1/p'
}
rounded() {
	while read -r length; do printf '%x\n' $(((0x$length + 4095) & ~4095)); done
}
"${recorder[@]}" -q -o true.trace -- true
make made.trace --events=no-arguments true.trace
check lengths.exact grep -qv '000$' <(lengths true.trace)
check_equal lengths.rounded "$(lengths true.trace | rounded)" "$(lengths made.trace)"
make made.trace --preset=share --addresses=drop leaks.trace
check_status dropped 3 "$BIN/trace-stackdist" -q made.trace
check_match dropped.advice 'anonymise it again without --addresses=drop' err
# No address of the old trace is one of the new trace, except in the first 64 KiB.
addresses() {
	"$BIN/trace-dump" --format=jsonl "$1" | grep -oE '"(pc|address)": ?"?(0x)?[0-9a-f]{5,}' | sort -u
}
make share.trace --preset=share leaks.trace
addresses leaks.trace >before
addresses share.trace >after
check addresses.some test -s before
check_equal addresses.kept "" "$(comm -12 before after)"
check_match meta 'anonymised.code +no-constants' <("$BIN/trace-info" --meta share.trace)
check_equal meta.kept "" "$("$BIN/trace-info" --meta share.trace |
	grep -E '^(command|exe|env|recorder|host\.(cpu\.(model|flags)|kernel))')"
check kept_meta sh -c '"$@" && "$0" --meta kept.trace | grep -q "^host.kernel"' "$BIN/trace-info" \
	"$anonymise" -q --preset=share --keep-meta=host.kernel -o kept.trace leaks.trace
make public.trace --preset=share --public='*/leaks' leaks.trace
check_equal public "secret_symbol_4 leaks" "$(found public.trace | sed 's/secret_folder_2 //')"

# Unknown parts are not copied: sections that are safe to copy, lines of META, and known lines with other values.
printf '%s\n' 'private.key: secret_meta_6' 'order: secret_meta_7' 'slice.weight: secret_meta_8' >lines
printf secret_section_9 >section
"$tests_bin/edit_trace" leaks.trace unknown.trace add:META:lines add:0x8001:section set:0x8001:0:flags:2
secrets=(secret_meta_6 secret_meta_7 secret_meta_8 secret_section_9)
check_equal unknown.before "${secrets[*]}" "$(found unknown.trace)"
check unknown make made.trace --names=keep unknown.trace
check_equal unknown.copied "" "$(found made.trace)"

# ---- results stay -------------------------------------------------------------------------------

# With all levels at keep, only the numbers of threads and processes change, and what free() leaves in rax, which is no
# result, becomes 0. It is 0 already unless threads contend for the heap.
listing() {
	"$BIN/trace-dump" --format=jsonl "$1" | sed -E 's/"(tid|pid)":[0-9]+/"\1":0/g
		s/"(set_tid_address|clone3?|fork|wait4|getpid|gettid)","result":[0-9]+/"\1"/
		s/"(wait4|t?g?kill)","args":\["[^"]*",("[^"]*")?/"\1"/; s/"name":"free","result":"[^"]*"/"name":"free"/'
}
programs=$(quick_or_full 'reps lanes workers' 'reps lanes workers threads strings operands handlers forks recursion selfmod stack')
for program in $programs; do
	"${recorder[@]}" -q -o $program.trace -- "$PROGRAMS/$program" $([ $program != workers ] || echo 3 40) >/dev/null 2>&1
	make made.trace --names=keep $program.trace
	check "$program.keep" cmp <(listing $program.trace) <(listing made.trace)
	compare_levels $program
	for level in regdeps drop; do
		check "$program.$level.reader" cmp <("$BIN/trace-dump" --format=jsonl $program-$level.trace) \
			<(/usr/bin/python3 -B "$tests/reader.py" $program-$level.trace)
	done
	rm $program-*.trace
done

is_quick && "${recorder[@]}" -q -o threads.trace -- "$PROGRAMS/threads" >/dev/null 2>&1

# Objects of the heap are found by the pointers that malloc returned.
"${recorder[@]}" -q -o objects.trace -- "$PROGRAMS/objects" >/dev/null 2>&1
check objects make made.trace --preset=share --names=keep objects.trace
numbers() {
	"$BIN/trace-slo" --format=json --data --min-distance=1 "$1" | grep -oE '"[a-z_]+": [0-9.]+,?$'
}
check objects.numbers cmp <(numbers objects.trace) <(numbers made.trace)
check objects.some test -n "$(numbers made.trace | head -1)"

# Without extras, an instruction has the same operands in each execution; with them, some have not.
varying() { # the number of instructions whose operands differ
	"$BIN/trace-dump" --format=jsonl "$1" | /usr/bin/python3 -c 'import json, sys
operands = {}
for row in map(json.loads, sys.stdin):
    if row["type"] != "event":
        operands.setdefault((row["thread"], row["pc"]), set()).add(json.dumps(row["mem"]))
print(sum(len(o) > 1 for o in operands.values()))'
}
for program in reps lanes; do
	make made.trace --preset=share --addresses=drop $program.trace
	check "extras.$program.keep" test "$(varying made.trace)" -gt 0
	check "extras.$program.drop" make made.trace --preset=share --addresses=drop --extras=drop $program.trace
	check "extras.$program.verify" "$BIN/trace-verify" -q --decode made.trace
	check_equal "extras.$program" 0 "$(varying made.trace)"
done
make twice.trace --preset=share made.trace
check_match extras.twice 'anonymised.extras +drop' <("$BIN/trace-info" --meta twice.trace)
check_equal extras.twice.varying 0 "$(varying twice.trace)"
check_status extras.addresses 2 "$anonymise" --preset=share --extras=drop -o no.trace reps.trace
check_match extras.addresses.says 'needs --addresses=drop' err

# Instructions that fault have no other place in a trace than the signal; vectors of basic blocks count them.
"${recorder[@]}" -q -o recovers.trace -- "$PROGRAMS/recovers" >/dev/null 2>&1
counted() {
	"$BIN/trace-bbv" --instr-count-only "$1" 2>&1 | awk '/Total instructions/ { n += $NF } END { print n }'
}
check signals.some test "$(counted recovers.trace)" -gt "$(info recovers.trace instructions)"
for levels in --events=kinds '--preset=share --addresses=drop' --preset=public; do
	# shellcheck disable=SC2086
	make made.trace $levels recovers.trace
	check_equal "signals $levels" "$(counted recovers.trace)" "$(counted made.trace)"
done
codes() { "$BIN/trace-dump" --events --format=jsonl "$1" | grep '"event":"signal"' | grep -oE '"code":-?[0-9]+' | sort -u | xargs; }
check_equal signals.codes 'code:1' "$(codes made.trace)"

# Exports without code are the same if addresses stay.
check exports make made.trace --preset=share --names=drop --events=kinds --times=drop --addresses=keep --order=keep lanes.trace
for format in champsim cbp2025 sbbt xdin gem5-elastic; do
	for trace in lanes made; do
		check "exports.$trace.$format" "$BIN/trace-export" -q --to=$format --thread=0 -o $trace.$format $trace.trace
	done
	check "exports.$format" cmp lanes.$format made.$format
done

# A slice of the new trace is the new trace of the slice.
"$BIN/trace-cut" -q --from=500 --count=800 -o slice.trace lanes.trace
make whole.trace --preset=share --times=keep --map=slices.map lanes.trace
make new_slice.trace --preset=share --times=keep --map=slices.map slice.trace
"$BIN/trace-cut" -q --from=500 --count=800 -o slice_of_new.trace whole.trace
check slice cmp <("$BIN/trace-dump" --format=jsonl new_slice.trace) <("$BIN/trace-dump" --format=jsonl slice_of_new.trace)

# ---- the same key, the same trace ---------------------------------------------------------------

make one.trace --preset=share --jobs=1 threads.trace
make three.trace --preset=share --jobs=3 threads.trace
check jobs cmp one.trace three.trace
"$anonymise" -q --preset=share --key=other_key -o other.trace threads.trace
check_status other_key 1 cmp -s one.trace other.trace
# Anonymizing twice changes nothing but the UUID, which the old UUID decides.
make twice.trace --preset=share one.trace
check twice cmp <("$BIN/trace-dump" --format=csv one.trace) <("$BIN/trace-dump" --format=csv twice.trace)
meta() {
	"$BIN/trace-info" --meta "$1" | grep -vE '^(file|uuid) '
}
check_equal twice.meta "$(meta one.trace)" "$(meta twice.trace)"
make weaker.trace --times=keep one.trace
check_match weaker 'anonymised.names +hash' <("$BIN/trace-info" --meta weaker.trace)
check repack "$BIN/trace-repack" -q -o packed.trace one.trace
check repack.same cmp <("$BIN/trace-dump" --format=csv one.trace) <("$BIN/trace-dump" --format=csv packed.trace)

# One map makes addresses of two traces alike, though one of the traces has fewer units.
"$BIN/trace-cut" -q --from=0 --count=2000 -o part.trace lanes.trace
check map make whole.trace --preset=share --map=map lanes.trace
check_equal map.mode 600 "$(stat -c %a map)"
check map.again make part_of.trace --preset=share --map=map part.trace
pcs() {
	"$BIN/trace-dump" --format=jsonl --count=2000 "$1" | grep -o '"pc": *[^,]*'
}
check map.alike cmp <(pcs whole.trace) <(pcs part_of.trace)
sed -i 's/^\([0-9a-f]*\) /\1 x/' map
check_status map.bad 1 make no.trace --preset=share --map=map part.trace
check map.bad.none test ! -e no.trace

# By pages, a page keeps its place.
"$BIN/trace-cut" -q --from=0 --count=30k -o pages_of.trace threads.trace
by_pages() { # OUT MAP TRACE
	make "$1" --preset=public --map="$2" "$3"
}
touched() { # the new and the old address of each access
	paste -d' ' <("$BIN/trace-dump" --format=jsonl "$1" | grep -oE '"address": ?"?(0x)?[0-9a-f]+') \
		<("$BIN/trace-dump" --format=jsonl "$2" | grep -oE '"address": ?"?(0x)?[0-9a-f]+') | sort -u
}
check page_map by_pages pages_whole.trace whole.pages threads.trace
check page_map.again by_pages pages_part.trace whole.pages pages_of.trace
check_equal page_map.alike "" "$(comm -13 <(touched pages_whole.trace threads.trace) <(touched pages_part.trace pages_of.trace))"
check page_map.some test "$(touched pages_part.trace pages_of.trace | wc -l)" -gt 50
check page_map.apart test -z "$(grep '^+' whole.pages | cut -d" " -f3 | sort | uniq -d)"
check_status page_map.regions 1 make no.trace --preset=share --map=whole.pages pages_of.trace
check_match page_map.regions.says 'use --addresses=pages' err

# ---- options of single levels -------------------------------------------------------------------

# With --colour-bits, the lowest bits of the numbers of pages stay; without, some change.
colours() { # TRACE: the number of accesses whose old and new page differ in the lowest 5 bits
	paste -d' ' <("$BIN/trace-dump" --format=jsonl threads.trace | grep -oE '"address":"0x[0-9a-f]+' | cut -d'"' -f4) \
		<("$BIN/trace-dump" --format=jsonl "$1" | grep -oE '"address":"0x[0-9a-f]+' | cut -d'"' -f4) |
		while read -r old new; do ((((old ^ new) >> 12 & 31) == 0)) || echo; done | wc -l
}
make made.trace --preset=share --addresses=pages threads.trace
check colours.some test "$(colours made.trace)" -gt 100
make made.trace --preset=share --addresses=pages --colour-bits=5 threads.trace
check_equal colours 0 "$(colours made.trace)"
# A large glue joins regions; a small glue or granule changes strides, and the report says so.
report() { "$anonymise" --force --preset=share --key=key --format=json -o made.trace "$@" threads.trace | sed -n 's/^  "'"$key"'": \([a-z0-9]*\),*/\1/p'; }
key=units
check glue test "$(report --glue=64Gi)" -lt "$(report)"
key=strides_change
check_equal strides 'false true true' "$(report) $(report --glue=64Ki) $(report --granule=128Ki)"
# The results of other functions than those of the malloc family need an option.
results_of() { "$BIN/trace-dump" --events --format=jsonl "$1" | sed -n 's/.*"event":"return".*secret_symbol_4.*"result":"\([^"]*\)".*/\1/p' | sort -u; }
make made.trace --names=keep --events=keep leaks.trace
check_equal arguments.dropped 0x0 "$(results_of made.trace)"
make made.trace --names=keep --events=keep --keep-arguments leaks.trace
check_equal arguments.kept "$(results_of leaks.trace)" "$(results_of made.trace)"
check arguments.some test "$(results_of leaks.trace)" != 0x0
check_status arguments.levels 2 "$anonymise" --preset=share --keep-arguments -o no.trace leaks.trace

# Bytes that do not decode may be anything, so they are replaced, unless an option keeps them.
mkdir undecodable
/usr/bin/python3 -c 'import sys; sys.stdout.buffer.write(bytes.fromhex(sys.stdin.read()))' >undecodable/app.trace <<-'END'
	190000000700000000000000 1c000c000700000000000000 1c0009004006000000000000 160004003412000000000000
	180004003412000000000000 1c000a004000000000000000 1c0014000000000000000000 1c0012000010000000000000
	1c00020074ae8f321b732f00 1c000300ffffffffffffffff 2f0004000e12345600000000 0a0004000010400000000000
	2f0002000f05000000000000 0a0002000410400000000000 1c00020075ae8f321b732f00 1c000300ffffffffffffffff
	1c0019003c00000000000000 170004003412000000000000 1a0000000000000000000000
END
check undecodable.made "$BIN/trace-import" -q --from=drmemtrace -o undecodable.trace undecodable
bytes() { "$BIN/trace-dump" --no-events --format=jsonl "$1" | sed -n 's/.*"bytes":"\([0-9a-f]*\)".*/\1/p' | xargs; }
make made.trace --code=no-constants undecodable.trace
check_equal undecodable.replaced '06060606 0f05' "$(bytes made.trace)"
make made.trace --code=no-constants --keep-undecodable undecodable.trace
check_equal undecodable.kept '0e123456 0f05' "$(bytes made.trace)"

# ---- traces without code -----------------------------------------------------------------------

make whole.trace --preset=public threads.trace
make twice.trace --preset=share whole.trace
check_match withheld.level 'anonymised.code +regdeps' <("$BIN/trace-info" --meta twice.trace)
same withheld.twice whole.trace twice.trace mix
# Each command that makes a trace of another one keeps what stands in place of the code.
"$BIN/trace-repack" -q -o withheld-repacked.trace whole.trace
head -c $(($(stat -c %s whole.trace) - 200)) whole.trace >torn.trace
"$BIN/trace-repair" -q -o withheld-repaired.trace torn.trace 2>/dev/null
"$BIN/trace-cut" -q --from=501 --count=3000 -o withheld-cut.trace whole.trace
"$BIN/trace-filter" -q --thread=0 -o withheld-filtered.trace whole.trace
"$BIN/trace-join" -q --unrelated -o withheld-joined.trace whole.trace twice.trace
for trace in withheld-*.trace; do
	check "$trace" "$BIN/trace-verify" -q "$trace"
	check_match "$trace.info" '^code +withheld' <("$BIN/trace-info" "$trace")
	check "$trace.reader" cmp <("$BIN/trace-dump" --format=jsonl "$trace") \
		<(/usr/bin/python3 -B "$tests/reader.py" "$trace")
done
check withheld.repack cmp <("$BIN/trace-dump" --format=jsonl whole.trace) \
	<("$BIN/trace-dump" --format=jsonl withheld-repacked.trace)
check_status withheld.mixed 1 "$BIN/trace-join" --unrelated -o no.trace whole.trace threads.trace
check_match withheld.mixed.says 'withholds its code' err
check_status withheld.decode 1 "$BIN/trace-verify" --decode whole.trace
check_match withheld.decode.says 'needs code bytes' err
check_status withheld.mnemonics 3 "$BIN/trace-mix" --by=mnemonic whole.trace
check_match withheld.mnemonics.says '--by=class' err
for format in sift drmemtrace bt9; do
	check_status withheld.$format 3 "$BIN/trace-export" --to=$format --thread=0 -o no.$format whole.trace
	check_match withheld.$format.says 'withholds its code bytes' err
done
check withheld.champsim "$BIN/trace-export" -q --to=champsim --thread=0 -o withheld.champsim whole.trace
check_match withheld.dump '\[move: r[a-z0-9]+ <- ' <("$BIN/trace-dump" whole.trace)

# ---- what is refused ----------------------------------------------------------------------------

check_status nothing_chosen 2 "$anonymise" -o no.trace leaks.trace
check_match nothing_chosen.says 'no data to hide were chosen' err
check_status samples 2 "$anonymise" --preset=share --samples=keep -o no.trace leaks.trace
check_status short_key 1 "$anonymise" --preset=share --key=/dev/null -o no.trace leaks.trace
check_match short_key.says 'a key has 32 bytes' err
check_status granule 2 "$anonymise" --preset=share --granule=5000 -o no.trace leaks.trace
head -c 9000 leaks.trace >cut.trace
check_status cut 1 "$anonymise" --preset=share -o no.trace cut.trace
check_match cut.says 'trace-repair' err
check_status itself 1 "$anonymise" --preset=share --force -o leaks.trace leaks.trace
check_status vectors 3 "$anonymise" --preset=share -o no.trace "$tests/golden/v1.6/intervals.trace"
check none_made test ! -e no.trace
check_status audit 0 "$anonymise" --preset=share --audit leaks.trace
check_match audit.module 'secret|leaks +exe-' out
# The audit has the counts of the new trace.
records() { /usr/bin/python3 -c 'import json, sys; print(json.load(sys.stdin)["records"])'; }
check_equal audit.records "$("$anonymise" --preset=share --format=json -o counted.trace leaks.trace | records)" \
	"$("$anonymise" --preset=share --format=json --audit leaks.trace | records)"
check_status unused 0 "$anonymise" -q --preset=share --public='*/leaks' --public='/no_such_folder/*' --force -o made.trace leaks.trace
check_match unused.says '/no_such_folder/.*no module' err
check_equal unused.once 1 "$(wc -l <err)"
check_status report 0 "$anonymise" --preset=share --format=json --force -o reported.trace leaks.trace
check report.json /usr/bin/python3 -c 'import json; r = json.load(open("out")); assert r["code"] == "no-constants" and r["modules"]'
# The walk-through in examples/ runs.
check walk_through "$tests/../examples/share-trace.sh" "$BIN" gzip -c key
