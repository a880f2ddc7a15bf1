#!/bin/bash
# SPDX-License-Identifier: MIT
# The common behavior of all commands: help, versions, wrong options, files that are no traces.
. "$(dirname "$0")/../lib.sh"
build=$(dirname "$BIN")
completion=$PWD/cli/completion/trace-tools.bash
format=$(sed -n 's/^#define TF_FORMAT_M[A-Z]* //p' traceformat/traceformat.h | paste -sd.)
cd "$work" || exit 1

"$build/examples/write-trace" good.trace
cp good.trace with\ blank.trace
: >empty
head -c 20 good.trace >short
echo 'This is not a trace, but a text that is longer than the header of one would be.' >foreign
mkdir folder

commands=$(cd "$BIN" && echo trace-*)
check_equal commands 33 "$(wc -w <<<"$commands")"
for command in $commands; do
	check_status $command.help 0 "$BIN/$command" --help
	check $command.help.out test -s out -a ! -s err
	check $command.help.lines test "$(wc -l <out)" -le 24
	check_status $command.h 0 "$BIN/$command" -h
	check_status $command.version 0 "$BIN/$command" -V
	mv out version
	check_status $command.version 0 "$BIN/$command" --version
	check $command.version.same cmp version out
	check_match $command.version.out "^$command \(tracelab\) [0-9]+\.[0-9]+" out
	check_match $command.version.format "format ${format/./\\.}," out
	check_status $command.unknown_option 2 "$BIN/$command" --no-such-option
	check_match $command.unknown_option.says "^$command: error: unknown option '--no-such-option'(; options of the analyzer stand behind --)?$" err
	check_equal $command.unknown_option.lines 2 "$(wc -l <err)"
	check_match $command.unknown_option.help "Try '$command --help'" err
	check $command.unknown_option.out test ! -s out
	check_status $command.unknown_letter 2 "$BIN/$command" -Z
	check_match $command.unknown_letter.says "^$command: error: unknown option '-Z'(; options of the analyzer stand behind --)?$" err
	check_status $command.no_value 2 "$BIN/$command" --version=x
	check_match $command.no_value.says "^$command: error: option '--version=x' takes no value$" err
	check_status $command.nothing 2 "$BIN/$command"
	check_match $command.nothing.says "^$command: error: " err
	check_status $command.full 1 sh -c '"$0" --help >/dev/full' "$BIN/$command"
done

# --help lists every letter that is an option, and no other. (trace-simpoint takes all words
# of SimPoint, with one dash, and abbreviated.) Each command is tried with some of the other letters.
every=$(quick_or_full 5 1) turn=0
# letters COMMAND TOLD: prints the letters that it takes.
letters() {
	for letter in {A..Z} {a..z}; do
		[[ $2 == *$letter* ]] || ((turn++ % every == 0)) || continue
		[[ $("$BIN/$1" -$letter 2>&1 </dev/null) == *"unknown option '-$letter'"* ]] || echo $letter
	done
}
for command in ${commands/trace-simpoint/}; do
	told=$("$BIN/$command" --help | grep -oP ' -\K[A-Za-z](?=,)' | sort -u)
	letters $command "$told" >taken
	check_equal $command.letters "$told" "$(<taken)"
done

# completes WORD...: prints what bash offers for the last of the words.
completes() {
	PATH=$BIN:$PATH bash -c '. "$0"; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1))
		$(complete -p "$1" | grep -o "_trace_[a-z]*") "$1" "${@: -1}" "${@: -2:1}" 2>/dev/null
		printf "%s\n" "${COMPREPLY[@]}"' "$completion" "$@"
}
for command in $commands; do
	check_match $command.completion '^--version$' <(completes $command --ver)
done
check_equal completion.value text "$(completes trace-mix --format = te)"
check_equal completion.analyzer stackdist "$(completes trace-analyze sta)"

# fails COMMAND FILE REGEX: status 1, and one message that names the file and says why.
fails() {
	local command=$1 file=$2 regex=$3
	# shellcheck disable=SC2086
	check_status "${command%% *}.${file//\//_}" 1 "$BIN"/$command "$file"
	check_match "${command%% *}.${file//\//_}.says" "^trace-[a-z]+: error: $file: .*$regex" err
	check_equal "${command%% *}.${file//\//_}.once" 1 "$(grep -c ' error: ' err)"
}
for command in trace-info trace-dump trace-verify trace-mix "trace-bbv --interval-size=5" "trace-analyze mix" \
	"trace-repair --force -o repaired" "trace-repack --force -o repacked" \
	"trace-join --force -o joined" "trace-filter --force -o filtered" \
	"trace-export --force --to=sbbt -o exported" "trace-anonymise --force --preset=share -o anonymous" \
	"trace-report --force --only=mix -o report.html"; do
	fails "$command" missing 'No such file'
	fails "$command" empty 'empty|too short|ends inside|not a trace'
	fails "$command" short 'too short|ends inside'
	fails "$command" foreign 'not a trace'
	fails "$command" folder 'directory|regular file'
	# shellcheck disable=SC2086
	check_status "${command%% *}.good" 0 "$BIN"/$command with\ blank.trace
done
# values that are missing
for words in 'trace-record --skip' 'trace-record -o' 'trace-dump --from' 'trace-dump -f' 'trace-mix --top' \
	'trace-mix -t' 'trace-simpoint --max-k' 'trace-simpoint -k' 'trace-cut --from' 'trace-info --format' \
	'trace-repack -o' 'trace-analyze -j'; do
	# shellcheck disable=SC2086
	check_status "$words" 2 "$BIN"/$words
	check_match "$words.says" "^${words% *}: error: option '${words#* }' needs a value$" err
done
for name in '' ' ' -- ; do
	check_status "odd_name '$name'" 1 "$BIN/trace-info" -- "$name"
done
# the words of scripts whose variables are not set
for words in trace-dump trace-mix trace-simpoint 'trace-import -o x.trace' 'trace-analyze --all -o all' \
	trace-extrapolate; do
	# shellcheck disable=SC2086
	check_status "$words ''" 1 "$BIN"/$words ''
	check_match "$words ''.says" "^${words%% *}: error: '': No such file" err
done
for words in trace-record\ --output trace-mix\ --output trace-mix\ -o trace-cut\ -o trace-repack\ --output; do
	# shellcheck disable=SC2086
	check_status "$words ''" 2 "$BIN"/$words '' good.trace
	check_match "$words ''.says" "^${words%% *}: error: option '${words#* }' needs a value$" err
done

# numbers on the command line
for number in x -1 1.5 10q 99999999999999999999 ''; do
	check_status "number '$number'" 2 "$BIN/trace-dump" --count="$number" good.trace
	check_match "number '$number'.says" '^trace-dump: error: .*count' err
done
for number in 1 1k 1Ki 2M 1Gi 1T; do
	check_status "number $number" 0 "$BIN/trace-dump" --count=$number good.trace
done
for options in --skip=x --count=0 --count=x --time=0 --time=x --max-size=1 --level=-1 --level=23 \
	--chunk=0 --flush=x --function=f/7 --function=/1 --backend=none --env=some; do
	check_status "trace-record $options" 2 "$BIN/trace-record" $options -o x.trace -- true
	check_match "trace-record $options.says" "^trace-record: error: ${options%%=*}" err
	check "trace-record $options.no_trace" test ! -e x.trace
done
check_status no_output_name 2 "$BIN/trace-record" -o '' -- true
check_match no_output_name.says "^trace-record: error: option '-o' needs a value$" err
check_status no_program_name 2 "$BIN/trace-record" -o x.trace -- ''
check_match no_program_name.says '^trace-record: error: the program .*no name' err
check no_program_name.no_trace test ! -e x.trace
for command in trace-info trace-dump trace-mix trace-bbv; do
	check_status $command.format 2 "$BIN/$command" --format=xml good.trace
	check_match $command.format.says 'xml' err
done
check_status choice 2 "$BIN/trace-mix" --by=size good.trace
check_match choice.says "--by=size: one of class, .* and total is expected" err
check_status optional_choice 2 "$BIN/trace-ibs" --events=size good.trace
check_match optional_choice.says "--events=size: one of auto, zen, classic and all is expected" err

# a thread that the trace does not have
for command in trace-dump trace-mix 'trace-simpoint -q' 'trace-cut --from=0 -o cut.trace' 'trace-bbv --interval-size=5'; do
	# shellcheck disable=SC2086
	check_status "$command.thread" 3 "$BIN"/$command --thread=9 good.trace
	check_match "$command.thread.says" "^${command%% *}: error: good.trace has no thread 9: its (only thread is 0|threads are 0 to [0-9]+)$" err
done

for command in trace-dump trace-mix 'trace-cut --from=0 -o cut.trace'; do
	# shellcheck disable=SC2086
	check_status "$command.thread_beyond" 2 "$BIN"/$command --thread=18446744073709551615 good.trace
	check_match "$command.thread_beyond.says" "thread.*not a thread's index" err
done

# folders in place of files beside the trace
for words in 'trace-ibs --machine' 'trace-itypes --groups' 'trace-ilp --latency' 'trace-cut -o cut.trace --simpoints'; do
	# shellcheck disable=SC2086
	check_status "$words.folder" 1 "$BIN"/$words=folder good.trace
	check_match "$words.folder.says" "error: folder: (.*Is a directory|is a folder, not)" err
done
check_status all.into_a_file 1 "$BIN/trace-analyze" --all -o empty good.trace
check_match all.into_a_file.says 'cannot make empty: File exists' err

# an input that is read more than once cannot be a pipe
check_status pipe.all 2 "$BIN/trace-analyze" --all -o all - <good.trace
check_match pipe.all.says 'several times: name a file' err
check_status pipe.extrapolate 2 "$BIN/trace-extrapolate" --run=mix - <good.trace
check_match pipe.extrapolate.says 'several times: name a file' err
check_status pipe.simpoint 1 "$BIN/trace-simpoint" - <good.trace
check_match pipe.simpoint.says 'error: -: is a trace, which is read from a file, not from a pipe' err

# standard streams that are closed
check_status closed.all 1 sh -c '"$0" --all -o all good.trace >&-' "$BIN/trace-analyze"
check_match closed.all.says 'error: standard output: Bad file descriptor' err
check_status closed.streams 1 sh -c '"$0" -o closed.trace good.trace <&- >&- 2>&-' "$BIN/trace-repack"
check closed.verify "$BIN/trace-verify" -q closed.trace
check_status closed.record 0 sh -c '"$@" >&- 2>&-' - "$BIN/trace-record" -o none.trace -- sh -c '[ ! -e /proc/self/fd/1 ] && [ ! -e /proc/self/fd/2 ]'
check closed.recorded "$BIN/trace-verify" -q none.trace

# analyzers
check_status list 0 "$BIN/trace-analyze" --list
check_match list.mix '^ *mix ' out
check_match list.bbv '^ *bbv ' out
check_equal list.commands 0 "$(grep -cE '^ *(info|dump|verify|repair|repack|record|analyze|simpoint|cut|extrapolate) ' out)"
check_status unknown_analyzer 2 "$BIN/trace-analyze" no-such good.trace
check_match unknown_analyzer.says "no-such" err

# A word of no option's: the message names all words of the option.
lists() {
	local name=$1 says=$2
	shift 2
	check_status "lists.$name" 2 "$BIN/$@"
	check_match "lists.$name.says" "$says" err
}
for command in info verify dump mix ibs slo simpoint cut repack import; do
	lists $command.format '--format=xml: one of text, jsonl? and csv is expected$' trace-$command --format=xml good.trace
done
lists by '--by=foo: one of class, mnemonic, symbol, line, module, thread, process and total is expected$' trace-mix --by=foo good.trace
lists ibs.by '--by=foo: expected is module, function, symbol, line, .*cacheline, or a field: .* ld st ' trace-ibs --by=foo good.trace
lists ibs.latency '--latency=foo: expected is one of .*dc_miss_lat' trace-ibs --latency=foo good.trace
lists where "--where=ld & lat>3: && or \|\| is expected at character 4, '& lat>3'$" trace-ibs --where='ld & lat>3' good.trace
lists where.field "--where=ld && foo > 1: no such field at character 7, 'foo > 1'; the fields are cpu .* ld st " trace-ibs --where='ld && foo > 1' good.trace
lists where.end "--where=ld &&: a field is missing at the end; the fields are" trace-ibs --where='ld &&' good.trace
lists where.number "--where=lat > x: a number is missing at character 7, 'x'$" trace-ibs --where='lat > x' good.trace
lists demangle '--demangle=maybe: yes or no is expected$' trace-mix --demangle=maybe good.trace
lists bbv.demangle '--demangle=maybe: yes or no is expected$' trace-bbv --demangle=maybe good.trace
lists symbols '--symbols=maybe: yes or no is expected$' trace-dump --symbols=maybe good.trace
lists counter '--counter=foo: exp-bbv or exact is expected$' trace-cut --counter=foo good.trace
lists init '--init=foo: one of plus, samp and ff is expected$' trace-simpoint --init=foo good.trace
lists compat '--compat=foo: simpoint3 is expected$' trace-simpoint --compat=foo good.trace
lists threads '--threads=foo: parallel or serial is expected$' trace-record --threads=foo true
lists backend '--backend=foo: translate or step is expected$' trace-record --backend=foo true
lists cpu '--cpu=foo: one of native, x86-64-v2, x86-64-v3 and x86-64-v4 is expected$' trace-record --cpu=foo true
lists env '--env=foo: names or all is expected$' trace-record --env=foo true
lists on_error '--on-error=foo: detach or kill is expected$' trace-record --on-error=foo true
lists all '--all needs -o DIR' trace-analyze --all good.trace
check_status lists.machine 1 "$BIN/trace-ibs" --machine=zen3 good.trace
check_match lists.machine.says '--machine=zen3: one of simple, zen4, zen5, goldencove and k10 is expected, or a file: No such file' err
