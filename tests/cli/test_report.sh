#!/bin/bash
# SPDX-License-Identifier: MIT
# trace-report: the page has the results of the analyzers, hostile names stay inert, and failures are noted.
. "$(dirname "$0")/../lib.sh"
report=$BIN/trace-report
model=$PWD/tests/cli/report_model.py
cd "$work" || exit 1

"${recorder[@]}" -o true.trace -- /bin/true >/dev/null 2>&1
check_status page 0 "$report" -o page.html true.trace
check page.no_messages test ! -s err -a ! -s out
check page.document /usr/bin/python3 "$model" page.html "$BIN" true.trace
check_status again 1 "$report" -o page.html true.trace
check_match again.says 'page.html: exists; use --force' err
check_status force 0 "$report" --force --jobs=1 -o page.html true.trace
"$report" -o - true.trace >second.html
check same_bytes cmp page.html second.html
check_status itself 1 "$report" --force -o true.trace true.trace
check_status only 0 "$report" --only=mix,heap -o only.html true.trace
check only.parts test "$(grep -c '"calls":{"instructions"' only.html)" = 0
check_status only.wrong 2 "$report" --only=mix,ham -o x.html true.trace
check_match only.wrong.says "there is no part 'ham'; there are mix, calls" err
check_status nowhere 2 "$report" true.trace
check_status stream 2 "$report" -o x.html -
check_status machine 1 "$report" --only=mix,ibs --machine=abacus -o machine.html true.trace
check_match machine.says 'trace-report: error: trace-ibs: .*abacus' err
check_match machine.page '"failed":\{"ibs":".*abacus' machine.html
check_match machine.rest '"classes":' machine.html

cp true.trace damaged.trace
printf XXXXXXXX | dd of=damaged.trace bs=1 seek=$(($(stat -c %s true.trace) / 2)) conv=notrunc 2>/dev/null
check_status damaged 1 "$report" -q --only=mix -o damaged.html damaged.trace
check_match damaged.says 'trace-mix: the result is incomplete: ' err
check_match damaged.page '"complete":false' damaged.html
echo 'This is not a trace, but a text that is longer than the header of one would be.' >foreign
check_status foreign 1 "$report" -o foreign.html foreign
check_match foreign.says 'foreign: .*not a trace' err
check foreign.no_page test ! -e foreign.html

# The command line and the file's name would end the element, and begin others.
"${recorder[@]}" -o '<img src=x>.trace' -- /bin/true '</script><script>alert(1)</script>' $'<!--\u2028-->' >/dev/null 2>&1
check_status hostile 0 "$report" --only=mix -o hostile.html '<img src=x>.trace'
check hostile.inert test "$(grep -c '<img\|alert(1)<\|<!--' hostile.html)" = 0
check hostile.kept grep -q '"\\u003cimg src=x\\u003e.trace"' hostile.html
check hostile.command grep -q 'u003c/script\\u003e\\u003cscript\\u003ealert(1)' hostile.html
