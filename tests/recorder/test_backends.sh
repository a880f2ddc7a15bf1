#!/bin/bash
# SPDX-License-Identifier: MIT
# Both backends record the same of programs that execute the same in each run: instruction by
# instruction, address by address, event by event (compare.c). Stepping is slow: small programs are recorded as
# a whole, large ones in a window.
. "$(dirname "$0")/backends.sh"

# The comparison notices each kind of difference, and prints how much both have.
differs="$PROGRAMS/differs"
record step differs.0 0 -- "$differs" 0
for digit in 1 2 3 4 5 6 7 8 9; do
	record step differs.$digit $((digit == 9)) -- "$differs" $digit
	check_status notices.$digit 1 "$COMPARE" differs.0.trace differs.$digit.trace
done
check_match notices.where 'thread 0 differs at instruction [0-9]+$' out
check_status notices.nothing_before 0 "$COMPARE" --count=20 differs.0.trace differs.9.trace
check_match notices.summary '^20 instructions, [0-9]+ accesses, [0-9]+ events identical$' out
record step differs.cut 0 --count=30 -- "$differs" 0
check_status notices.cut 1 "$COMPARE" differs.0.trace differs.cut.trace
check_status refuses.text 2 "$COMPARE" differs.0.trace "$0"
check_status refuses.one 2 "$COMPARE" differs.0.trace

# Assembly: every form of instruction, operand and transfer.
for program in strings operands branches blocks transfers stack calls addresses reps live states \
		fault recovers non_canonical odd selfmod tables hides; do
	# blocks does the same 30 times
	same $program --count="$(is_quick && [ $program = blocks ] && echo 20k || echo 1G)" -- "$PROGRAMS/$program"
done
# Features that translated code itself uses, also in windows, and without steps.
rounds=$(quick_or_full 1 4)
same special --from=main -- "$PROGRAMS/special" $rounds
same special.window --from=main --every=$((rounds * 5))k --for=1k -- "$PROGRAMS/special" $rounds
[ $other = step ] || runs special.loops -- "$PROGRAMS/special" 300 dhmcb
same misaligned --from=main -- "$PROGRAMS/misaligned" 40
[ $other = step ] || runs misaligned.loops -- "$PROGRAMS/misaligned" 30000
if grep -qw avx2 /proc/cpuinfo; then
	same vectors -- "$PROGRAMS/vectors"
	same lanes -- "$PROGRAMS/lanes"
else
	echo "# vectors, lanes: this processor has no AVX2"
fi
if grep -qw avx512vl /proc/cpuinfo; then
	same vectors512 -- "$PROGRAMS/vectors512"
	same lanes512 -- "$PROGRAMS/lanes512"
else
	echo "# vectors512, lanes512: this processor has no AVX-512"
fi
if grep -qw amx_tile /proc/cpuinfo; then
	same tiles -- "$PROGRAMS/tiles"
else
	echo "# tiles: this processor has no AMX"
fi
# Comparing step with itself only tests this test: the programs above and one more are enough.
if [ $other = step ]; then
	same window --skip=2k --count=5k -- "$PROGRAMS/kernels_o2"
	exit
fi

# The ends of regions, and the work to make a region end there.
for count in 1 2 3000 5777 8554 11331; do
	same count.$count --count=$count -- "$PROGRAMS/blocks"
done
for count in 101 222 303; do	# control words are loaded there
	same count_states.$count --count=$count -- "$PROGRAMS/states"
done
same skip --skip=1k --count=3k -- "$PROGRAMS/reps"
same skip_stack --skip=100 --count=200 -- "$PROGRAMS/stack"

# C, compiled in several ways; whole, with the start of a static and of a dynamic program.
same kernels_o2 --count="$(quick_or_full 30k 1G)" -- "$PROGRAMS/kernels_o2"
same kernels_gathers --from=main -- "$PROGRAMS/kernels_gathers"
if ! is_quick; then
	same kernels_native --from=main -- "$PROGRAMS/kernels_native"
	same kernels_o0 --from=main -- "$PROGRAMS/kernels_o0"
	same kernels_thunks --from=main -- "$PROGRAMS/kernels_thunks"
fi
same functions --from=main --function=factorial/1 -- "$PROGRAMS/functions"
same allocates --from=main -- "$PROGRAMS/allocates"
same no_addresses --no-addresses --from=main --count="$(quick_or_full 8k 20k)" -- "$PROGRAMS/kernels_o2"
same true --count="$(quick_or_full 10k 1G)" -- true
for how in null jump abort divide illegal trap "kill 9" "exit 3" closed overflow; do
	same "dies.${how% *}" --from=main -- "$PROGRAMS/dies" $how
done

# One thread at a time: in parallel, each thread would find locks held or free by chance.
same workers --threads=serial --from=main -- "$PROGRAMS/workers" 3 40

# Threads whose steps are hidden, at the same time: each executes as much as a single thread.
for threads in parallel serial; do
	record translate $threads 0 --threads=$threads -- "$PROGRAMS/hide_threads"
	"$BIN/trace-info" --threads --format=csv $threads.trace | grep -A 5 ^thread, | sed 1,2d | cut -d, -f1,4 >$threads.threads
done
check_equal hide_threads.output 1800 "$(cat parallel.out)"
check hide_threads.instructions cmp serial.threads parallel.threads
check hide_threads.some grep -q ^3, parallel.threads

# Windows of common programs, from a function that is called once the program is at work.
length=$(quick_or_full 1000 25000)
mkdir folder
touch folder/{a,b,c}
head -c 3000 "$tests/../LICENSE" >text
printf '%s\n' pear apple fig cherry banana >fruit
printf 'scale=20\n4*a(1)\nquit\n' >pi.bc

# window NAME SYMBOL PROGRAM ARGUMENT...
window() {
	local name=$1 symbol=$2
	shift 2
	if type -P "$1" >/dev/null; then
		same "$name" --from="$symbol" --count=$length -- "$@"
		check "$name.long_enough" [ "$instructions" -gt $((length < 4000 ? length * 3 / 4 : 3000)) ]
	else
		echo "# $name: $1 is not installed"
	fi
}

window ls setlocale ls folder
window cat setlocale cat text
window sort setlocale sort -S 1M fruit # else the free memory decides
window wc setlocale wc text
window seq setlocale seq 300
window factor setlocale factor 1234567890123 987654321
window cut setlocale cut -c2-5 text
window nl setlocale nl text
window od setlocale od -c text
window expr setlocale expr 12345 '*' 6789
window base64 setlocale base64 text
window sha256sum setlocale sha256sum text
window md5sum setlocale md5sum text
input=text window tr setlocale tr a-z A-Z
window grep setlocale grep -n 'the[a-z]' text
window sed setlocale sed 's/[aeiou]/<&>/g' text
window comm setlocale comm --nocheck-order text fruit
window find setlocale find folder
window awk read awk '{ n += NF } END { print n }' text
window bc read bc -l pi.bc
window gzip read gzip -c text
window bzip2 BZ2_bzCompressInit bzip2 -c text
window xz lzma_code xz -c --threads=1 text
window sqlite3 sqlite3_step sqlite3 -batch :memory: \
	'create table t(x); insert into t values (1), (2), (39); select sum(x) from t;'
window python3 PyRun_SimpleStringFlags /usr/bin/python3 -S -s -c 'print(sum(range(10)))'
window perl perl_run perl -e 'print join ",", map { $_ * 3 } sort (3, 1, 2)'
window tar setlocale tar cf - text fruit --owner=0 --group=0 --mtime=@0
window objdump setlocale objdump -d "$PROGRAMS/differs"
window file setlocale file text
window bash parse_and_execute bash -c 'for i in 1 2 3; do x+=$((i * i)); done; echo ${x//1/one}'
window readelf setlocale readelf -S "$PROGRAMS/differs"
window openssl EVP_DigestUpdate openssl dgst -sha256 text
