#!/bin/bash
# Traces of every released format version read as they always did.
. "$(dirname "$0")/../lib.sh"
golden=$(dirname "$0")/../golden

for trace in "$golden"/v*/*.trace; do
	name=${trace#"$golden"/}
	name=${name%.trace}
	"$BIN/trace-dump" --format=jsonl "$trace" >"$work/listing" 2>"$work/err"
	zstd -q -d -f -o "$work/expected" "${trace%.trace}.jsonl.zst"
	check "$name.listing" cmp "$work/listing" "$work/expected"
	if [ -e "${trace%.trace}.samples.zst" ]; then
		"$BIN/trace-dump" --samples --format=jsonl "$trace" >"$work/listing" 2>"$work/err"
		zstd -q -d -f -o "$work/expected" "${trace%.trace}.samples.zst"
		check "$name.samples" cmp "$work/listing" "$work/expected"
	fi
	check "$name.verify" "$BIN/trace-verify" "$trace"
done
