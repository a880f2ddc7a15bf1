#!/bin/bash
# SPDX-License-Identifier: MIT
# MICA's analyses and files on random programs without traces, against a slow model of MICA.
. "$(dirname "$0")/../lib.sh"
tests=$(cd "$(dirname "$0")/.." && pwd)
text=$(cd "$tests/.." && pwd)/$BUILD/tests/mica_text
cd "$work" || exit 1

model() { /usr/bin/python3 -B "$tests/oracle/mica_oracle.py" "$@"; }

# ours DIALECT ANALYSIS PROGRAM [no-avx2]: writes our files to ours/, by the settings in conf
ours() {
	{ echo "analysis_type: $2" && cat conf; } >mica.conf
	"$text" "$1" mica.conf "$3" ours "${@:4}"
}

# same NAME: ours/ has all files of the model, and no others. Categories have no order.
same() {
	local file
	for file in {model,ours}/*categories.txt; do
		[ ! -e "$file" ] || sort -o "$file" "$file"
	done
	check "$1" diff -r model ours
}

# compare NAME DIALECT PROGRAM MODEL-OPTION...: each analysis by itself, and all together
compare() {
	local name=$1 dialect=$2 program=$3 stack=memstackdist more=
	shift 3
	[ "$dialect" != 0.40rel ] || stack=memreusedist
	[ "$dialect" != cheramy ] || more="fullmemstackdist linecount"
	rm -rf model ours && mkdir ours
	model --version "$dialect" --out model "$@" "$program"
	for analysis in ilp ilp_one itypes ppm reg stride memfootprint $stack $more; do
		check "$name.$analysis.runs" ours "$dialect" $analysis "$program"
	done
	same "$name.alone"
	rm -rf model ours && mkdir ours
	model --version "$dialect" --all --out model "$@" "$program"
	check "$name.all.runs" ours "$dialect" all "$program"
	rm model/ilp-win*
	same "$name.all"
}

printf 'interval_size: full\nilp_size: 4\n' >conf
compare toy cheramy "$tests/oracle/mica_toy.txt" --ilp-size=4
printf '0, 0, CATEGORY, SSE\n0, 1,OPCODE,ADD\n1,0, SPECIAL, mem_read\n2, 0, OPCODE, no such\n' >spec
# Two programs: a few instructions that execute often, and many.
number=0
for size in "1200 40" "1500 1200"; do
	number=$((number + 1))
	/usr/bin/python3 -B "$tests/mica/random_text.py" $number $size >$number
	printf 'interval_size: full\nilp_size: 7\nblock_size: 3\n' >conf
	compare $number.full cheramy $number --ilp-size=7 --block=3
	printf 'interval_size: 200\nilp_size: 32\n' >conf
	compare $number.200 cheramy $number --interval=200
	printf 'interval_size: 600\nilp_size: 100\nitypes_spec_file: spec\nblock_size: 4\npage_size: 20\n' >conf
	compare $number.spec cheramy $number --interval=600 --ilp-size=100 --spec=spec --block=4 --page=20
done
for dialect in 0.40 0.40rel boegel; do
	printf 'interval_size: full\nilp_size: 32\n' >conf
	compare $dialect.full $dialect 1
	printf 'interval_size: 400\nilp_size: 32\n' >conf
	compare $dialect.400 $dialect 2 --interval=400
done

rm -rf ours model.alone && mkdir ours
model --version boegel --interval=400 --out model.alone --only=ilp 2
for analysis in ilp ilp_one; do
	check $analysis.no_avx2 ours boegel $analysis 2 no-avx2
done
for file in ilp ilp-win32; do
	check no_avx2.$file cmp model.alone/${file}_phases_int_pin.out ours/${file}_phases_int_pin.out
done

# Chains through few registers and blocks, where a store may be ready before the one it replaces.
printf 'interval_size: full\nilp_size: 12\n' >conf
awk 'BEGIN {
	srand(1)
	for (i = 0; i < 4000; i++) {
		line = sprintf("%#x 4 BINARY ADD", 4194304 + i % 50 * 4)
		register = rand() < .7 ? "rax" : "rbx"
		if (rand() < .8)
			line = line " r=" register
		if (rand() < .8)
			line = line " w=" register
		if (rand() < .1)
			line = line sprintf(" ld=%#x:8", 4096 + int(rand() * 4) * 64)
		if (rand() < .3)
			line = line sprintf(" st=%#x:8", 4096 + int(rand() * 4) * 64)
		print line
	}
}' >chains
rm -rf ours model && mkdir ours
model --ilp-size=12 --only=ilp --out model chains
for analysis in ilp ilp_one; do
	check chains.$analysis.runs ours cheramy $analysis chains
done
same chains

# The 999th line of linecount.
printf 'interval_size: full\nilp_size: 32\n' >conf
for ((i = 1; i < 1000; i++)); do
	echo "0x400000 4 DATAXFER MOV ld=$((i * 64)):8"
done >999
compare 999 cheramy 999
check lines_twice test "$(wc -l <ours/linecount_full_int_pin.out)" -eq 2000

# Instructions between those that switch the analyses on and off, and those that switch on.
awk '{ print } !(NR % 97) { print "0x10 2 DATAXFER XCHG r=rbx w=rbx ops=2" } \
	!(NR % 50) { print "0x12 2 DATAXFER XCHG r=rbx,rax w=rbx,rax ops=2" }' 1 >toggles
awk '/XCHG r=rbx w/ { on = !on } on' toggles >toggled
printf 'interval_size: 200\nilp_size: 32\nuse_magic_instruction: yes\n' >conf
rm -rf model ours && mkdir ours
model --all --out model --interval=200 toggled
check toggles ours cheramy all toggles
rm model/ilp-win*
same toggles
