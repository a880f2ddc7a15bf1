#!/bin/bash
# SPDX-License-Identifier: MIT
# Calls and returns of named functions, with their arguments and results.
. "$(dirname "$0")/e2e.sh"

# calls TRACE FUNCTION...: "malloc 0x3e9" and "= 0x5555" for calls and returns, indented by depth.
calls() {
	listing "$1" --events | /usr/bin/python3 -c '
import json, sys
depth = {}
for item in map(json.loads, sys.stdin):
    if item.get("event") not in ("call", "return") or item["name"] not in sys.argv[1:]:
        continue
    level = depth.get(item["thread"], 0)
    if item["event"] == "call":
        print("  " * level + " ".join([item["name"]] + item["args"]))
        depth[item["thread"]] = level + 1
    else:
        depth[item["thread"]] = level - 1
        print("  " * (level - 1) + "= " + item["result"])' "${@:2}"
}

# The malloc family is recorded by default. The program prints its calls and results.
record allocates.trace -- "$PROGRAMS/allocates" >printed
calls allocates.trace malloc calloc realloc memalign | awk '
	/^malloc 0x3e9|^calloc 0x3ea|^realloc .* 0x186a3|^memalign/ { call = $0; next }
	/^= / && call { print call " " $0; call = "" }' >recorded
check allocates.results cmp recorded <(grep -v free printed)
check_equal allocates.frees "$(sed -n 's/^free //p' printed | xargs) 0x0" \
	"$(calls allocates.trace free | sed -n 's/^ *free //p' | xargs)"
check_whole allocates allocates.trace

record none.trace --no-functions -- "$PROGRAMS/allocates" >/dev/null
check_equal none 0 "$(events none.trace call | wc -l)"

record functions.trace --function=add6/6 --function=factorial/1 --function=tail/1 --function=leaves/1 \
	--function=middle -- "$PROGRAMS/functions" >/dev/null
check_whole functions functions.trace
calls functions.trace add6 >actual
cat >expected <<'END'
add6 0x1 0x2 0x3 0xfffffffffffffffc 0x5 0x123456789
= 0x123456790
add6 0x6 0x5 0x4 0x3 0x2 0x1
= 0x15
END
check six_arguments diff expected actual
calls functions.trace factorial tail >actual
cat >expected <<'END'
factorial 0x5
  factorial 0x4
    factorial 0x3
      factorial 0x2
        factorial 0x1
        = 0x1
      = 0x2
    = 0x6
  = 0x18
= 0x78
tail 0x3
  factorial 0x4
    factorial 0x3
      factorial 0x2
        factorial 0x1
        = 0x1
      = 0x2
    = 0x6
  = 0x18
= 0x18
END
check recursion diff expected actual
# longjmp leaves three calls without a return, and later calls still have the right depth
check_equal longjmp "leaves 0x2 leaves 0x1 leaves 0x0" \
	"$(calls functions.trace leaves | sed 's/^ *//' | xargs)"
check_equal no_arguments "middle" "$(calls functions.trace middle | head -n 1)"
check_equal no_arguments.return "=" "$(calls functions.trace middle | sed -n 's/^= .*/=/p')"

# An event stands right before the first instruction, or right before the one returned to.
listing functions.trace | /usr/bin/python3 -c '
import json, sys
pcs, pending, seen = {}, [], 0
for item in map(json.loads, sys.stdin):
    if item["type"] == "insn":
        for event in pending:
            if event["event"] == "call":
                assert pcs.setdefault(event["name"], item["pc"]) == item["pc"], event
                assert last["mem"] or event["name"] in ("factorial", "leaves"), last
            else:
                assert last["bytes"] == "c3", (event, last)
            seen += 1
        pending, last = [], item
    elif item.get("event") in ("call", "return") and item["name"] in sys.argv[1:]:
        pending.append(item)
print(seen)' add6 factorial tail leaves >seen 2>err
check_equal places "$(calls functions.trace add6 factorial tail leaves | wc -l)" "$(cat seen)"
cat err

# Each thread has its own calls.
record workers.trace --function=work/1 -- "$PROGRAMS/workers" 3 10 >/dev/null
check_equal threads "0x1 0x2 0x3" "$(events workers.trace call |
	sed -n 's/.*"name":"work","args":\["\([^"]*\)".*/\1/p' | sort | xargs)"
