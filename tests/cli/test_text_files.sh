#!/bin/bash
# SPDX-License-Identifier: MIT
# A text file that an option names may begin with the byte order mark of UTF-8, and its lines may end as other systems
# end them: the results are the same. A text with zero bytes, as an archive of the file, is refused.
. "$(dirname "$0")/../lib.sh"
cp "$(dirname "$0")/../golden/v1.1/operands.trace" "$work/t.trace"
cd "$work" || exit 1
awk 'BEGIN { for (i = 0; i < 12; i++) printf "T:%d:%d :%d:90 \n", 1 + i % 2, 100 + i, 4 + i % 3 }' >v.bb
"$BIN/trace-mix" --format=json t.trace >r.json
"$BIN/trace-simpoint" -q -k 2 -saveVectorsTxtFmt matrix -saveInitCtrs centres -saveVectorWeights shares \
	--select=random --save-json=plan v.bb

# Texts that begin with a comment, where the format has comments: a line that does not end would hide all others.
printf '# a machine\npreset = zen4\nrob = 64\n' >machine
printf '# levels\nlevels = 1Ki/2,4Ki/4\n' >levels
printf '# cycles\nOPCODE, ADD, 30\nCATEGORY, BINARY, 20\n' >latencies
printf '0, 0, SPECIAL, mem_read\n1, 0, CATEGORY, COND_BR\n' >groups
printf 'analysis_type: all\ninterval_size: full\nilp_size: 64\nblock_size: 6\npage_size: 12\nitypes_spec_file: groups\n' >config
printf 'F:1:401000:one\nF:2:402000:two\nF:4:403000:four\nF:5:404000:five\nF:6:405000:six\n' >places
printf '0 0\n2 1\n' >points.simpts
printf 'comment,thread-id,region-id,%s\ncluster 0 from slice 3,0,1,4,5,0.25\n' \
	simulation-region-start-icount,simulation-region-end-icount,region-weight >points.csv
printf '0.25 0\n0.75 1\n' >weights
printf '1\n1\n1\n1\n2\n2\n2\n2\n1\n1\n2\n2\n' >labels

declare -A reads=( # the file's text is read by
	[machine]='trace-ibs -q --period=144 --machine=./@ t.trace'
	[levels]='trace-cache -q --config=@ t.trace'
	[latencies]='trace-ilp -q --latency=@ t.trace'
	[groups]='trace-itypes -q --groups=@ t.trace'
	[config]='trace-mica -q --config=@ --directory=. t.trace'
	[places]='trace-simpoint -k 2 --format=csv --pc-file=@ v.bb'
	[points.simpts]='trace-cut -q --force --simpoints=@ --interval=20 -o cut t.trace'
	[points.csv]='trace-cut -q --force --simpoints=@ -o cut t.trace'
	[weights]='trace-cut -q --force --simpoints=points.simpts --interval=20 --weights=@ -o cut t.trace'
	[weights2]='trace-extrapolate --total=1000 --weights=@ r.json r.json'
	[labels]='trace-simpoint --format=csv -loadInitLabels @ v.bb'
	[shares]='trace-simpoint --format=csv -k 2 -loadVectorWeights @ v.bb'
	[matrix]='trace-simpoint --format=csv -k 2 -loadVectorsTxtFmt @'
	[centres]='trace-simpoint --format=csv -loadInitCtrs @ v.bb'
	[v.bb]='trace-simpoint --format=csv -k 2 @'
	[plan]='trace-extrapolate --plan=@ --total=1000 r.json r.json'
	[r.json]='trace-extrapolate --weights=weights --total=1000 @ r.json'
)
cp weights weights2

# results COMMAND FILE: what the command prints and writes.
results() {
	local words
	read -ra words <<<"${1/@/read.me}"
	rm -f cut.* ./*_pin.out
	cp "$2" read.me
	"$BIN/${words[0]}" "${words[@]:1}" 2>err || { sed 's/^/status: /' err; return 1; }
	sed '/read\.me/d' ./*_pin.out 2>/dev/null
	for slice in cut.*.trace; do
		[ ! -f "$slice" ] || "$BIN/trace-info" --format=csv "$slice" | grep -E 'instructions|weight'
	done
}

for kind in "${!reads[@]}"; do
	command=${reads[$kind]}
	check_status $kind.read 0 results "$command" $kind
	cp out plain
	check $kind.result test -s plain
	{ printf '\xef\xbb\xbf'; cat $kind; } >changed
	check_equal $kind.mark "$(cat plain)" "$(results "$command" changed)"
	sed 's/$/\r/' $kind >changed
	check_equal $kind.crlf "$(cat plain)" "$(results "$command" changed)"
	{ cat $kind; printf '\0\0\0'; } >changed
	check_status $kind.zeros 1 results "$command" changed
	{ printf 'a.txt\0\0\0\0\000'; cat $kind; } >changed
	check_status $kind.archive 1 results "$command" changed
done
for kind in machine levels latencies groups config places points.simpts points.csv weights labels shares matrix centres; do
	results "${reads[$kind]}" $kind >plain
	tr '\n' '\r' <$kind >changed
	check_equal $kind.cr "$(cat plain)" "$(results "${reads[$kind]}" changed)"
done

# ---- more than a file should have ----

# refused NAME TEXT COMMAND...
refused() {
	local name=$1 text=$2
	shift 2
	check_status "$name" 1 "$@"
	check_match "$name.says" "$text" err
}
simpoint=("$BIN/trace-simpoint" -q -k 2)
{ cat matrix; tail -n 1 matrix; } >more
refused matrix.more 'more: has more than the 12 rows' "${simpoint[@]}" -loadVectorsTxtFmt more
"${simpoint[@]}" -saveVectorsBinFmt binary -saveLabels pairs v.bb
check binary.whole "${simpoint[@]}" -loadVectorsBinFmt binary
echo >>binary
refused binary.more 'binary: has more than the 12 rows' "${simpoint[@]}" -loadVectorsBinFmt binary
refused labels.pairs 'pairs: has more words than the 12 vectors; a file of -saveLabels has a distance' \
	"$BIN/trace-simpoint" -q -loadInitLabels pairs v.bb
tr '\n' ' ' <labels >line
check labels.line "$BIN/trace-simpoint" -q -loadInitLabels line v.bb
{ cat shares; echo more; } >more
refused shares.more 'more: is not a list of 12 weights' "${simpoint[@]}" -loadVectorWeights more v.bb
tar cf v.tar v.bb
refused vectors.tar 'v.tar, line 1: at .v.bb.: text has no zero bytes; unpack an archive first' "${simpoint[@]}" v.tar
iconv -t UTF-32 v.bb >wide
refused utf32 'wide: is neither a trace nor vectors, but is text in UTF-32' "${simpoint[@]}" wide
