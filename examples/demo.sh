#!/bin/sh
# The whole way once: record a program, look at what is in the file, analyze it.
# usage: demo.sh FOLDER-OF-COMMANDS
set -e
bin=${1:-build/bin}
trace=${bin%/bin}/demo.trace
show() { printf '\n$ %s\n' "$*"; }

say() { printf '\n# %s' "$@"; }

say 'Record every instruction, data address and system call of a sort of one file.'
show trace-record -o demo.trace -- sort LICENSE
"$bin/trace-record" --force -o "$trace" -- sort LICENSE >"$trace.out"
tail -n 3 "$trace.out"
rm -f "$trace.out"
say 'What is in the file, and where its bytes go.'
show trace-info demo.trace
"$bin/trace-info" "$trace"
say 'What the processor did, and in which functions. Of so small a sort, most is program start:' \
	'the dynamic linker (ld-linux) looks up symbols before main runs.'
show trace-analyze mix --by=symbol --top=8 demo.trace
"$bin/trace-analyze" mix --by=symbol --top=8 "$trace"
say 'Any instruction, with the addresses that it read and wrote.'
show trace-dump --from=1000 --count=12 demo.trace
"$bin/trace-dump" --from=1000 --count=12 "$trace"
say 'The results of all analyzers, on one page.'
show trace-report -o demo.html demo.trace
"$bin/trace-report" --force -o "${trace%.trace}.html" "$trace"
printf '\nOpen %s in a browser.\n' "${trace%.trace}.html"
printf 'The trace is %s: one file with everything in it. Send it to a colleague, or go on:\n' "$trace"
printf '  %s --list\n  man cli/man/tracelab.7\n' "$bin/trace-analyze"
