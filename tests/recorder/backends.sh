# Functions for tests that compare backends: source this instead of lib.sh.
. "$(dirname "$0")/../lib.sh"
tests=$(cd "$(dirname "$0")/.." && pwd)
COMPARE=$(cd "$BIN/../tests" && pwd)/compare
cd "$work" || exit 1

# The backend that is compared with step: $OTHER, or translate. OTHER=step only tests the tests.
step=step other=${OTHER:-translate}

# Programs that print addresses print the same ones in each run, if randomization may be switched off.
unrandomised=
setarch -R true 2>/dev/null && unrandomised="setarch -R"

# The environment of programs is small and always the same. Python's and Perl's hashes are random by
# default. The input of programs is $input.
fixed=(env -i PATH=/usr/bin:/bin LC_ALL=C TZ=UTC PYTHONHASHSEED=0 PERL_HASH_SEED=0
	PERL_PERTURB_KEYS=0)
input=/dev/null

# record BACKEND NAME STATUS [OPTION...] -- PROGRAM ARGUMENT...: makes NAME.trace, NAME.out and
# NAME.err; complains if the program does not end with STATUS.
record() {
	local backend=$1 name=$2 expected=$3 status
	shift 3
	"${fixed[@]}" "$BIN/trace-record" --quiet --force --backend="$backend" -o "$name.trace" \
		"$@" <$input >"$name.out" 2>"$name.err"
	status=$?
	[ $status = "$expected" ] || check_equal "$name.status" "$expected" $status
}

# reads_no_clock TRACE: the program does not read the clock of the vDSO, which reads again after a tick, as is likely
# under single steps: programs that read it (none of $PROGRAMS) do not execute the same in each run.
reads_no_clock() {
	"$BIN/trace-mix" --quiet --by=module --top=1000 --format=csv "$1" >modules &&
		! grep -F '[vdso]' modules
}

# same NAME [OPTION...] -- PROGRAM ARGUMENT...: the program behaves the same natively and under both
# backends, and both record the same execution, of $instructions.
same() {
	local name=$1 status lines
	local -a options command
	shift
	split_options "$@"
	set -- "${command[@]}"
	"${fixed[@]}" $unrandomised "$@" <$input >native.out 2>native.err
	status=$?
	for side in step other; do
		record ${!side} "$name.$side" $status "${options[@]}" -- "$@"
		check "$name.$side.output" cmp native.out "$name.$side.out"
		check "$name.$side.messages" cmp native.err "$name.$side.err"
	done
	[[ $1 == "$PROGRAMS"/* ]] || check "$name.no_clock" reads_no_clock "$name.step.trace"
	check_status "$name.same" 0 "$COMPARE" "$name.step.trace" "$name.other.trace"
	mapfile -t lines <out
	[ ! -s out ] || printf '# %s\n' "${lines[@]}"
	instructions=${lines[*]: -1}
	instructions=${instructions%% instructions, *}
	[[ $instructions =~ ^[0-9]+$ ]] || instructions=0
	rm -f "$name".*
}

# is_translated FILE: few instructions are stepped, near the beginning of signals and threads: more in long programs.
is_translated() {
	local stepped executed
	stepped=$(sed -n 's/.*stepped: [0-9,]* blocks, \([0-9,]*\) instructions/\1/p' "$1" | tr -d ,)
	executed=$(sed -n 's/.*executed: \([0-9,]*\) instructions.*/\1/p' "$1" | tr -d ,)
	[ "${stepped:-1000000}" -lt $((executed > 200000000 ? executed / 100000 : 2000)) ]
}

# runs NAME [OPTION...] -- PROGRAM ARGUMENT...: behaves as natively, by translation, with few steps.
runs() {
	local name=$1
	local -a options command
	shift
	split_options "$@"
	set -- "${command[@]}"
	"${fixed[@]}" $unrandomised "$@" >native.out 2>native.err
	"${fixed[@]}" "$BIN/trace-record" --force --stats -o $name.trace "${options[@]}" -- "$@" \
		>$name.out 2>$name.err
	check_equal $name.status 0 $?
	check $name.output cmp native.out $name.out
	check $name.verify "$BIN/trace-verify" -q $name.trace
	check $name.translated is_translated $name.err
}

# attached NAME [OPTION...] -- PROGRAM ARGUMENT...: the recorder attaches to the program, which prints its process id
# and waits for a line of input before it prints the lines of native.out; the trace is good. When the recorder is
# ready cannot be seen, so a recording before which the program ended is repeated; this happens on a busy computer.
attached() {
	local name=$1 pid status tries=20
	local -a options command
	shift
	split_options "$@"
	while
		rm -f input && mkfifo input
		"${command[@]}" <input >"$name.out" &
		exec 5>input
		eventually test -s "$name.out"
		pid=$(head -1 "$name.out")
		timeout -s KILL $patience "$BIN/trace-record" -q --force -o trace "${options[@]}" --pid="$pid" 2>"$name.err" &
		eventually grep -q 'TracerPid:.[1-9]' "/proc/$pid/status"
		echo >&5
		exec 5>&-
		wait $!
		status=$?
		grep -q 'nothing was recorded: .* ended before it ran' "$name.err" && [ $((tries--)) -gt 0 ]
	do :; done
	check_equal "$name.status" 0 $status
	check "$name.output" cmp native.out <(sed 1d "$name.out")
	check "$name.verify" "$BIN/trace-verify" -q trace
}
