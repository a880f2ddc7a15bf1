#!/bin/bash
# SPDX-License-Identifier: MIT
# Options that take a file get one that is plainly of another kind: a message says what the file is and
# what was expected, and the command exits with status 1 and makes no file.
. "$(dirname "$0")/../lib.sh"
cd "$work" || exit 1

"$BIN/../tests/many_of" events 20 t.trace
cp t.trace a.trace
printf 'PERFILE2%0200d' 0 >perf.data
mkdir folder
mkfifo fifo # no process writes to this pipe
: >empty
cp /bin/true elf
printf 'T:1:5 \nT:2:4 \n' >v.bb
printf '0 0\n' >p.simpts
printf '{"slice_weight": 1.0, "parent_instructions": 10, "instructions": 10}' >r.json

declare -A is=([a.trace]='is a trace' [perf.data]='is a perf.data file' [folder]='is a folder' [fifo]='is a named pipe'
	[empty]='is empty' [elf]='is a program or a library')

# wrong NAME EXPECTED COMMAND...: @ in the command stands for the file.
wrong() {
	local name=$1 expected=$2 tool=$3 kind status
	shift 3
	for kind in "${!is[@]}"; do
		timeout $patience "$BIN/trace-$tool" "${@/@/$kind}" >out 2>err </dev/null
		status=$?
		if [ $status = 1 ] && grep -q "error: $kind: .*${is[$kind]}" err && grep -q "$expected" err && [ ! -e made ]; then
			echo "ok $name.$kind"
		else
			echo "not ok $name.$kind: status $status"
			sed 's/^/# /' err
		fi
		rm -rf made
	done
}

wrong ibs 'not a file of a machine' ibs --machine=@ t.trace
wrong mica 'not a configuration of MICA' mica -c @ -d made t.trace
wrong itypes 'not a file of groups' itypes -g @ t.trace
wrong ilp 'not a file of latencies' ilp --latency=@ t.trace
wrong labels 'not a list of labels' simpoint -k 1 -loadInitLabels @ -saveSimpoints made v.bb
wrong centres 'not a matrix of numbers' simpoint -k 1 -loadInitCtrs @ -saveSimpoints made v.bb
wrong projection 'not a matrix of numbers' simpoint -k 1 -loadProjMatrixTxtFmt @ -saveSimpoints made v.bb
wrong text_vectors 'not a matrix of numbers' simpoint -k 1 -loadVectorsTxtFmt @ -saveSimpoints made
wrong binary_vectors 'not a matrix of numbers' simpoint -k 1 -loadVectorsBinFmt @ -saveSimpoints made
wrong vector_weights 'not a list of weights' simpoint -k 1 -loadVectorWeights @ -saveSimpoints made v.bb
wrong places 'not a .pc file' simpoint -k 1 --pc-file=@ -saveSimpoints made v.bb
wrong points 'not simulation points' cut --simpoints=@ -o made t.trace
wrong weights 'not a .weights file' cut --simpoints=p.simpts --interval=2 --weights=@ -o made t.trace
wrong results 'not a result in JSON' extrapolate @
wrong results_weights 'not a .weights file' extrapolate --weights=@ r.json
wrong map 'not an address map' anonymise --preset=share --map=@ -o made t.trace
wrong whole 'not a result in JSON' extrapolate --whole=@ r.json

# Numbers that are negative, too great, not whole or too many are not taken for others.
# numbers NAME TEXT COMMAND...: @ in the command stands for a file with the text.
numbers() {
	local name=$1 tool=$3
	printf "$2\n" >numbers.file
	shift 3
	check_status "numbers.$name" 1 timeout $patience "$BIN/trace-$tool" "${@/@/numbers.file}"
	check "numbers.$name.says" grep -q 'error: .*numbers.file' err
	check "numbers.$name.made" [ ! -e made ]
	rm -rf made
}
i=0
for line in '0 -5' '0 18446744073709551616' '0.5 0' '0 0 0' 0; do
	numbers points.$((++i)) "$line" cut --simpoints=@ --interval=2 -o made t.trace
done
for line in 'inf 0' 'nan 0' '-0.5 0' '1 -1' '1 18446744073709551616' '1 0 0' 1; do
	numbers weights.$((++i)) "$line" cut --simpoints=p.simpts --interval=2 --weights=@ -o made t.trace
done
numbers group '4294967296, 0, CATEGORY, NOP' itypes -g @ t.trace
numbers latency 'CATEGORY, NOP, 4294967297' ilp --latency=@ t.trace
numbers columns '1:\n4294967297: 0.5' simpoint -k 1 -loadInitCtrs @ -saveSimpoints made v.bb

# Groups that mica.conf names; a pipe without a name is read.
for kind in "${!is[@]}"; do
	printf 'analysis_type: itypes interval_size: full itypes_spec_file: %s\n' "$kind" >mica.conf
	check_status "mica_groups.$kind" 1 timeout $patience "$BIN/trace-mica" -d . t.trace
	check_match "mica_groups.$kind.says" "${is[$kind]}" err
done
check pipe "$BIN/trace-itypes" -g <(printf '0, 0, CATEGORY, NOP\n') t.trace

# Inputs of commands that read traces or make them.
unset 'is[a.trace]' 'is[fifo]'
for tool in info dump mix verify; do
	wrong $tool 'trace\|regular file' $tool @
done
for tool in repair repack; do
	wrong $tool 'trace\|regular file' $tool -o made @
done
unset 'is[perf.data]'
wrong import perf import -o made @
check_status import.trace 1 "$BIN/trace-import" -o made a.trace
check_match import.trace.says 'a.trace: is a trace already' err
