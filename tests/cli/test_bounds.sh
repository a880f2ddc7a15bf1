#!/bin/bash
# SPDX-License-Identifier: MIT
# Hostile files that claim much in a few bytes: no command takes more than 256 MiB of memory and 100 times the
# size of its input, unless a line reports it; and none is ended by a signal.
. "$(dirname "$0")/../lib.sh"
if grep -q __asan "$BIN/trace-dump"; then
	echo "ok the sanitizer needs memory of its own"
	exit
fi
cd "$work" || exit 1
many=$BIN/../tests/many_of
peak=$BIN/../tests/peak_memory

# bounded NAME FILE COMMAND...: the command stays within the bound, or reports that it does not, and exits itself.
bounded() {
	local name=$1 file=$2 status
	shift 2
	"$peak" "$file" -- "$@" >out 2>err </dev/null
	status=$?
	if [ $status -lt 98 ] || { [ $status = 99 ] && grep -q 'takes more memory than 256 MiB' err; }; then
		echo "ok $name"
	else
		echo "not ok $name: status $status from: $*"
		tail -3 err | cut -c 1-200 | sed 's/^/# /'
	fi
}

commands='info|info -t -m -s --columns|verify|mix|mix --by=mnemonic|slo|stackdist|footprint|ilp|ibs
bbv --interval=1000|itypes|simpoint --interval=1000|dump -c 1000|repair -o repaired|repack -o repacked
cut --from=1 --count=1 -o cut'
is_quick && commands='mix|footprint|repack -o repacked'

# many THING N: runs all commands on such a trace. The smaller N are just within the limit of the dictionary.
many() {
	local line
	"$many" "$1" "$2" "$1.trace"
	while read -r -d '|' line; do
		# shellcheck disable=SC2086
		set -- "$1" "$2" $line
		bounded "$1.$2.${line// /}" "$1.trace" "$BIN/trace-$3" "${@:4}" --quiet "$1.trace"
		rm -f repaired repacked cut bb.out* ./*.bb
	done < <(tr '\n' '|' <<<"$commands")
}

many insns 2300
is_quick || many long 30000
many slots 1800
is_quick || many exits 8000
is_quick || many names 10000
many turns 3000
check insns.refused test "$("$many" insns 5000 insns.trace; "$BIN/trace-mix" insns.trace 2>&1 | grep -c 'its dictionary takes more than')" = 1

# Threads that take turns: the memory for each of them is bounded by the bytes that it has in the file.
is_quick || "$many" turns 20000 turns.trace
turns=(footprint 'slo --data' 'ibs --jobs=64' 'stackdist --jobs=64')
is_quick || turns+=(slo ibs 'slo --jobs=64')
for command in "${turns[@]}"; do
	# shellcheck disable=SC2086
	check "turns.${command// /}" "$peak" turns.trace -- "$BIN"/trace-$command --quiet turns.trace
done

# Superblocks with many exits, each behind many blocks.
"$many" fans 60 fans.trace
check fans.calls "$peak" fans.trace -- "$BIN/trace-calls" --quiet fans.trace

# Chunks that are as large as they may be: few are decoded at a time.
"$many" large 4 large.trace
for command in ilp stackdist; do
	check "large.$command" "$peak" large.trace -- "$BIN/trace-$command" --quiet --jobs=64 large.trace
done

# Half a billion intervals in a few KB.
"$many" dense 8 dense.trace
echo '0 0' >dense.simpts
echo '1 0' >dense.weights
check dense.cut "$peak" dense.trace -- "$BIN/trace-cut" --quiet --simpoints=dense.simpts --interval=1 --counter=exact \
	-o dense dense.trace

# Half a terabyte that one instruction has stored, says the trace. Where each repetition takes time, a message
# comes first; the end is not waited for.
is_reported() {
	local pid status=1
	: >err
	"$@" >out 2>err </dev/null &
	pid=$!
	if eventually test -s err; then
		grep -q '549,755,813,888 repetitions of string instructions, which are taken one by one' err
		status=$?
	fi
	kill $pid
	wait $pid
	return $status
}
"$many" unseen 1 unseen.trace
for command in mix 'bbv --blocks=dynamic' verify 'repack -o repacked'; do
	# shellcheck disable=SC2086
	check "unseen.${command// /}" "$peak" unseen.trace -- "$BIN"/trace-$command --quiet unseen.trace
	rm -f repacked bb.out*
done
for command in bbv footprint 'slo --data' stackdist ibs itypes ilp; do
	# shellcheck disable=SC2086
	check "unseen.${command// /}" is_reported "$BIN"/trace-$command --quiet unseen.trace
	rm -f bb.out*
done
check_status unseen.export 1 "$BIN/trace-export" --quiet --to=champsim -o unseen.champsim unseen.trace
check_match unseen.export.says 'more than 2.32 times, at instruction 2; use --rep=once' "$work/err"
check unseen.export.none test ! -e unseen.champsim -a ! -e unseen.champsim.json
check unseen.export.once "$BIN/trace-export" --quiet --rep=once --to=champsim -o unseen.champsim unseen.trace
check unseen.cut "$peak" unseen.trace -- "$BIN/trace-cut" --quiet --simpoints=dense.simpts --interval=1 -o unseen \
	unseen.trace

# A text file that ends after an id.
echo 'T:4000000000:1 ' >ids.bb
bounded ids.bb ids.bb "$BIN/trace-simpoint" --load-vectors=ids.bb ids.bb
