# SPDX-License-Identifier: MIT
# Functions for tests of trace-anonymise: source this in the folder that gets the traces.
head -c 32 /dev/zero | tr '\0' '\101' >key

# make OUT OPTION... TRACE: anonymizes with the key, and prints nothing.
make() {
	"$BIN/trace-anonymise" -q --force --key=key -o "$@"
}

# results TRACE ANALYZER...: prints an analyzer's results without what names the trace and the program.
results() {
	"$BIN/trace-$2" --format=json "${@:3}" "$1" | sed -E '/^  "(file|trace|uuid|command|program)":/d'
}
# same NAME OLD NEW ANALYZER...
same() {
	results "$2" "${@:4}" >old.results
	results "$3" "${@:4}" >new.results
	check "$1" same_results
}
same_results() {
	[ -s old.results ] && cmp old.results new.results
}
share='itypes|ppm|ilp|reg|stride|footprint|stackdist --block-size=64,4Ki|mix|mix --by=mnemonic|cache|calls'
pages='itypes|ppm|ilp|reg|footprint|stackdist --block-size=64,4Ki|mix|mix --by=mnemonic'
drop='itypes|ppm|reg|mix|mix --by=mnemonic'
regdeps='ppm|stride|footprint|stackdist --block-size=64,4Ki|mix --by=symbol'
# compare NAME OLD NEW ANALYZERS
compare() {
	local analyzers analyzer
	IFS='|' read -ra analyzers <<<"$4"
	for analyzer in "${analyzers[@]}"; do
		# shellcheck disable=SC2086
		same "$1 $analyzer" "$2" "$3" $analyzer
	done
}
interval=500 # of simulation points, in instructions
# points TRACE: the simulation points, without names and addresses.
points() {
	"$BIN/trace-simpoint" --format=json --interval="$interval" "$1" 2>/dev/null |
		grep -vE '"([a-z_]*pc|trace|[a-z_]*module|path|build_id|symbol|function|file|[a-z_]*uuid|program|command)":'
}
# nearly_same TRACE TRACE: the same clusters of intervals, with distances that differ in their last digits, as they are sums
# in the order of addresses. Of intervals that are equally near to the center of their cluster, another one may be chosen.
nearly_same() {
	for trace in "$@"; do
		"$BIN/trace-simpoint" --format=json --interval="$interval" "$trace" 2>/dev/null
	done >chosen
	/usr/bin/python3 -c 'import json, math
text, at = open("chosen").read().strip(), 0
old, at = json.JSONDecoder().raw_decode(text)
new = json.loads(text[at:])
near = lambda x, y: math.isclose(x, y, rel_tol=1e-9, abs_tol=1e-15)
for key in ("instructions", "intervals", "blocks", "clusters", "singletons"):
    assert old[key] == new[key], key
for x, y in zip(old["choices"], new["choices"], strict=True):
    assert all(near(x[key], y[key]) for key in ("bic", "squares") if x.get(key) is not None), (x, y)
for x, y in zip(old["points"], new["points"], strict=True):
    for key in ("cluster", "weight", "intervals"):
        assert x[key] == y[key], (key, x, y)
    assert near(x["distance"], y["distance"]) and near(x["radius"], y["radius"]), (x, y)
    assert x["interval"] == y["interval"] or x["intervals"] > 1, (x, y)'
}
# modelled NAME OLD NEW: on the model of trace-ibs, the program executes the same ops, takes nearly the same time, and has
# nearly as many samples. The model's branch predictor hashes whole addresses, so other branches share an entry.
modelled() {
	for trace in "$2" "$3"; do
		"$BIN/trace-ibs" --format=json --period=144 "$trace" 2>/dev/null
	done >models
	check "$1" /usr/bin/python3 -c 'import json, sys
text, at = open("models").read().strip(), 0
old, at = json.JSONDecoder().raw_decode(text)
new = json.loads(text[at:])
for key in ("instructions", "ops"):
    assert old[key] == new[key] > 0, (key, old[key], new[key])
for key in ("samples", "cycles_of_all_threads"):
    assert abs(old[key] - new[key]) * 50 <= old[key] > 0, (key, old[key], new[key])'
}

# made NAME LEVEL OPTION...: makes NAME-LEVEL.trace of NAME.trace, and verifies it.
made() {
	check "$1.$2" make "$1-$2.trace" "${@:3}" "$1.trace"
	check "$1.$2.verify" "$BIN/trace-verify" -q "$1-$2.trace"
}
same_vectors() {
	check "$1" cmp <("$BIN/trace-bbv" -q --interval="$interval" --bb-out-file=- "$2" 2>&1) \
		<("$BIN/trace-bbv" -q --interval="$interval" --bb-out-file=- "$3" 2>&1)
}
# compare_levels NAME: makes NAME-LEVEL.trace for each level, and compares the results that the manual says to stay.
compare_levels() {
	local name=$1 level most interval=$interval
	most=$(($(info "$1.trace" instructions) / 4)) # some programs have less than an interval
	[ "$interval" -lt "$most" ] || interval=$most
	made "$name" share --preset=share --names=keep
	compare "$name.share" "$name.trace" "$name-share.trace" "$share"
	same "$name.share symbol" "$name.trace" "$name-share.trace" mix --by=symbol
	made "$name" pages --preset=public --code=facts
	compare "$name.pages" "$name.trace" "$name-pages.trace" "$pages"
	made "$name" regdeps --preset=share --names=keep --code=regdeps
	compare "$name.regdeps" "$name.trace" "$name-regdeps.trace" "$regdeps"
	made "$name" drop --preset=share --addresses=drop
	compare "$name.drop" "$name.trace" "$name-drop.trace" "$drop"
	points "$name.trace" >old.points
	check "$name.points" grep -q '"weight"' old.points
	check "$name.pages.points" nearly_same "$name.trace" "$name-pages.trace"
	for level in share regdeps drop; do
		check "$name.$level.points" cmp old.points <(points "$name-$level.trace")
	done
	for level in share regdeps; do
		same_vectors "$name.$level.bbv" "$name.trace" "$name-$level.trace"
	done
	for level in share pages; do
		modelled "$name.$level.ibs" "$name.trace" "$name-$level.trace"
	done
}
