#!/bin/bash
# SPDX-License-Identifier: MIT
# Files and debug information that a trace names: no file is opened that blocks, that is not
# the one that was recorded, or that the user has not meant to show.
. "$(dirname "$0")/../lib.sh"
programs=$(cd "$(dirname "$0")/../programs" && pwd)
cd "$work" || exit 1
home=$work/home
mkdir "$home"

# ---- modules and debug files ----
# Static: the lines of the C library would take most of the time.
gcc -O1 -g -static -pthread -o program "$programs/allocates.c" || exit
"${recorder[@]}" -q -o t -- ./program >/dev/null 2>&1
cp program whole
rm program

# lines [COMMAND...]: executions by line of the program's own module, within a short time.
lines() {
	HOME=$home timeout $patience "$BIN/trace-mix" -q --by=line --top=100000 --format=csv t 2>err |
		awk -F, '$9 == "program" && $10 ~ /:[0-9]+$/ { print $1, $10 }' | sort
}
# check_lines NAME yes|no
check_lines() {
	local expected=
	[ "$2" = no ] || expected=$whole
	check_equal "$1" "$expected" "$(lines)"
}
cp whole program
whole=$(lines)
check has_lines test "$(wc -l <<<"$whole")" -gt 15

rm program && ln -s whole program
check_lines link yes
rm program && ln -s /proc/self/cwd/whole program
check_lines link_in_proc no
rm program && ln -s /proc/self/fd/9 program
exec 9<whole
check_lines link_to_descriptor no
exec 9<&-
rm program && ln -s program program
check_lines link_to_itself no
rm program && ln -s /dev/zero program
check_lines link_to_device no
rm program && mkfifo program
check_lines pipe no
check_equal pipe.says "trace-mix: warning: $work/program: not on this computer: no source lines" "$(cat err)"
rm program && mkdir program
check_lines folder no
rmdir program

# Files that must be unpacked first are not read, although libraries for DWARF would read them.
gzip -c whole >program
check_lines compressed no
check_equal compressed.says "trace-mix: warning: $work/program: another build is there: no source lines" "$(cat err)"
xz -c whole >program
check_lines compressed.xz no
{ printf '!<arch>\n%-16s%-12s%-6s%-6s%-8s%-10s`\n' x/ 0 0 0 644 "$(stat -c %s whole)"; cat whole; } >program
check_lines archive no

# Sections that are compressed as compilers do, and sections that claim more bytes than they can hold.
objcopy --compress-debug-sections=zlib whole program
check_lines sections yes
objcopy --compress-debug-sections=zlib-gnu whole program
check_lines sections.gnu yes
head -c 40000000 /dev/zero >zeros
for style in zlib zlib-gnu; do
	objcopy --add-section .debug_macro=zeros whole big
	objcopy --compress-debug-sections=$style big program
	check_lines bomb.$style no
done
rm zeros big

# Files that .gnu_debuglink names are beside the program, in a folder .debug, or below /usr/lib/debug.
objcopy --only-keep-debug whole apart.debug
objcopy --strip-all --add-gnu-debuglink=apart.debug whole stripped
cp stripped program
check_lines debuglink yes
mkdir .debug && mv apart.debug .debug
check_lines debuglink.folder yes
gcc -g -o other "$programs/allocates.c" -Wl,--build-id=0x1234
objcopy --only-keep-debug other .debug/apart.debug
check_lines debuglink.another_build no
rm .debug/apart.debug
mkfifo .debug/apart.debug apart.debug
check_lines debuglink.pipe no
rm -r .debug apart.debug
objcopy --only-keep-debug whole elsewhere.debug
# link NAME: makes the section name that file.
link() {
	{ printf '%s\0' "$1"; head -c $((4 - (${#1} + 1) % 4)) /dev/zero; printf 'abcd'; } >link
	objcopy --remove-section .gnu_debuglink --add-section .gnu_debuglink=link stripped program
}
mkdir sub && mv elsewhere.debug sub
link sub/elsewhere.debug
check_lines debuglink.below no
link "$work/sub/elsewhere.debug"
check_lines debuglink.absolute no
link elsewhere.debug
check_lines debuglink.not_there no
mv sub/elsewhere.debug .
check_lines debuglink.there yes
rm -r sub elsewhere.debug

# Files that .gnu_debugaltlink names: libdw follows it wherever it leads.
mkfifo shared
{ printf '%s\0' "$work/shared"; printf '12345678901234567890'; } >link
objcopy --add-section .gnu_debugaltlink=link whole program
check_lines altlink.pipe no
rm shared

# Files that debuginfod has fetched before are found by build-id; no file is fetched.
id=$(readelf -n whole | sed -n 's/.*Build ID: //p')
cp stripped program
mkdir -p "$home/.cache/debuginfod_client/$id"
export DEBUGINFOD_URLS=http://127.0.0.1:9/
check_lines debuginfod.nothing no
objcopy --only-keep-debug whole "$home/.cache/debuginfod_client/$id/debuginfo"
check_lines debuginfod.cache yes
unset DEBUGINFOD_URLS

# The trace itself names another file than the one that was recorded.
rm -r "$home/.cache"
edit=$BIN/../tests/edit_trace
cp whole program
cp t kept
# named PATH: makes the trace name PATH as its program
named() { "$edit" kept t "string:MODULES:$work/program:$1"; }
mkfifo "$work/pipe"
for path in "$work/whole" "$work/./home/../whole"; do
	named "$path"
	check_equal "named.$path" "$whole" "$(HOME=$home timeout $patience "$BIN/trace-mix" -q --by=line --top=100000 \
		--format=csv t 2>err | awk -F, '$9 == "whole" && $10 ~ /:[0-9]+$/ { print $1, $10 }' | sort)"
done
ln -s whole /dev/shm/$$.whole 2>/dev/null
for path in whole ./whole "$work/pipe" /proc/self/fd/3 /proc/self/cwd/whole /proc/self/root$work/whole \
	"$work/home/../../../../../../../../proc/self/cwd/whole" //proc/self/cwd/whole /dev/fd/9 /dev/shm/$$.whole \
	/dev/zero /sys/kernel/notes "$work/t" ''; do
	named "$path"
	lines 9<whole >/dev/null
	check_equal "named.$path.no_lines" 0 "$(HOME=$home timeout $patience "$BIN/trace-mix" -q --by=line --top=100000 --format=csv \
		t 2>/dev/null 9<whole | grep -c 'allocates\.c')"
done
rm -f /dev/shm/$$.whole pipe
# An ELF file hidden in a section of the trace is not read as a module.
for path in "$work/t" /proc/self/fd/3 /proc/self/fd/4; do
	"$edit" kept t "string:MODULES:$work/program:$path" add:0x8000:whole
	check_equal "hidden.$path" 0 "$(HOME=$home timeout $patience "$BIN/trace-mix" -q --by=line --top=100000 --format=csv t 2>/dev/null |
		grep -c 'allocates\.c')"
done
cp kept t

# The recorder looks for symbols in the same places.
# symbols: of a fresh recording of the program that is in that place
symbols() {
	timeout $patience "${recorder[@]}" -q --force -o s -- ./program >/dev/null 2>&1 &&
		"$BIN/trace-mix" --by=symbol --top=100000 --format=csv s | grep -c ',program,main$'
}
objcopy --only-keep-debug whole apart.debug
cp stripped program
check_equal recorder.debuglink 1 "$(symbols)"
objcopy --only-keep-debug other apart.debug
check_equal recorder.another_build 0 "$(symbols)"
rm apart.debug && mkfifo apart.debug
check_equal recorder.pipe 0 "$(symbols)"
rm apart.debug

# ---- source files in a page ----
slo=$BIN/trace-slo
mkdir -p project/src project/.hidden elsewhere

# compile FILE: a program in project/ whose debug information names FILE
compile() {
	(cd project && { printf '#line 1 "%s"\n' "$1"; cat "$programs/locality.c"; } >generated.c &&
		gcc -g -pthread -static -o locality generated.c) || exit 1
	(cd project && "${recorder[@]}" -q --force -o locality.trace -- ./locality sweeps >/dev/null 2>&1)
}
# page [OPTION]...: makes project/page.html, and keeps the messages
page() {
	(cd "${from:-project}" && timeout $patience "$slo" -q --all --min-distance=64 --html="$work/page.html" "$@" \
		--output=/dev/null "$work/project/locality.trace" 2>"$work/err")
}
# has_source: the page has text of a source file; every source file in these tests has this comment
has_source() { grep -q 'MARKED[-]SOURCE' page.html; }
check_page() {
	local name=$1 expected=$2 got=no
	shift 2
	page "$@" || got=failed
	has_source && got=yes
	check_equal "$name" "$expected" "$got"
}
marked() { { cat "$programs/locality.c"; echo '/* MARKED-SOURCE */'; } >"$1"; }
for file in project/src/a.c project/.hidden/a.c elsewhere/a.c; do
	marked $file
done

compile src/a.c
check_page source.below yes
check_equal source.below.says "trace-slo: $work/page.html: contains $work/project/src/a.c" "$(cat err)"
from=elsewhere check_page source.from_elsewhere no
check_match source.from_elsewhere.says '1 source file is left out.*--source=DIR' err
from=/ check_page source.from_root no
from=. check_page source.from_above yes
check_page source.named yes --source=src
from=/ check_page source.named.from_root yes --source="$work/project/src/"
check_page source.another_named no --source=../elsewhere
check_page source.several yes --source=../elsewhere --source=src

check_status source.no_folder 1 "$slo" -q --html=none.html --source=nowhere project/locality.trace
check_match source.no_folder.says '--source=nowhere: No such file' err
check_status source.no_page 2 "$slo" -q --source=project project/locality.trace

mv project/src/a.c project/src/b.c && ln -s ../../elsewhere/a.c project/src/a.c
check_page source.link no
check_page source.link.named yes --source=../elsewhere
rm project/src/a.c && ln -s /proc/self/environ project/src/a.c
check_page source.link_in_proc no --source=/
rm project/src/a.c && mkfifo project/src/a.c
check_page source.pipe no
rm project/src/a.c && { cat project/src/b.c && printf '\0'; } >project/src/a.c
check_page source.binary no
cp project/locality.trace project/src/a.c
check_page source.trace no

compile ../elsewhere/a.c
check_page source.above no
check_page source.above.named yes --source=..
compile src/../../elsewhere/a.c
check_page source.above.dots no
compile "$work/elsewhere/a.c"
check_page source.absolute no
compile .hidden/a.c
check_page source.hidden no
check_page source.hidden.named yes --source=.hidden
for file in /etc/passwd /proc/self/maps /proc/self/cwd/src/b.c /dev/stdin; do
	compile $file
	page <project/src/b.c
	check "source.$file" eval '! grep -q "root:x:\|r-xp\|MARKED-SOURCE" page.html'
done

# ---- names that stand for gigabytes ----
bomb=_Z1f1XIiE digits=0123456789ABCDEFGHIJKLMNO
for ((i = 0; i < ${#digits}; i++)); do
	bomb+=S_IS${digits:i:1}_S${digits:i:1}_E
done
"$edit" t bomb "string:SYMBOLS:main:$bomb"
unset file
# limited COMMAND...: runs a command with little memory
limited() { with_memory 500 timeout $patience "$@" >out 2>err; }
# shows NAME COMMAND...: the command succeeds, and shows the name as it is
shows() {
	local name=$1
	shift
	check "bomb.$name" limited "$@"
	check "bomb.$name.name" grep -q "$bomb" "${file:-out}"
}
shows mix "$BIN/trace-mix" -q --by=symbol --top=10000 --format=csv bomb
check bomb.ibs limited "$BIN/trace-ibs" -q --period=144 --randomize=none --by=symbol --top=10000 --format=csv bomb
file=pc shows bbv "$BIN/trace-bbv" -q --interval=1000 --bb-out-file=bb --pc-out-file=pc bomb
