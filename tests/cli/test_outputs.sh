#!/bin/bash
# SPDX-License-Identifier: MIT
# Files that commands write: modes of traces, files that are not replaced, links that are not followed;
# and empty traces.
. "$(dirname "$0")/../lib.sh"
cd "$work" || exit 1
umask 022

mode() {
	stat -c %a "$1"
}

# ---- modes ----
check record "$BIN/trace-record" -q -o t.trace -- /bin/true
check_equal record.mode 600 "$(mode t.trace)"
check repack "$BIN/trace-repack" -q -o repack.trace t.trace
check repair "$BIN/trace-repair" -q -o repair.trace t.trace
check cut "$BIN/trace-cut" -q --from=1 --count=9 -o cut.trace t.trace
for made in repack repair cut; do
	check_equal $made.mode 600 "$(mode $made.trace)"
done
check record.wide "$BIN/trace-record" -q --mode=0666 -o wide.trace -- /bin/true
check repack.wide "$BIN/trace-repack" -q --mode=644 -o repack.wide.trace t.trace
check repair.wide "$BIN/trace-repair" -q --mode=640 -o repair.wide.trace t.trace
check cut.wide "$BIN/trace-cut" -q --mode=0444 --from=1 --count=9 -o cut.wide.trace t.trace
check_equal wide.modes "666 644 640 444" "$(mode wide.trace) $(mode repack.wide.trace) $(mode repair.wide.trace) $(mode cut.wide.trace)"
for mode in 0 77 1777 rw 0888 ''; do
	check_status "mode.$mode" 2 "$BIN/trace-record" -q --mode=$mode -o no.trace -- /bin/true
	check_status "repack.mode.$mode" 2 "$BIN/trace-repack" -q --mode=$mode -o no.trace t.trace
done
check_status import.mode 2 "$BIN/trace-import" -q --mode=9 -o no.trace t.trace
# a file that is replaced, and one that is the shell's
check replaced "$BIN/trace-record" -q --force -o wide.trace -- /bin/true
check_equal replaced.mode 600 "$(mode wide.trace)"
"$BIN/trace-repack" -q -o - t.trace >shells
check_equal shells.mode 644 "$(mode shells)"

# ---- existing files ----
check_status record.finished 125 "$BIN/trace-record" -q -o t.trace -- /bin/true
check_match record.finished.says 't.trace: exists, a finished trace; --force' err
head -c 300 t.trace >unfinished.trace
check_status record.unfinished 125 "$BIN/trace-record" -q -o unfinished.trace -- /bin/true
check_match record.unfinished.says 'unfinished.trace: exists, an unfinished trace; --force' err
echo text >text
check_status record.text 125 "$BIN/trace-record" -q -o text -- /bin/true
check_match record.text.says 'text: exists; --force' err
check_status repack.unfinished 1 "$BIN/trace-repack" -o unfinished.trace t.trace
check_match repack.unfinished.says 'exists, an unfinished trace; use --force' err
check_equal text.stays text "$(cat text)"

# ---- dangling links ----
ln -s elsewhere link
check_status record.link 125 "$BIN/trace-record" -q -o link -- /bin/true
check_match record.link.says 'link: is a symbolic link to nothing; --force' err
for command in trace-repack trace-repair "trace-cut --from=1"; do
	check_status "$command.link" 1 "$BIN"/$command -q -o link t.trace
	check_match "$command.link.says" 'link: is a symbolic link to nothing; use --force' err
done
check_status mix.link 1 "$BIN/trace-mix" -o link t.trace
check_status sqlite.link 1 "$BIN/trace-ibs" --sqlite=link t.trace
check links.nothing test ! -e elsewhere
check forced "$BIN/trace-repack" -q --force -o link t.trace
check forced.made test -s elsewhere

# ---- a file beside the result ----
echo victim >victim
ln -s victim v.bb.part
check_status bbv.part 1 "$BIN/trace-bbv" --bb-out-file=v.bb t.trace
check_match bbv.part.says 'v.bb.part: ' err
check_equal bbv.victim victim "$(cat victim)"
rm v.bb.part
echo left >v.bb.part
check bbv.left "$BIN/trace-bbv" --interval-size=1000 --bb-out-file=v.bb t.trace
check_equal bbv.left.gone 0 "$(grep -c left v.bb)"

# ---- the input ----
cp t.trace same.trace
for option in --packets --save-machine; do
	check_status ibs.$option 1 "$BIN/trace-ibs" $option=same.trace same.trace
	check_match ibs.$option.says 'is the trace itself' err
done
check_status bbv.same 1 "$BIN/trace-bbv" --bb-out-file=same.trace same.trace
ln -s same.trace same.link
check_status bbv.same.link 1 "$BIN/trace-bbv" --bb-out-file=same.link same.trace
check_status mix.same 1 "$BIN/trace-mix" -o same.trace same.trace
check same.stays command cmp t.trace same.trace
"$BIN/trace-bbv" --interval-size=1000 --bb-out-file=v.bb t.trace
cp v.bb kept.bb
check_status simpoint.same 1 "$BIN/trace-simpoint" -q -loadFVFile v.bb -maxK 3 -saveLabels v.bb
check simpoint.stays command cmp v.bb kept.bb

# ---- empty traces ----
check_status never 125 "$BIN/trace-record" -q --from=no_such_symbol -o never.trace -- /bin/true
check_match never.says 'nothing was recorded: no module has a symbol or mark no_such_symbol' err
check_status not_reached 125 "$BIN/trace-record" -q --from=abort -o not_reached.trace -- /bin/sh -c true
check_match not_reached.says 'nothing was recorded: abort was not reached' err
check_status beyond 125 "$BIN/trace-record" -q --skip=1G -o beyond.trace -- /bin/true
check_status to.never 0 "$BIN/trace-record" -q --to=no_such_symbol -o to.trace -- /bin/true
check_match to.never.says 'no module has a symbol or mark no_such_symbol: recorded to the end' err
check_status to.not_reached 0 "$BIN/trace-record" -q --to=abort -o to2.trace -- /bin/sh -c true
check_match to.not_reached.says 'abort was not reached: recorded to the end' err
for analyzer in $("$BIN/trace-analyze" --list 2>/dev/null | awk '{ print $1 }') ibs mix slo; do
	analyzer=trace-${analyzer#trace-}
	[ -x "$BIN/$analyzer" ] || continue
	check_status "$analyzer.nothing" 1 "$BIN/$analyzer" never.trace
	check_match "$analyzer.nothing.says" 'nothing was recorded' err
done
check nothing.info "$BIN/trace-info" never.trace
check nothing.verify "$BIN/trace-verify" -q never.trace
