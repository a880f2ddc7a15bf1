#!/bin/bash
# SPDX-License-Identifier: MIT
# Programs that cannot be run or recorded: a clear message, the right status, and a program that has
# started still runs to its end.
. "$(dirname "$0")/e2e.sh"
record=$BIN/trace-record

# passes_on STATUS COMMAND...
for status in 0 1 77 255; do
	check_status passes_on_$status $status "$record" -q --force --count=1k \
		-o x.trace -- "$PROGRAMS/dies" exit $status
	check_equal passes_on_$status.exit_status $status "$(info x.trace exit_status)"
done

# ---- programs that cannot be run ----
# refused NAME STATUS REGEX ARGUMENT...: trace-record exits so, and makes no trace.
refused() {
	local name=$1 status=$2 regex=$3
	shift 3
	rm -f refused.trace
	check_status "$name" "$status" "$record" -o refused.trace "$@"
	check_match "$name.says" "^trace-record: error: $regex" err
	check "$name.no_trace" [ ! -e refused.trace ]
}
echo 'echo never' >not_executable
echo 'exit 4' >plain
printf '#!/nonexistent/interpreter\n' >no_interpreter
printf '#!/bin/sh\nexit 3\n' >script
chmod +x plain no_interpreter script
cp "$PROGRAMS/branches" elf32
printf '\x01' | dd of=elf32 bs=1 seek=4 conv=notrunc status=none
cp "$PROGRAMS/branches" elf_arm
printf '\xb7' | dd of=elf_arm bs=1 seek=18 conv=notrunc status=none
head -c 100 "$PROGRAMS/branches" >elf_cut
printf '\x7fELF' >elf_only
printf 'echo \0 never\n' >null
chmod +x elf32 elf_arm elf_cut elf_only null

refused not_found 127 '.*no_such_program' -- no_such_program
refused not_found_here 127 '.*\./no_such_program' -- ./no_such_program
refused not_executable 126 '.*not_executable' -- ./not_executable
refused directory 126 '.*folder|.*/tmp' -- /tmp
refused elf32 125 '.*elf32: it is a 32-bit program' -- ./elf32
refused elf_arm 125 '.*elf_arm' -- ./elf_arm
refused elf_cut 126 '.*elf_cut' -- ./elf_cut
refused elf_only 126 '.*elf_only' -- ./elf_only
refused null 126 '.*null' -- ./null
check_status no_interpreter 126 "$record" --force -o x.trace -- ./no_interpreter
check_match no_interpreter.says '\./no_interpreter: .*its interpreter is missing' err
check_status script 3 "$record" -q --force --count=1k -o x.trace -- ./script
check_match script.exec '"path":"(/usr)?/bin/(da)?sh"|"path":"[^"]*/script"' <(events x.trace exec)
# like execvp with a file without #!
check_status plain 4 "$record" -q --force --count=1k -o x.trace -- ./plain
# Errors for ordinary users. PATH is searched as shells do it: folders that may not be searched are skipped,
# and so are folders of that name; a file that may not be executed is found.
mkdir -m 0 closed
mkdir -p path/a_folder path/empty
echo 'echo never' >path/a_file
if let_nobody; then
	check_status setuid 125 as_nobody open/trace-record -o open/x.trace -- su -c true
	check_match setuid.says '^trace-record: error: .*/su: it is set-user-id' err
	install -m 111 /bin/true unreadable
	check_status unreadable 125 as_nobody open/trace-record -o open/x.trace -- ./unreadable
	check_match unreadable.says '^trace-record: error: .*unreadable: it may be executed but not read' err
	check_status executes 0 as_nobody open/trace-record -o open/x.trace -- sh -c 'exec ./unreadable'
	check_match executes.says 'has executed ./unreadable, which is not recorded: it may be' err
	in_path() { PATH=$work/closed:$work/path as_nobody "$work/open/trace-record" --force -o open/x.trace -- "$@"; }
	check_status in_path.none 127 in_path no_such_program
	check_match in_path.none.says '^trace-record: error: no_such_program: command not found$' err
	check_status in_path.folder 127 in_path a_folder
	check_status in_path.file 126 in_path a_file
	check_match in_path.file.says '^trace-record: error: a_file: cannot be run: Permission denied$' err
	PATH=$work/closed:$work/path:$PATH check_status in_path.later 0 as_nobody open/trace-record -q --force --count=1k \
		-o open/x.trace -- true
fi

# ---- programs that cannot be recorded any further: they go on, or are killed ----
"$PROGRAMS/mode32"
if [ $? = 7 ]; then
	for backend in translate step; do
		check_status mode32.$backend 125 "$record" --backend=$backend -q --force -o x.trace -- "$PROGRAMS/mode32"
		check_match mode32.$backend.says 'at 0x4[0-9a-f]* with the bytes b8 01 00 00 00 .*32-bit.*ended with status 7$' err
		check_equal mode32.$backend.instructions 204 "$(info x.trace instructions)"
		check mode32.$backend.verify "$BIN/trace-verify" -q x.trace
	done
	check_status mode32.kill 125 "$record" --on-error=kill -q --force -o x.trace -- "$PROGRAMS/mode32"
	check_match mode32.killed 'the program was killed$' err
	check_equal mode32.signal "9 204" "$(info x.trace exit_signal) $(info x.trace instructions)"
fi
check_status on_error.usage 2 "$record" --on-error=ignore -- true

# ---- traces that cannot be written ----
check_status no_folder 125 "$record" -o /nonexistent/x.trace -- sh -c 'echo ran >ran'
check_match no_folder.says '^trace-record: error: /nonexistent/x.trace: ' err
check no_folder.not_run [ ! -e ran ]
check_status full 125 "$record" --force -o /dev/full -- sh -c 'echo ran >ran'
check_match full.says '^trace-record: error: /dev/full: .*[Nn]o space' err
check full.not_run [ ! -e ran ]
check_status into_folder 125 "$record" --force -o . -- sh -c 'echo ran >ran'
# If the file may not grow further, the program runs on natively, and the written part is readable.
(
	ulimit -f 40
	trap '' XFSZ
	check_status file_limit 125 "$record" --chunk=1k -o limited.trace -- \
		sh -c 'ls / >/dev/null; echo ran >ran; exit 9'
	check_match file_limit.says '^trace-record: error: limited.trace: ' err
	check_equal file_limit.ran ran "$(cat ran)"
	rm ran
	check file_limit.readable "$BIN/trace-info" limited.trace
	check_equal file_limit.complete false "$(info limited.trace complete)"
)

# An existing file is replaced only with --force.
echo precious >existing
check_status existing 125 "$record" -o existing -- sh -c 'echo ran >ran'
check_match existing.says '^trace-record: error: existing.*--force' err
check_equal existing.kept precious "$(cat existing)"
check existing.not_run [ ! -e ran ]
check_status force 0 "$record" -q --force --count=1k -o existing -- "$PROGRAMS/dies" exit 0
check force.replaced "$BIN/trace-verify" -q existing
check_status default_name 0 "$record" -q --count=1k -- "$PROGRAMS/dies" exit 0
check default_name.trace "$BIN/trace-verify" -q dies.trace

# ---- a program that is killed before it runs ----
gcc -std=gnu11 -D_GNU_SOURCE -Wall -Werror -shared -fPIC -o early_kill.so "$tests/e2e/early_kill.c"
killed() {
	LD_PRELOAD=./early_kill.so ASAN_OPTIONS=${ASAN_OPTIONS:-}:verify_asan_link_order=0 \
		"$record" -q -o killed.trace "$@" -- true
}
check_status killed 125 killed
check_match killed.says '^trace-record: error: true: ended before it began$' err
check killed.no_trace [ ! -e killed.trace ]
# a program that is only sampled may be dead
check_status killed.sampled 137 killed --only-samples --sample=cpu-clock
check killed.sampled.whole "$BIN/trace-verify" -q killed.trace

# ---- the program's own state ----
# the program has the descriptors and signals that it was given
"$record" -q --force --count=1k -o x.trace -- ls -l /proc/self/fd 2>&1 </dev/null | grep -o ' [0-9]* ->' >recorded
ls -l /proc/self/fd 2>&1 </dev/null | grep -o ' [0-9]* ->' >native
check descriptors cmp native recorded
for line in SigBlk SigIgn SigCgt Seccomp NoNewPrivs Cpus_allowed Threads; do
	grep $line: /proc/self/status >native
	"$record" -q --force -o x.trace --count=1k -- grep $line: /proc/self/status >recorded
	check state.$line cmp native recorded
done
# only the program reads standard input
check_equal input "one two" "$(printf 'one\ntwo\n' | "$record" -q --force -o x.trace --count=1k -- cat | xargs)"

# No recorder is left running.
check_equal left 0 "$(pgrep -P $$ -x trace-record | wc -l)"
