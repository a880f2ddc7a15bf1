#!/bin/bash
# Writes small files of all kinds that fuzz_files.c reads into a folder, each behind the letter of
# its parser: make_file_seeds.sh FOLDER.
set -eu
cd "$(dirname "$0")/../.."
folder=${1:?usage: make_file_seeds.sh FOLDER}
simpoint=tests/analyzers/simpoint

# seed LETTER NAME: writes standard input behind the letter
seed() {
	{ printf '%s' "$1"; cat; } >"$folder/$1-$2"
}

for letter in a b; do
	head -n 20 $simpoint/phases.bb | head -c 6000 | seed $letter phases
	printf '# Interval Size 100\n(Interval Size 100)\nT:1:5   :2:99.5 \nT:3:1e3 :1:2\nT\n' | seed $letter small
	printf 'T:0:1 :4:2\nT 1:2 2:3\n\nT:1:1' | seed $letter odd
	printf 'T:1:1 :2:2\n' | gzip -n | seed $letter gzip
	printf 'T:1:1 :2:2\n' | zstd -q | seed $letter zstd
done
head -c 3000 $simpoint/phases.pc | seed c phases
printf 'F:1:401000:main\nF:2:40100a\nF:3:7f:f:g(int)::1:2\n' | seed c small
cat $simpoint/phases.simpts | seed d simpts
printf '0.25 0\n0.75 1\n' | seed d weights
printf '%s' '{"counter": "exact", "thread": 0, "interval_size": 100, "points": [{"cluster": 0,
	"interval": 3, "weight": 0.5, "start": 300, "end": 400}]}' | seed d json
printf '%s\n' '# comment,thread-id,region-id,start,end,weight' 'cluster 0 from slice 3,0,1,4,5,0.25000' |
	seed d regions
printf '2:w\n0.5 3: 1 2.5 -3e2\n0.5 3: 0 0 nan\n' | seed e weighted
printf '2\n1 2: 1 2\n1 2: 3 4\n' | seed e plain
printf '\2\0\0\0\1\0\0\0\0\0\0\0\0\0\340?\1\0\0\0\0\0\0\0\0\0\360?\0\0\0\0\0\0\340?\1\0\0\0\0\0\0\0\0\0\0@' |
	seed f weighted
printf '\1\0\0\0\0\0\0\0\2\0\0\0\0\0\0\0\0\0\360?\0\0\0\0\0\0\0@' | seed f plain
printf '0, loads, SPECIAL, mem_read\n1, branches, CATEGORY, COND_BR\n1, calls, OPCODE, CALL_NEAR\n' |
	seed g groups
printf 'analysis_type: all\ninterval_size: full\nilp_size: 32\nblock_size: 6\npage_size: 12\n%s\n' \
	'itypes_spec_file: groups.txt' | seed h all
printf 'analysis_type: ilp_one\ninterval_size: 1000\nilp_size: 64\nappend_pid: yes\n' | seed h one
printf '# cycles\nOPCODE, ADD, 3\nCATEGORY, BINARY, 2\n\nSPECIAL, mem_read, 0 # none\n' | seed i latencies
printf '7f0010 20 sort\n7f0030 8 a b (c)\n0 0 x\nzz\n' | seed j symbols
printf '# a machine\npreset = zen4\nrob = 512\nl1d_size = 32768\npredictor = tage\n' | seed k small
printf '%s' 'dc_miss && (dc_miss_lat >= 100 || !st) && comm == "a name" || mode != user' | seed l all
printf '1.5e3KiB' | seed m count
printf '%s' '{"trace": "a", "profile": "0a", "instructions": 900, "interval_size": 100, "points": [{"cluster": 0,
	"interval": 3, "weight": 0.5, "multiplier": 2.5, "start": 300, "end": 400, "filtered_start": 30,
	"filtered_end": 40, "first": {"module": "m", "build_id": "0a", "offset": "0x12", "pc": "0x401012", "count": 7,
	"tier": 1}, "behind": null, "warmup": {"start": 200, "first": null}}]}' | seed n plan
printf '%s' '{"instructions": 900, "select": "random", "strata": [{"stratum": 0, "weight": 1, "intervals": 9, "points": 2}],
	"points": [{"weight": 0.5, "interval": 3}, {"weight": 0.5, "interval": 4}]}' | seed o strata
printf '%s' '{"points": [{"cluster": 1, "weight": 1, "intervals": 2, "interval": 0}]}' | seed o clusters
printf 'machine = zen5 # a machine\nl2 = 2Mi/16:srrip:stride:distance=4\nl2_dtlb = 2048/16\n' | seed q machine
printf 'levels = 1Ki/2:plru+2Ki/full:opt,30Mi/12/128:drrip:psel=4:inclusive:write-through\ntlb = 64/full,16/2/2Mi\n' |
	seed q levels
printf '%s' '{"strata": [{"stratum": 0, "spread": 0.5}, {"stratum": 2, "spread": 0}]}' | seed p spreads
# one module; a tree of two superblocks, with two blocks and one; a return
{ printf '\1\1\24' && head -c 38 /dev/zero && printf '\1\0\14\1\1\0\1\100\4\0\1\0\2\0\10\1\0\7'; } | seed r program
# files of the code cache with the key 0 and one byte, whose hash is wrong, and right
{ printf 'tracelab code 1\n' && head -c 24 /dev/zero && printf x; } | seed s damaged
{ printf 'tracelab code 1\n' && head -c 16 /dev/zero && printf '\21\315\262\200\144\154\360\352x'; } | seed s whole
