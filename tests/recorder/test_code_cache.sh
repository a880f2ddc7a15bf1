#!/bin/bash
# SPDX-License-Identifier: MIT
# The persistent code cache on disk: recordings are the same with it and without it, whatever is in its files.
OTHER=translate
. "$(dirname "$0")/backends.sh"

# cached NAME [OPTION...] -- PROGRAM ARGUMENT...: makes NAME.trace by the cache in the folder cache.
cached() {
	local name=$1
	shift
	record translate "$name" 0 --cache=cache --stats "$@"
}

# number NAME PATTERN: prints the number before the pattern in the statistics of a recording.
number() {
	sed -n "s/.*code cache: .*[^0-9,]\([0-9,]\{1,\}\) $2.*/\1/p; s/.*code cache: \([0-9,]*\) $2.*/\1/p" "$1.err" |
		tr -d , | head -1
}

# is_same NAME A B: two recordings have the same instructions, addresses and events, and the same analyses.
is_same() {
	local tool
	check_status "$1.same" 0 "$COMPARE" "$2.trace" "$3.trace"
	check "$1.output" cmp "$2.out" "$3.out"
	for tool in "trace-mix --format=json" "trace-bbv --compat -o vectors"; do
		for side in "$2" "$3"; do
			ln -f "$side.trace" analysed.trace # results have the name
			"$BIN"/$tool -q analysed.trace >"$side.result" 2>&1
			[ ! -e vectors ] || mv vectors "$side.result"
		done
		check "$1.${tool%% *}" cmp "$2.result" "$3.result"
	done
}

# fewer NAME MOST CAUSE: the second recording of NAME has at most MOST percent of the first one's stops of that cause.
fewer() {
	local first second
	first=$(stops "$1.first" "$3") second=$(stops "$1.second" "$3")
	echo "$first, then $second"
	[ -n "$first" ] && [ -n "$second" ] && [ $((second * 100)) -le $((first * $2)) ]
}
stops() {
	sed -n "s/.*stops: \(.*, \)\{0,1\}\([0-9,]*\) $2.*/\2/p" "$1.err" | tr -d ,
}

# translated NAME: prints the instructions that were translated in a recording.
translated() {
	sed -n 's/.*translated: .* \([0-9,]*\) instructions,.*/\1/p' "$1.err" | tr -d ,
}

# twice NAME MOST [OPTION...] -- PROGRAM ARGUMENT...: a second recording takes superblocks from the cache, stops for
# at most MOST percent of the new code of the first, and equals one without a cache.
twice() {
	local name=$1 most=$2
	shift 2
	rm -rf cache
	record translate "$name.without" 0 --cache=no "$@"
	cached "$name.first" "$@"
	cached "$name.second" "$@"
	check_equal "$name.new" 0 "$(number "$name.first" 'superblocks loaded')"
	check "$name.loaded" test "$(number "$name.second" 'superblocks loaded')" -gt 50
	check "$name.stops" fewer "$name" "$most" 'targets missing'
	check "$name.returns" fewer "$name" "$most" 'new return addresses'
	is_same "$name.first" "$name.without" "$name.first"
	is_same "$name.second" "$name.without" "$name.second"
}
mkdir listed
touch listed/{a,b,c}
twice kernels 30 -- "$PROGRAMS/kernels_o2"
twice ls 30 -- ls listed
# Code that was predicted and not reached is not translated again.
check ls.reached test "$(translated ls.second)" -lt "$(translated ls.first)"
twice sort 30 -- sort -S 1M -r "$tests/README.md"
twice no_addresses 30 --no-addresses -- "$PROGRAMS/kernels_o2"
twice checked 30 --self-check -- "$PROGRAMS/kernels_o2"
twice followed 60 --threads=serial --follow -- env "$PROGRAMS/forks"

# A thread finds the blocks of many superblocks; with one CPU there is none. The same superblocks are translated.
rm -rf cache
cpus=$(taskset -cp $$ | sed 's/.*: //')
cached cpus.first --threads=serial -- ls listed
cp -r cache cpus.cache # the next recording may add superblocks
cached cpus.all --threads=serial -- ls listed
taskset -cp "${cpus##*[,-]}" $$ >/dev/null
rm -rf cache && mv cpus.cache cache
cached cpus.one --threads=serial -- ls listed
taskset -cp "$cpus" $$ >/dev/null
check cpus.loaded test "$(number cpus.all 'superblocks loaded')" -gt 500
check_equal cpus.stale 0 "$(number cpus.all stale)"
check_equal cpus.superblocks "$(number cpus.one 'superblocks loaded')" "$(number cpus.all 'superblocks loaded')"
check_equal cpus.translated "$(translated cpus.one)" "$(translated cpus.all)"
is_same cpus cpus.one cpus.all

# At other addresses too.
rm -rf cache
cached aslr.first --aslr -- ls listed
cached aslr.second --aslr -- ls listed
check aslr.loaded test "$(number aslr.second 'superblocks loaded')" -gt 50

# Options that bear on superblocks have files of their own.
rm -rf cache
cached options.first -- ls listed
cached options.second --no-addresses -- ls listed
check_equal options.loaded 0 "$(number options.second 'superblocks loaded')"
check_equal options.files 2 "$(ls cache | wc -l)"

# Damaged files are ignored and replaced.
rm -rf cache
record translate without 0 --cache=no -- ls listed
cached whole -- ls listed
file=$(echo cache/*.code)
cp "$file" saved
size=$(stat -c %s saved)
for damage in empty cut changed swapped; do
	case $damage in
	empty) : >"$file" ;;
	cut) head -c $((size / 2)) saved >"$file" ;;
	changed) { head -c $((size / 2)) saved && printf xyz && tail -c +$((size / 2 + 4)) saved; } >"$file" ;;
	swapped) head -c "$size" /dev/urandom >"$file" ;;
	esac
	cached "$damage" -- ls listed
	check_equal $damage.noticed 1 "$(number $damage 'files damaged')"
	check_equal $damage.unused 0 "$(number $damage 'superblocks loaded')"
	is_same $damage without $damage
	cached $damage.again -- ls listed
	check_equal $damage.replaced 0 "$(number $damage.again 'files damaged')"
	check $damage.loaded test "$(number $damage.again 'superblocks loaded')" -gt 50
done

# Another program of the same name has another file; a folder that others may write to is not used.
rm -rf cache
cp "$PROGRAMS/kernels_o2" program
cached one -- ./program
cp "$PROGRAMS/kernels_o0" program 2>/dev/null || cp "$(command -v ls)" program
cached two -- ./program
check_equal other.loaded 0 "$(number two 'superblocks loaded')"
chmod 777 cache
cached open -- ./program
check open.refused grep -q 'the code cache cache is not used: other users may write to it' open.err
check_equal open.loaded '' "$(number open 'superblocks loaded')"
rm -rf cache
: >cache
cached file -- ./program
check file.refused grep -q 'the code cache cache is not used: Not a directory' file.err
rm cache

# Recorders at once leave a whole file, and no other ones.
for i in 1 2 3 4; do
	record translate at_once.$i 0 --cache=cache -- ls listed &
done
wait
check_equal at_once.files 1 "$(ls -A cache | wc -l)"
cached at_once.last -- ls listed
check_equal at_once.whole 0 "$(number at_once.last 'files damaged')"
check at_once.loaded test "$(number at_once.last 'superblocks loaded')" -gt 50

# The default folder is the user's own, and TRACELAB_CACHE changes it.
mkdir home
default() {
	"$BIN/trace-record" -q --force -o default.trace "$@" -- ls listed >/dev/null 2>&1
}
(unset TRACELAB_CACHE XDG_CACHE_HOME && export HOME=$PWD/home && default)
check default.home test -n "$(ls home/.cache/tracelab)"
check_equal default.mode 700 "$(stat -c %a home/.cache/tracelab)"
(unset TRACELAB_CACHE && export XDG_CACHE_HOME=$PWD/home && default)
check default.xdg test -n "$(ls home/tracelab)"
(unset TRACELAB_CACHE && export XDG_CACHE_HOME=$PWD/home/new/cache && default)
check default.made test -n "$(ls home/new/cache/tracelab)"
check_equal default.made_mode 700 "$(stat -c %a home/new/cache)"
(export TRACELAB_CACHE=$PWD/chosen && default)
check default.chosen test -n "$(ls chosen)"
mkdir none
(unset XDG_CACHE_HOME && export TRACELAB_CACHE=no HOME=$PWD/none && default)
check_equal default.no '' "$(ls -A none)"
if [ "$(id -u)" = 0 ]; then
	mkdir others && chown 12345 others
	(unset TRACELAB_CACHE XDG_CACHE_HOME && export HOME=$PWD/others && default)
	check_equal default.others '' "$(ls -A others)"
fi
