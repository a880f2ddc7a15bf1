#!/bin/bash
# SPDX-License-Identifier: MIT
# Protection keys: programs behave the same natively, recorded in all ways, and beside their recording.
. "$(dirname "$0")/../e2e/e2e.sh"

grep -qw ospke /proc/cpuinfo || {
	echo "# this processor has no protection keys"
	exit 0
}
check_match keys.native '^denied 1: ' <("$PROGRAMS/protection_keys")
for options in --backend=translate "--backend=step --from=main" --self-check --skip=30k "--every=20k --for=1k"; do
	check_same "keys $options" keys.trace $options -- "$PROGRAMS/protection_keys"
	check "keys $options.verify" "$BIN/trace-verify" -q keys.trace
done
