#!/bin/bash
# SPDX-License-Identifier: MIT
# trace-info --manifest lists a set of files with right hashes; trace-verify --manifest names each file that is missing,
# truncated, changed or extra, and refuses a manifest that is none.
. "$(dirname "$0")/../lib.sh"
cd "$work" || exit 1
golden=$OLDPWD/tests/golden
mkdir -p 'a set/more'
cp "$golden/v1.6/by-hand.trace" 'a set/hand.trace'
cp "$golden/v1.5/threads.trace" "$golden/v1.5/true.trace" 'a set/more' 2>/dev/null ||
	cp "$golden/v1.4/threads.trace" "$golden/v1.4/true.trace" 'a set/more'
echo 'Traces of three programs.' >'a set/README'
: >'a set/empty'
# sizes around a block of SHA-256, 64 bytes, of which the last 8 hold the length
for size in 55 56 63 64 65 119 120 65536 100000; do
	head -c $size /dev/zero | tr '\0' x >"a set/more/$size"
done
ln -s /etc/hostname 'a set/link'

manifest='a set/MANIFEST.json'
# The shell makes the manifest before the command lists the folder.
check_status print 0 sh -c '"$1/trace-info" --manifest --format=json "a set/" >"$2"' - "$BIN" "$manifest"
names=$(cd 'a set' && find . -type f ! -name MANIFEST.json -printf '%P\n' | sort)
facts() { /usr/bin/python3 -c "import json
manifest = json.load(open('$manifest'))
files = manifest['files']
$1"; }
check_equal names "$names" "$(facts 'for f in files: print(f["name"])')"
(cd 'a set' && sed 's/.*/"&"/' <<<"$names" | xargs sha256sum) >sums
check_equal hashes "$(<sums)" "$(facts 'for f in files: print(f["sha256"], f["name"], sep="  ")')"
check_equal hash "$(sha256sum <sums | cut -d' ' -f1)" "$(facts 'print(manifest["sha256"])')"
check_equal sizes "$(cd 'a set' && sed 's/.*/"&"/' <<<"$names" | xargs stat -c %s)" "$(facts 'for f in files: print(f["bytes"])')"
for trace in hand.trace more/true.trace; do
	for key in uuid format instructions; do
		check_equal "$trace.$key" "$(info "a set/$trace" $key)" \
			"$(facts "print(next(f['$key'] for f in files if f['name'] == '$trace'))")"
	done
done
check_equal traces 3 "$(facts 'print(manifest["traces"])')"
check_match citation "Set of 3 execution traces of [0-9,]+ instructions.*, in the format of tracelab, SHA-256 $(sha256sum <sums | cut -d' ' -f1)" \
	<(facts 'print(manifest["citation"])')
check_match text '^citation +Set of 3' <("$BIN/trace-info" --manifest 'a set')
check_equal files hand.trace,true.trace "$("$BIN/trace-info" --manifest --format=json 'a set/more/true.trace' 'a set/hand.trace' |
	sed -n 's/.*"name": "\(.*\)",*/\1/p' | paste -sd,)"
check_status same_names 1 "$BIN/trace-info" --manifest 'a set/hand.trace' 'a set/hand.trace'
check_match same_names.says 'have the same name' err

# ---- a copy that is whole, and copies that are not ----
check_status whole 0 "$BIN/trace-verify" --manifest="$manifest"
check_equal whole.good "$(wc -l <<<"$names")" "$(grep -c ' good ' out)"
(cd 'a set' && check whole.here "$BIN/trace-verify" -q --manifest=MANIFEST.json)
# broken NAME MESSAGE COMMAND: after the command in the folder, one message is given, and the status is 1.
broken() {
	rm -rf copy && cp -a 'a set' copy && (cd copy && eval "$3")
	check_status "$1" 1 "$BIN/trace-verify" --manifest=copy/MANIFEST.json
	check_equal "$1.says" "trace-verify: error: $2" "$(sed 's/SHA-256 is .*/SHA-256/' err)"
}
broken missing 'more/55: is missing' 'rm more/55'
broken renamed $'README: is missing\ntrace-verify: error: READ: is not in the manifest' 'mv README READ'
broken truncated 'more/100000: is truncated: it has 99999 of 100000 bytes' 'truncate -s 99999 more/100000'
broken changed 'more/true.trace: has changed: its SHA-256' "printf x | dd of=more/true.trace bs=1 seek=1000 conv=notrunc status=none"
broken longer 'more/64: has changed: its SHA-256' 'echo >>more/64'
broken extra 'more/new: is not in the manifest' ': >more/new'
broken link 'README: is missing' 'rm README; ln -s more/55 README'
broken emptied "$(sed 's/$/: is missing/; 2,$ s/^/trace-verify: error: /' <<<"$names")" \
	'find . -type f ! -name MANIFEST.json -delete'
broken folder 'README: is missing' 'rm README; mkdir README'
broken outside $'hand.trace: is missing\ntrace-verify: error: more/hand.trace: is not in the manifest' 'mv hand.trace more'
hash=copy/MANIFEST.json
broken manifest 'copy/MANIFEST.json: its list of files does not have the SHA-256 that it says; the manifest is damaged or was changed' \
	'sed -i "0,/\"bytes\"/ s/\"sha256\": \"\(.\)\(.\)/\"sha256\": \"\2\1/2; s/\"name\": \"README\"/\"name\": \"..\/README\"/" MANIFEST.json'
for text in '{}' '[]' 'x' '' '{"manifest_version": 1, "files": []}' '{"manifest_version": 1, "files": [{"name": "a"}]}' \
	'{"manifest_version": 2, "files": [{"name": "a", "bytes": 1, "sha256": "0"}]}' \
	'{"manifest_version": 1, "files": [{"name": "a", "bytes": -1, "sha256": "'"$(sha256sum <sums | cut -d' ' -f1)"'"}]}'; do
	echo "$text" >"$hash"
	check_status "none $text" 1 "$BIN/trace-verify" --manifest="$hash"
	check_match "none.says $text" "^trace-verify: error: $hash: " err
done
check_status with_trace 2 "$BIN/trace-verify" --manifest="$manifest" 'a set/hand.trace'
check_status nothing 1 "$BIN/trace-verify" --manifest=none
check_status no_folder 1 "$BIN/trace-info" --manifest none
