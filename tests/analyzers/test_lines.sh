#!/bin/bash
# SPDX-License-Identifier: MIT
# Source lines by --by=line against addr2line; and which debug information is used at all.
. "$(dirname "$0")/../lib.sh"
cd "$work" || exit 1

cp "$PROGRAMS/allocates" program
"${recorder[@]}" -q -o t -- ./program >/dev/null 2>&1

# counts TRACE: "executions file:line" of the program's own module
counts() {
	"$BIN/trace-mix" --by=line --top=100000 --format=csv "$1" |
		awk -F, '$9 == "program" && $10 ~ /:[0-9]+$/ { print $1, $10 }' | sort
}
counts t >ours
check has_lines test "$(wc -l <ours)" -gt 15

# Executions of each line of the program itself, by addr2line.
base=$("$BIN/trace-dump" --format=csv --count=1 t | sed -n 's/.*start=\(0x[0-9a-f]*\) .*module=0 name=.*/\1/p' | head -1)
"$BIN/trace-dump" --format=csv --no-events t | awk -F, -v base="$base" '
	function number(hex,  n, i) { for (i = 3; i <= length(hex); i++) n = 16 * n + index("0123456789abcdef", substr(hex, i, 1)) - 1; return n }
	substr($4, 1, length(base) - 4) == substr(base, 1, length(base) - 4) { printf "0x%x\n", number($4) - number(base) }' |
	sort | uniq -c | sort -k2 >executed
awk '{ print $2 }' executed | addr2line -s -e program | sed 's/ (discriminator.*//' | paste -d' ' executed - |
	awk '$3 !~ /[?]/ { n[$3] += $1 } END { for (line in n) print n[line], line }' | sort >expected.short
sed 's, .*/, ,' ours | sort >ours.short
check as_addr2line diff expected.short ours.short

# Debug information in a separate file, beside the program.
cp program whole
mkdir .debug
objcopy --only-keep-debug whole .debug/program.debug
objcopy --strip-all --add-gnu-debuglink=.debug/program.debug whole program
counts t >ours.separate
check separate_file cmp ours ours.separate
rm -r .debug
check_equal stripped "" "$(counts t)"

check_equal stripped.says "" "$("$BIN/trace-mix" --by=line t 2>&1 >/dev/null)"

# Debug information of another build, a file that is no program, and one that is no file.
printf 'int main(void) { return 0; }\n' >other.c
gcc -g -o program other.c
check_equal another_build "" "$(counts t)"
check_equal another_build.says "trace-mix: warning: $work/program: another build is there: no source lines" \
	"$("$BIN/trace-mix" -q --by=line t 2>&1 >/dev/null)"
rm program
check_equal no_file "" "$(counts t)"
mkfifo program
check_equal not_a_file "" "$(timeout $patience bash -c "$(declare -f counts); counts t")"
rm program
head -c 3000 whole >program
check_equal cut_file "" "$(counts t)"
check_match by_symbol_all_the_same 'program,main$' <("$BIN/trace-mix" --by=symbol --top=1000 --format=csv t)

# One warning names a module whose lines are not known, whichever analyzer looks for them.
cp "$PROGRAMS/objects" moved
"${recorder[@]}" -q -o moved.trace -- ./moved >/dev/null
rm moved
for analyzer in mix "ibs --period=144"; do
	name=${analyzer%% *}
	"$BIN"/trace-$analyzer -q --by=line --format=csv moved.trace >lines.out 2>lines.err
	check_equal "moved.$name" "trace-$name: warning: $work/moved: not on this computer: no source lines" \
		"$(cat lines.err)"
	check_match "moved.$name.unknown" ',moved,\[unknown\]' lines.out
done

# Names of C++.
"${recorder[@]}" -q --force -o mangled.trace -- "$PROGRAMS/mangled"
by_symbol() { "$BIN/trace-mix" --by=symbol --format=csv "$@" mangled.trace; }
check_match mangled ',mangled,_ZN4deep4callEi$' <(by_symbol --demangle=no)
sampled() { "$BIN/trace-ibs" --period=144 --top=100k --format=csv "$@" mangled.trace; }
check_match sampled.mangled ',mangled,_ZN4deep4callEi$' <(sampled --demangle=no)
check_match demangled ',mangled,deep::call\(int\)$' <(by_symbol)
for by in symbol instruction; do
	check_match "sampled.demangled.$by" ',mangled,deep::call\(int\)(,|$)' <(sampled --by=$by)
done
check_match sampled.demangled.region ',mangled:deep::sum(,|$)' <(sampled --by=region)
check_match sampled.mangled.region ',mangled:_ZN4deep3sumE(,|$)' <(sampled --by=region --demangle=no)
sampled --sqlite=demangled.db >/dev/null
check_equal sampled.demangled.database 1 \
	"$(sqlite3 demangled.db "SELECT count(*) FROM symbols WHERE name = 'deep::call(int)'")"
