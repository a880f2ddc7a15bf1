#!/bin/bash
# SPDX-License-Identifier: MIT
# trace-cache against a slow model of caches, which reads a dump of the trace: every policy, relation of levels,
# and way to write.
. "$(dirname "$0")/../lib.sh"
model=$(cd "$(dirname "$0")" && pwd)/cache_check.py
cd "$work" || exit 1

# compare NAME OPTION LEVELS...: all configurations in one pass
compare() {
	local name=$1 option=$2
	shift 2
	/usr/bin/python3 -B "$model" "$option" "$@" <"$name.dump" >expected
	"$BIN/trace-cache" -q "$option" "${@/#/--levels=}" --format=csv --table=levels "$name.trace" | /usr/bin/python3 -c '
import csv, sys
for row in csv.DictReader(sys.stdin):
    print(*[row[name] for name in sys.argv[1:]], sep=",")' caches level lookups misses miss_ratio_percent mpki \
		fetch_misses load_misses store_misses evictions write_backs >got
	tr -d '"' <expected >expected.plain
	check "$name.$option.${*: -1}" cmp expected.plain got
	check_equal "$name.$option.rows" "$(wc -l <expected)" "$(sort -u got | wc -l)"
}

# record NAME OPTION... -- COMMAND...: NAME.trace and NAME.dump
record() {
	local name=$1
	shift
	"${recorder[@]}" -q -o "$name.trace" "$@" >/dev/null 2>&1
	"$BIN/trace-dump" --format=csv "$name.trace" >"$name.dump"
}
record kernels --from=main --count="$(quick_or_full 10k 100k)" -- "$PROGRAMS/kernels_o2"
record strings -- "$PROGRAMS/strings"

policies=(lru fifo plru srrip brrip drrip random)
inclusions=(nine inclusive exclusive)
words=()
for policy in "${policies[@]}"; do
	words+=("1Ki/4:$policy,4Ki/8:$policy")
done
compare kernels --accesses=all "${words[@]}"
words=()
for policy in lru plru srrip random; do
	for inclusion in inclusive exclusive; do
		words+=("512/2:$policy,2Ki/4:$policy:$inclusion,8Ki/8:$policy")
		words+=("512/2:$policy,1Ki/4,4Ki/8:$policy:$inclusion")
	done
done
compare kernels --accesses=all "${words[@]}"
compare kernels --accesses=data 512/4:write-through 512/4:no-allocate 512/4:write-through:no-allocate,2Ki/4 \
	512/2:write-through,1Ki/2:write-through:no-allocate,4Ki/4 512/2,1Ki/2:write-through,4Ki/4:exclusive \
	512/2:no-allocate,2Ki/4:exclusive 768/3,3Ki/6/128,12Ki/12/256:inclusive 1Ki/full,2Ki/full:exclusive
compare kernels --accesses=fetches 512/2/32 1Ki/4:unified:fifo 256/1+512/2,1Ki/2+2Ki/4,8Ki/8
compare strings --accesses=all 128/1/16,512/2/32 256/2:unified,1Ki/4:inclusive
