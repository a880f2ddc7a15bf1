#!/bin/bash
# SPDX-License-Identifier: MIT
# trace-cache against a slow model of caches, which reads a dump of the trace: all counts of every policy, relation of
# levels, way to write, and prefetcher.
. "$(dirname "$0")/../lib.sh"
model=$(cd "$(dirname "$0")" && pwd)/cache_check.py
cd "$work" || exit 1

# compare NAME OPTION...: all configurations in one pass
compare() {
	local name=$1
	shift
	"$BIN/trace-cache" -q "$@" --format=json "$name.trace" >result
	check "$name.$1.${*: -1}" /usr/bin/python3 -B "$model" result "$@" <"$name.dump"
}

# levels TEXT...: options
levels() {
	echo "${@/#/--levels=}"
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

words=()
for policy in lru fifo plru srrip brrip drrip random:seed=5; do
	words+=("1Ki/4:$policy,4Ki/8:$policy")
done
compare kernels --accesses=all $(levels "${words[@]}")
words=()
for policy in lru plru srrip random; do
	for inclusion in inclusive exclusive; do
		words+=("512/2:$policy,2Ki/4:$policy:$inclusion,8Ki/8:$policy")
		words+=("512/2:$policy,1Ki/4,4Ki/8:$policy:$inclusion")
	done
done
compare kernels --accesses=all $(levels "${words[@]}")
compare kernels --accesses=data $(levels 512/4:write-through 512/4:no-allocate 512/4:write-through:no-allocate,2Ki/4 \
	512/2:write-through,1Ki/2:write-through:no-allocate,4Ki/4 512/2,1Ki/2:write-through,4Ki/4:exclusive \
	512/2:no-allocate,2Ki/4:exclusive 768/3,3Ki/6/128,12Ki/12/256:inclusive 1Ki/full,2Ki/full:exclusive)
compare kernels --accesses=data $(levels 256/2:opt 128/1:opt,4Ki/8:opt 1Ki/4:opt,4Ki/8:opt 512/full:opt,2Ki/4,8Ki/8:opt \
	512/2:write-through,2Ki/4:opt:no-allocate 512/2:stride,2Ki/4:opt)
compare kernels --accesses=fetches $(levels 512/2/32 1Ki/4:unified:fifo 256/1+512/2,1Ki/2+2Ki/4,8Ki/8)
compare kernels --accesses=all $(levels 1Ki/4:next-line,4Ki/8:tagged:distance=2 512/2:tagged,2Ki/4:stride,8Ki/8 \
	512/4:stride:distance=3,2Ki/4:inclusive:next-line 512/2:write-through,1Ki/2:no-allocate:stride,4Ki/4:tagged)
compare strings --accesses=all $(levels 128/1/16,512/2/32 256/2:unified,1Ki/4:inclusive)
compare kernels --accesses=all --tlb=4/2,16/full/8Ki --levels=1Ki/2 --tlb=2/full+4/4,8/2:srrip
