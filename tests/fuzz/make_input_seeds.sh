#!/bin/bash
# SPDX-License-Identifier: MIT
# Writes small files of all kinds that fuzz_inputs changes into a folder, and those that it leaves as they are
# (with.NAME): make_input_seeds.sh BIN FOLDER. BIN: the folder of the commands.
set -eu
bin=$(cd "${1:?usage: make_input_seeds.sh BIN FOLDER}" && pwd)
mkdir -p "${2:?usage: make_input_seeds.sh BIN FOLDER}"
folder=$(cd "$2" && pwd)
cd "$(dirname "$0")/../.."
simpoint=tests/analyzers/simpoint golden=tests/golden

cp $golden/v1.1/operands.trace "$folder/with.trace"
cp $golden/v1.3/sampled-chains.trace "$folder/with.samples.trace"
head -n 20 $simpoint/phases.bb >"$folder/with.bb"
printf '0 0\n2 1\n' >"$folder/with.simpts"
printf '0.25 0\n0.75 1\n' >"$folder/with.weights"
cd "$folder"
"$bin/trace-mix" --by=mnemonic --format=json with.trace >with.json
"$bin/trace-bbv" -q --interval=20 --bb-out-file=bb-own --pc-out-file=pc-own with.trace >/dev/null 2>&1
"$bin/trace-simpoint" -q --interval=20 --max-k=3 -o own with.trace
mv own.simpts points-own.simpts
mv own.json points-own.json
mv own.csv points-own.csv
mv own.pc.csv points-own.pc.csv
mv own.labels labels-own
mv own.weights shares-own
"$bin/trace-simpoint" -q -k 3 -fixedLength off -initkm samp -saveVectorsTxtFmt text-vectors -saveProjMatrixTxtFmt text-points \
	-saveInitCtrs text-centres -saveVectorWeights weights-own -saveVectorsBinFmt binary-vectors \
	-saveProjMatrixBinFmt binary-points -saveLabels labels-bb with.bb
for analyzer in mix stackdist footprint stride reg itypes ilp calls; do
	"$bin/trace-$analyzer" -q --part=0/1 --partial=partial-$analyzer with.trace
done
"$bin/trace-calls" -q --export=callgrind --part=1/2 --partial=partial-profile with.trace
"$bin/trace-cache" -q --levels=1Ki/2,4Ki/4 --part=1/2 --partial=partial-cache with.trace
"$bin/trace-bbv" -q --interval=20 --part=1/2 --partial=partial-bbv with.trace
"$bin/trace-bbv" -q --instr-count-only --part=0/1 --partial=partial-counts with.trace
"$bin/trace-ppm" -q --warmup=20 --warmup-check --part=1/2 --partial=partial-ppm with.trace
"$bin/trace-stackdist" -q --max-distance=4 --part=0/1 --partial=partial-limit with.trace
for analyzer in mix stackdist footprint slo itypes ibs; do
	"$bin/trace-$analyzer" -q --format=json with.trace >json-$analyzer
done
"$bin/trace-compare" -q --save=with.compared with.trace
cp with.compared compared-own
"$bin/trace-info" --manifest --format=json with.trace with.bb >manifest-set
cp with.weights shares-small
cp with.simpts points-small.simpts
"$bin/trace-simpoint" -q -k 1 --select=random --save-json=plan-one with.bb
cp plan-one with.plan
cp with.bb bb-phases
"$bin/trace-ibs" -q --machine=zen5 --save-machine=machine-zen5 with.trace >/dev/null
cd - >/dev/null
head -c 3000 $simpoint/phases.pc >"$folder/pc-phases"

# files of other tools' traces
/usr/bin/python3 -B tests/cli/drmemtrace_model.py write "$bin/trace-dump" $golden/v1.1/fault.trace "$folder/files"
mv "$folder"/files/* "$folder/drmemtrace-fault"
for trace in strings vectors selfmod; do
	/usr/bin/python3 -B tests/cli/drmemtrace_model.py write "$bin/trace-dump" $golden/v1.1/$trace.trace "$folder/files"
	mv "$folder"/files/* "$folder/drmemtrace-$trace"
	/usr/bin/python3 -B tests/cli/drmemtrace_model.py write "$bin/trace-dump" $golden/v1.1/$trace.trace \
		"$folder/files" zip 7
	mv "$folder"/files/* "$folder/packed-$trace"
done
rmdir "$folder/files"
cp "$folder/drmemtrace-strings" "$folder/with.drmemtrace"
for format in champsim sbbt din xdin; do
	"$bin/trace-export" -q --to=$format -o "$folder/$format-strings" $golden/v1.1/strings.trace
	rm "$folder/$format-strings.json"
done

# seed NAME: writes standard input
seed() {
	cat >"$folder/$1"
}
printf '# a machine\npreset = zen4\nrob = 512\nl1d_size = 32768\npredictor = tage\n' | seed machine-small
printf '# levels\nmachine = zen4\nl2 = 1Mi/8:srrip:next-line:distance=2\nl1i = 16Ki/4\ntlb = 64/full,512/4/2Mi\n' | seed levels-zen4
printf 'levels = 1Ki/2:plru+2Ki/full:opt,4Ki/4/128:drrip:psel=4:write-through\n' | seed levels-small
printf '{"strata": [{"stratum": 0, "spread": 2.5}, {"stratum": 1, "spread": 0}]}\n' | seed spreads-small
printf '# Interval Size 100\n(Interval Size 100)\nT:1:5   :2:99.5 \nT:3:1e3 :1:2\nT\n' | seed bb-small
printf 'T:0:1 :4:2\nT 1:2 2:3\n\nT:1:1' | seed bb-odd
printf 'F:1:401000:main\nF:2:40100a\nF:3:7f:f:g(int)::1:2\n' | seed pc-small
printf '%s\n' comment,thread-id,region-id,simulation-region-start-icount,simulation-region-end-icount,region-weight \
	'cluster 0 from slice 3,0,1,4,5,0.25000' |
	seed points-regions.csv
printf '0, 0, SPECIAL, mem_read\n1, 0, CATEGORY, COND_BR\n1, 1, OPCODE, CALL_NEAR\n' | seed groups-small
cp "$folder/groups-small" "$folder/with.groups"
printf 'analysis_type: all\ninterval_size: 200\nilp_size: 32\nblock_size: 6\npage_size: 12\n%s\n' \
	'itypes_spec_file: with.groups' | seed config-all
printf 'analysis_type: ilp_one\ninterval_size: full\nilp_size: 64\nappend_pid: yes\n' | seed config-one
printf '# cycles\nOPCODE, ADD, 3\nCATEGORY, BINARY, 2\n\nSPECIAL, mem_read, 0 # none\n' | seed latency-small
printf '%s' 'dc_miss && (dc_miss_lat >= 100 || !st) && comm == "a name" || lat < 0x10' | seed where-all
printf '%s' 'ld && cpu != 3 && mode == user && phy_valid' | seed where-small
printf '%s\n' 'tracelab address map 1' 'granule 2097152' '400000 402000 10400000' | seed map-small
"$bin/trace-anonymise" -q --preset=share --map="$folder/map-regions" -o "$folder/out" "$folder/with.trace"
"$bin/trace-anonymise" -q --force --preset=share --addresses=pages --map="$folder/map-pages" -o "$folder/out" "$folder/with.trace"
rm "$folder/out"
# parts of regions, which the trace extends; an item of a unit of data
printf '%s\n' 'tracelab address map 1' 'granule 2097152' '7ffff7ff7000 7ffff7ffb000 105f7000' \
	'7ffff7ffd000 7ffff7ffe000 105fd000' '7ffffffde000 7fffffffe000 109de000' | seed map-parts
printf '%s\n' 'tracelab address map 1 by pages, colour bits 0' 'granule 2097152' '400000 404000 10200000' \
	'7ffff7ff7000 7ffff7ffd000 105f7000 data' '+7ffff7ff8000 7ffff7ff9000 105f8000' | seed map-items
printf '%s\n' 'Module Table: version 5, count 3' 'Columns: id, containing_id, start, end, entry, offset, preferred_base, path' \
	'  0,   0, 0x400000, 0x401000, 0x1000, 0000000000000000, 0x0800, v#1,0, /app with, a comma' \
	'  1,   0, 0x401000, 0x402800, 0x1000, 0000000000001000, 0x0800, v#1,0, /app with, a comma' \
	'  2,   2, 0x700000003000, 0x700000004000, 0x0, 0000000000000000, 0x0, v#1,7,94,5 [vdso]' | seed modules-five
printf '%s\n' 'Module Table: version 3, count 2' 'Columns: id, containing_id, start, end, entry, path' \
	'0, 0, 0x400000, 0x402000, 0x1000, /low' '1, 1, 0x700000003000, 0x700000004000, 0x0, <unknown>' | seed modules-three
printf '7,1,0x401000,a.out!f\n8,2,0x40100a,libc.so.6!malloc\n' | seed functions-two
printf '64' | seed number-small
printf '1,64Ki' | seed number-two
printf '2:10' | seed number-range
printf '1.5M' | seed number-share
printf 'object,page,line' | seed list-keys
printf 'module,symbol,instruction,thread,process,cpu,mode,comm,stack,source,region,allocation,cacheline' | seed list-places
printf 'reads,writes,fetches' | seed list-accesses
printf '%s' 'mix --by=symbol --from=3' | seed list-command
printf '%s' '--blocks=cfg --memory=page' | seed list-options
printf 'mix,calls,cache,compare' | seed list-parts
printf 'instructions,misses:1Ki,loads' | seed list-metrics
printf '0,1,1,3' | seed number-map
printf 'main' | seed list-name
mkdir "$folder/samples"
tests/fuzz/make_sample_seeds.sh "$folder/samples"
for file in "$folder"/samples/*; do
	mv "$file" "$folder/samples-${file##*/}"
done
rmdir "$folder/samples"
/usr/bin/python3 -B - "$folder" tests/oracle/ibs/fam19h_m11h_bff.perf.data <<'PYEND'
import struct
import sys

with open(sys.argv[2], "rb") as file:
    data = bytearray(file.read())
start, size = struct.unpack_from("<QQ", data, 40)
end, bits = start + size, int.from_bytes(data[72:104], "little")
table = [struct.unpack_from("<QQ", data, end + 16 * i) for i in range(bits.bit_count())]
records, rest = data[start:end], data[end + 16 * len(table):]
bits |= 1 << 24  # the file is one of several
data[72:104] = bits.to_bytes(32, "little")
table.insert((bits & (1 << 24) - 1).bit_count(), (end, 0))
head = data[:end] + b"".join(struct.pack("<QQ", at + 16, length) for at, length in table) + rest
for name, part in ("with.perf.data", head), ("with.records", records), ("part-records", records):
    with open(f"{sys.argv[1]}/{name}", "wb") as file:
        file.write(part)
PYEND
