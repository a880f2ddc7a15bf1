#!/bin/bash
# SPDX-License-Identifier: MIT
# Files of simulation points under the names and in the forms that other tools read, by readers of our own.
. "$(dirname "$0")/../lib.sh"
here=$(dirname "$0")/simpoint
simpoint=$BIN/trace-simpoint
as() { check "$1" /usr/bin/python3 "$(dirname "$0")/preset_readers.py" "$@"; }

check plain "$simpoint" -q -k 12 -o "$work/plain" "$here/phases.bb"
as gem5 "$work/plain.simpts" "$work/plain.weights"
as gem5_checkpoints "$work/plain.simpts" "$work/plain.weights"

check nemu "$simpoint" -q -k 12 --preset=nemu -o "$work/cluster/gcc 1" "$here/phases.bb"
as nemu "$work/cluster/gcc 1"
check_equal nemu.files 'simpoints0 weights0' "$(cd "$work/cluster/gcc 1" && echo *)"
check nemu.same cmp "$work/plain.simpts" "$work/cluster/gcc 1/simpoints0"

check scarab "$simpoint" -q -k 12 --interval=100k --preset=scarab -o "$work/scarab/gcc" "$here/phases.bb"
as scarab "$work/scarab/gcc" 100000
check_equal scarab.files 'opt.l opt.p opt.p.lpt0.99 opt.w opt.w.lpt0.99 vector.w' "$(cd "$work/scarab/gcc/simpoints" && echo *)"
check scarab.share "$simpoint" -q -k 12 --coverage=0.5 --preset=scarab -o "$work/scarab/half" "$here/phases.bb"
check scarab.share.file test -s "$work/scarab/half/simpoints/opt.p.lpt0.5"
printf 'T:1:5 :2:6\nT:1:7\n' >"$work/sizeless.bb"
check_status scarab.no_size 1 "$simpoint" -q --preset=scarab -o "$work/scarab/none" "$work/sizeless.bb"
check_match scarab.no_size.says 'does not say the size of its intervals, which Scarab needs; use --interval' "$work/err"

"${recorder[@]}" -q -o "$work/true.trace" -- /bin/true
check looppoint "$simpoint" -q --interval=10k --preset=looppoint -o "$work/lp" "$work/true.trace"
check looppoint.files test -s "$work/lp.global.pinpoints.csv" -a -s "$work/lp.looppoint.json" -a -s "$work/lp.json" \
	-a -s "$work/lp.looppoint.1.json" -a ! -e "$work/lp.simpts"
check_status looppoint.vectors 2 "$simpoint" -q --preset=looppoint -o "$work/lp" "$here/phases.bb"
check_status without_output 2 "$simpoint" -q --preset=nemu "$here/phases.bb"
: >"$work/file"
check_status no_folder 1 "$simpoint" -q --preset=nemu -o "$work/file/gcc" "$here/phases.bb"
check_match no_folder.says 'cannot make the folder .*/file' "$work/err"
