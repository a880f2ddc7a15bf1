#!/bin/bash
# SPDX-License-Identifier: MIT
# trace-report: the page has the results of the analyzers, hostile names stay inert, and failures are noted.
. "$(dirname "$0")/../lib.sh"
report=$BIN/trace-report
model=$PWD/tests/cli/report_model.py
cd "$work" || exit 1

"${recorder[@]}" -o true.trace -- /bin/true >/dev/null 2>&1
check_status page 0 "$report" -o page.html true.trace
check page.only_notes test "$(grep -vc '^trace-report: page.html: \(contains \|[0-9]* source file\)' err)" = 0 -a ! -s out
check page.document /usr/bin/python3 "$model" page.html "$BIN" true.trace
cp page.html first.html
check_status again 1 "$report" -o page.html true.trace
check_match again.says 'page.html: exists; use --force' err
check_status force 0 "$report" --force --jobs=1 -o page.html true.trace
check force.same_bytes cmp page.html first.html
"$report" --only=syscalls,mix -o - true.trace >out.html
check stdout grep -q '"classes":' out.html
check size test "$(stat -c %s page.html)" -lt 3000000
check_status itself 1 "$report" --force -o true.trace true.trace
check_status only 0 "$report" --only=mix,heap -o only.html true.trace
check only.parts test "$(grep -c '"calls":{"instructions"' only.html)" = 0
check_match only.left_out '"left_out":\["calls","syscalls"' only.html
check_match all.left_out '"results"' page.html
check_equal all.left_out.none 0 "$(grep -c '"left_out"' page.html)"
check_status only.wrong 2 "$report" --only=mix,ham -o x.html true.trace
check_match only.wrong.says "there is no part 'ham'; there are mix, calls" err
check_status without 0 "$report" --without=calls,syscalls,stackdist,cache,ibs,slo,mica,phases -o without.html true.trace
"$report" --only=mix,heap -o listed.html true.trace 2>err
check without.parts cmp without.html listed.html
check_status without.passes 0 "$report" --passes --without=mix true.trace
check_equal without.passes.mix 0 "$(grep -c '"mix"\|trace-mix' out)"
check_status without.wrong 2 "$report" --without=ham -o x.html true.trace
check_match without.wrong.says "^trace-report: error: --without: there is no part 'ham'" err
check_status without.only 2 "$report" --without=mix --only=calls -o x.html true.trace
check_status without.all 2 "$report" --without=mix,calls,heap,syscalls,stackdist,cache,ibs,slo,mica,compare,phases -o x.html true.trace
check_match without.all.says 'no part is left' err
check_status reuse.nowhere 1 "$report" --only=mix --reuse=nowhere -o x.html true.trace
check_match reuse.nowhere.says '^trace-report: error: --reuse=nowhere: No such file or directory$' err
check_status reuse.file 1 "$report" --only=mix --reuse=true.trace -o x.html true.trace
check reuse.no_page test ! -e x.html
check_status nowhere 2 "$report" true.trace
check_status stream 2 "$report" -o x.html -
check_status machine 1 "$report" --only=mix,ibs --machine=abacus -o machine.html true.trace
check_match machine.says 'trace-report: error: trace-ibs: .*abacus' err
check_match machine.page '"failed":\{"ibs":".*abacus' machine.html
check_match machine.rest '"classes":' machine.html
echo 'rob = 96' >'small machine'
check_status machine.path 0 "$report" --only=ibs --machine='small machine' -o path.html true.trace
check_match machine.path.command "trace-ibs [^\"]*--machine='small machine' true.trace" path.html

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
check hostile.quoted grep -q "\"trace-mix --by=class '\\\\u003cimg src=x\\\\u003e.trace'\"" hostile.html
check hostile.command grep -q 'u003c/script\\u003e\\u003cscript\\u003ealert(1)' hostile.html
cp "$PROGRAMS/calls" plain
objcopy --prefix-symbols='</script><b>' plain 'a<b>&"c'
"${recorder[@]}" -o symbols.trace -- './a<b>&"c' >/dev/null 2>&1
check_status symbols 0 "$report" --only=mix,calls -o symbols.html symbols.trace
check symbols.inert test "$(grep -c '<b>' symbols.html)" = 0
check symbols.kept grep -q '"\\u003c/script\\u003e\\u003cb\\u003e' symbols.html

# Another trace.
check_status pair 0 "$report" --only=compare -o pair.html true.trace symbols.trace
check_status 'a comparison of one trace' 2 "$report" --only=mix,compare -o one.html true.trace
check_match 'a comparison of one trace: says what is missing' 'needs two traces' err
check pair.document /usr/bin/python3 - <<-END
	import json, re, subprocess
	page = open("pair.html", encoding="utf-8").read()
	document = json.loads(re.search(r'id="data">(.*?)</script>', page, re.S).group(1))
	metrics = re.search("--metric=[^ ]*", document["commands"]["compare"]).group()
	expected = json.loads(subprocess.run(["$BIN/trace-compare", "--format=json", metrics, "true.trace", "symbols.trace"],
	    check=True, capture_output=True).stdout)
	assert [trace["file"] for trace in document["traces"]] == ["true.trace", "symbols.trace"]
	assert document["compare"]["functions"][:10] == expected["functions"][:10]
	assert "cycles_change" in expected["functions"][0] and "misses_L3_change" in expected["functions"][0]
	assert document["commands"]["compare"].endswith("true.trace symbols.trace")
END
check_status third 2 "$report" -o x.html true.trace symbols.trace true.trace
check_status pair.itself 1 "$report" --force -o symbols.trace true.trace symbols.trace

# Traces without executions, with threads, without code, and of samples.
"${recorder[@]}" --vectors --interval=10k -o vectors.trace -- /bin/true >/dev/null 2>&1
check_status vectors 0 "$report" --only=phases,calls,mix -o vectors.html vectors.trace
check_match vectors.points '"labels":\[[0-9]' vectors.html
check_match vectors.without '"unsuitable":\{.*"calls":".*has only basic block vectors' vectors.html
"${recorder[@]}" -o threads.trace -- "$PROGRAMS/pipeline" >/dev/null 2>&1
check_status threads 0 "$report" --only=calls -o threads.html threads.trace
check_match threads.paths '"threads":\[\{"thread":[0-9],"call_paths":\[\{' threads.html
"$BIN/trace-export" -q --to=champsim --thread=0 -o true.champsim true.trace
"$BIN/trace-import" -q --from=champsim -o bare.trace true.champsim
check_status bare 0 "$report" --only=mix,calls,stackdist,mica -o bare.html bare.trace
check_match bare.curve '"miss_ratio_curve":' bare.html
"${recorder[@]}" --only-samples --sample=cpu-clock -o samples.trace -- "$PROGRAMS/calls" >/dev/null 2>&1
check_status samples 0 "$report" --only=mix,calls,ibs,mica,heap -o samples.html samples.trace
check_match samples.summary '"summary":".* was recorded by samples' samples.html

# Source lines are in the page only if their folder is named, or the program was compiled here.
mkdir source elsewhere
cat >source/loop.c <<'END'
double numbers[700][200];
int main(void)
{
	double sum = 0;
	for (int column = 0; column < 200; column++)
		for (int row = 0; row < 700; row++)
			sum += numbers[row][column]; /* a secret */
	return sum > 1;
}
END
(cd source && gcc -g -O1 -o loop loop.c)
"${recorder[@]}" -q -o loop.trace -- source/loop
cd elsewhere || exit 1
check_status source.none 0 "$report" --only=slo -o none.html ../loop.trace
check source.none.inert test "$(grep -c 'a secret' none.html)" = 0
mkdir temporary
TMPDIR=$PWD/temporary check_status source 0 "$report" --only=slo --source=../source -o source.html ../loop.trace
check_match source.told "^trace-report: source.html: contains .*/source/loop.c$" "$work/err"
check source.lines grep -q 'a secret' source.html
check_status source.missing 1 "$report" --only=slo --source=nowhere -o missing.html ../loop.trace
check source.leaves_nothing rmdir temporary
