#!/bin/bash
# SPDX-License-Identifier: MIT
# --self-check finds no difference in whole programs, however long; and does not change the
# trace. tests/unit/recorder/test_translate_run.c checks that it finds a difference.
. "$(dirname "$0")/backends.sh"
scale=$(quick_or_full 1 20)	# 20: some 10^8 instructions each

# The trace is the same, of programs with instructions of every form.
for program in strings operands blocks transfers stack calls addresses reps states fault recovers odd \
		non_canonical selfmod lanes lanes512 vectors vectors512 kernels_native; do
	case $program in
	lanes|vectors|*native) grep -qw avx2 /proc/cpuinfo || continue ;;
	*512) grep -qw avx512vl /proc/cpuinfo || continue ;;
	esac
	"$PROGRAMS/$program" >native.out 2>/dev/null
	status=$?
	record translate $program.plain $status -- "$PROGRAMS/$program"
	record translate $program.checked $status --self-check -- "$PROGRAMS/$program"
	check_status $program.same 0 "$COMPARE" $program.plain.trace $program.checked.trace
done

# whole NAME PROGRAM ARGUMENT...: the program behaves as natively, and its recording is right.
whole() {
	local name=$1 status values
	shift
	if ! type -P "$1" >/dev/null; then
		echo "# $name: $1 is not installed"
		return
	fi
	"${fixed[@]}" "$@" <$input >native.out 2>native.err
	status=$?
	"${fixed[@]}" "$BIN/trace-record" --quiet --stats --force --self-check -o whole.trace \
		"$@" <$input >whole.out 2>whole.err
	check_equal $name.status $status $?
	check $name.output cmp native.out whole.out
	values=$(sed -n 's/^trace-record: self-check: \([0-9,]*\) values$/\1/p' whole.err | tr -d ,)
	check $name.checked [ "${values:-0}" -gt 2000000 ]
	sed -n 's/^trace-record: \(executed\|self-check\|[0-9]\)/# \1/p; s/^trace-record: .*self-check: p/# &/p' whole.err
	check_status $name.verify 0 "$BIN/trace-verify" whole.trace
}

seq $((7000 * scale)) >numbers
whole gzip gzip -c numbers
seq $((3500 * scale)) >numbers
whole bzip2 bzip2 -c numbers
whole sqlite3 sqlite3 -batch :memory: "with recursive c(x) as (select 1 union all select x + 1 from c
	where x < $((1500 * scale))) select sum(x * x), count(distinct x % 97) from c;"
whole python3 /usr/bin/python3 -S -s -c "print(sum(int(str(i)) % 7 for i in range($((3000 * scale)))))"
whole perl perl -e 'my %h; $h{$_ % 1013} .= $_ for 1..'$((3500 * scale))';
	print length(join ",", map { $h{$_} } sort keys %h), "\n"'

check_status not_for_steps 2 "$BIN/trace-record" --backend=step --self-check -o x.trace true
