#!/bin/bash
# trace-import: perf.data of all kinds against perf's own output, files of AMD's IBS toolkit,
# files of other kinds; and trace-ibs on the resulting traces.
. "$(dirname "$0")/../lib.sh"
here=$(cd "$(dirname "$0")" && pwd)
oracle=$here/../oracle/ibs
reader=$here/../reader.py
cd "$work" || exit 1
import=("$BIN/trace-import" -q --force)
export PERF_CONFIG=/dev/null

# ---- synthetic files of processors of all families ----

for file in "$oracle"/*.perf.data; do
	name=$(basename "$file" .perf.data)
	check "$name.import" "${import[@]}" -o "$name.trace" "$file"
	check "$name.verify" "$BIN/trace-verify" "$name.trace"
	"$BIN/trace-dump" --samples --format=jsonl "$name.trace" >"$name.jsonl"
	/usr/bin/python3 -B "$reader" --samples "$name.trace" >expected
	check "$name.second_reader" cmp expected "$name.jsonl"
	check "$name.decoded_as_by_perf" /usr/bin/python3 -B "$here/decoded_as_by_perf.py" "$file" "$name.jsonl" \
		"$BIN/trace-ibs" "$name.trace"
	for how in pipe packed; do
		/usr/bin/python3 -B "$here/variant.py" "$file" $how variant.data
		check "$name.$how" "${import[@]}" -o variant.trace variant.data
		"$BIN/trace-dump" --samples --format=jsonl variant.trace >listing
		check "$name.$how.same" cmp "$name.jsonl" listing
	done
	"$BIN/trace-ibs" --format=csv "$name.trace" >out
	check_match "$name.hardware" '^hardware,"?ibs_.*AMD family 1' out
	check_match "$name.nothing_lost" '^not_decodable,0,' out
done
check_status model_of_nothing 0 "$BIN/trace-ibs" --source=model --format=csv "$name.trace"
check_match model_of_nothing.samples '^samples,0,' out
check_status no_sampler 1 "$BIN/trace-ibs" --sampler=7 "$name.trace"
check_status part 2 "$BIN/trace-ibs" --count=5 "$name.trace"
check_match part.says 'exclude samples of hardware' err
check_status compare 2 "$BIN/trace-ibs" --compare-modes "$name.trace"
for by in object allocation page,allocation; do
	check_status "by.$by" 2 "$BIN/trace-ibs" --by=$by "$name.trace"
	check_match "by.$by.says" 'calls of malloc' err
done
"$BIN/trace-ibs" --sampler=0 --format=csv fam19h_m11h_bff.trace >out
check_match one_sampler '^of_other_events,4,' out

# ---- files of other kinds ----

echo kept >kept
mkfifo pipe
for from in kept /dev/zero /sys/devices/system/cpu/online; do
	check_status "none.$from" 1 timeout $patience "${import[@]}" -o kept.copy "$from"
	check_match "none.$from.says" 'is not a perf.data file' err
done
check_status none.old_out 1 "${import[@]}" -o kept "$oracle/ibs_vectors.json"
check_equal none.old_stays kept "$(cat kept)"
# A failure after the output is opened leaves a pipe in its place.
head -c 900 "$oracle/fam19h_m11h_bff.perf.data" >cut.data
cat pipe >/dev/null &
waiting=$!
check_status none.pipe 1 "${import[@]}" -o pipe cut.data
check none.pipe_stays test -p pipe
kill $waiting 2>/dev/null	# if no process has opened the pipe
wait

# ---- perf here ----

# places FILE: prints perf's thread, time and address of each sample. Symbols are left out: perf finds others.
places() { perf script -i "$1" -F tid,time,ip --ns 2>/dev/null | tr -d ':/' | awk '{ print $1, $2, $3 }' | sort; }
ours() {
	"$BIN/trace-dump" --samples --format=jsonl "$1" >all.jsonl
	/usr/bin/python3 -B "$here/places.py" all.jsonl "$("$BIN/trace-info" --threads --format=json "$1")" | sort
}
seq 200000 >numbers
if perf record -q -e cpu-clock -o probe.data -- true 2>/dev/null; then
	perf record -q -e cpu-clock -F 4000 -o file.data -- sh -c 'gzip -c numbers >one; sort -r numbers >two'
	perf record -q -z -e cpu-clock -F 4000 -o packed.data -- gzip -c numbers >one
	perf record -q -e cpu-clock -F 4000 -o - -- gzip -k -f numbers >pipe.data
	perf record -q -e cpu-clock/period=250000/ -e page-faults/period=1/ -o two.data -- gzip -k -f numbers
	perf record -q --threads -e cpu-clock -F 4000 -o threads.data -- sh -c 'gzip -c numbers >one & sort -r numbers >two; wait'
	for name in file packed pipe threads two; do
		[ -e $name.data ] || continue	# perf before 5.18 has no --threads
		check "perf.$name" "${import[@]}" -o $name.trace $name.data
		places $name.data >expected
		ours $name.trace >actual
		check "perf.$name.some" test -s actual
		check "perf.$name.same" cmp expected actual
		check "perf.$name.verify" "$BIN/trace-verify" $name.trace
	done
	"${import[@]}" -o - - <two.data | "$BIN/trace-dump" --samples --format=jsonl - >stdin.jsonl
	check perf.stdin cmp all.jsonl stdin.jsonl
	"$BIN/trace-dump" --samples file.trace >listing
	check_match perf.symbol 'sample .*[+]0x.* \(libc.so.6\)' listing
	"$BIN/trace-info" --samples --format=csv two.trace >out
	check_match perf.events '^0,cpu-clock.*software,perf,' out
	check_match perf.second_event '^1,page-faults.*software,perf,[1-9]' out
	"$BIN/trace-ibs" --by=module --format=csv file.trace >out
	check_match perf.by_module ',gzip$' out
fi

# ---- a file of the toolkit ----

/usr/bin/python3 -B "$here/toolkit_file.py" "$oracle/ibs_vectors.json" O01-real-2021 op.raw
/usr/bin/python3 -B "$here/toolkit_file.py" "$oracle/ibs_vectors.json" F06-fam15h-carrizo fetch.raw
for kind in op fetch; do
	check "toolkit.$kind" "${import[@]}" -o $kind.trace $kind.raw
	check "toolkit.$kind.verify" "$BIN/trace-verify" $kind.trace
	"$BIN/trace-ibs" --packets --format=json $kind.trace >$kind.json
done
check_match toolkit.op.decoded '"tag_to_ret": *11\b' op.json
check_match toolkit.op.source '"data_src_low": *null|"data_src_low": *2' op.json
check_match toolkit.fetch.decoded '"itlb_refill_lat": *57\b' fetch.json
"$BIN/trace-dump" --samples --format=jsonl op.trace >out
check_match toolkit.place '"cpu":3,"mode":"user","exact":true,"ip":"0x56016b2ea73d"' out

head -c -5 fetch.raw >cut.raw
check_status toolkit.cut 1 "${import[@]}" -o cut.trace cut.raw
check_match toolkit.cut.says 'cut.raw: is cut: [0-9]+ bytes of its last records' err
check_equal toolkit.cut.rest "$("$BIN/trace-dump" --samples --format=jsonl fetch.trace | sed '$d' | cksum)" \
	"$("$BIN/trace-dump" --samples --format=jsonl cut.trace | cksum)"

# ---- a trace whose samples are damaged ----

/usr/bin/python3 -B - op.trace <<'P'
import struct, sys
with open(sys.argv[1], "r+b") as file:
    data = file.read()
    at = data.index(b"\xf3TRCSEC\n" + struct.pack("<H", 19))
    file.seek(at + 80)
    file.write(bytes([data[at + 80] ^ 255]))
P
check_status damaged.verify 1 "$BIN/trace-verify" op.trace
check_status damaged.dump 1 "$BIN/trace-dump" --samples op.trace
check_status damaged.ibs 1 "$BIN/trace-ibs" --format=csv op.trace
check_match damaged.ibs.says 'SAMPLES.*checksum does not hold' err
check_match damaged.ibs.rest '^samples,0,' out
check_match damaged.ibs.incomplete '^complete,false' out

# ---- hostile files ----

pipe=$work/hostile.pipe
/usr/bin/python3 -B "$here/variant.py" "$oracle/fam19h_m11h_bff.perf.data" pipe "$pipe"
for case in $(/usr/bin/python3 -B "$here/hostile.py" "$pipe"); do
	/usr/bin/python3 -B "$here/hostile.py" "$pipe" "${case#+}" hostile.data
	case $case in
	+*)	# the record is left out, and the message reports it
		check_status "hostile.${case#+}" 0 "${import[@]}" -o hostile.trace hostile.data
		check_match "hostile.${case#+}.said" 'damaged records are left out' err
		check "hostile.${case#+}.verify" "$BIN/trace-verify" hostile.trace ;;
	*)
		check_status "hostile.$case" 1 "${import[@]}" -o hostile.trace hostile.data
		check_match "hostile.$case.says" '^trace-import: error: hostile.data: ' err
		check "hostile.$case.no_file" test ! -e hostile.trace ;;
	esac
	rm -f hostile.trace
done
# The whole records of a file that is cut are read, and the loss is reported; perf's own text is left out.
"${import[@]}" -o whole.trace "$pipe"
"$BIN/trace-dump" --samples --format=jsonl whole.trace >whole.jsonl
for case in last-record-cut+1 text-and-cut+1 text-behind+0; do
	/usr/bin/python3 -B "$here/hostile.py" "$pipe" "${case%+*}" hostile.data
	check_status "${case%+*}" "${case#*+}" "${import[@]}" -o hostile.trace hostile.data
	[ "${case#*+}" = 0 ] || check_match "${case%+*}.says" 'hostile.data: is cut: [78] bytes of its last records' err
	"$BIN/trace-dump" --samples --format=jsonl hostile.trace >listing
	check "${case%+*}.rest" cmp whole.jsonl listing
done
# A file whose perf was killed, so that its header has no size of the records; and one that was cut.
whole=$oracle/fam19h_m11h_bff.perf.data
/usr/bin/python3 -B - "$whole" <<'P'
import struct, sys
data = bytearray(open(sys.argv[1], "rb").read())
offset, size = struct.unpack_from("<2Q", data, 40)
open("cut.data", "wb").write(data[:offset + size - 3])
struct.pack_into("<Q", data, 48, 0)
open("killed.data", "wb").write(data[:offset + size])
data = bytearray(open(sys.argv[1], "rb").read())
data[72 + 3] |= 1	# features: 24, of a folder's files
open("part.data", "wb").write(data)
P
check_status killed 0 "${import[@]}" -o killed.trace killed.data
check_match killed.says 'killed.data: perf was ended before it finished; it is read to the end' err
check_equal killed.samples "$("$BIN/trace-dump" --samples --format=jsonl fam19h_m11h_bff.trace | wc -l)" \
	"$("$BIN/trace-dump" --samples --format=jsonl killed.trace | wc -l)"
check_status cut 1 "${import[@]}" -o cut.trace cut.data
check_match cut.says 'cut.data: is cut: [0-9]+ bytes' err
check cut.read test -s cut.trace
check_status part 1 "${import[@]}" -o part.trace part.data
check_match part.says 'one of several files of perf record --threads' err
mkdir folder
check_status folder 1 "${import[@]}" -o part.trace folder
check_match folder.says 'is a folder without a file data' err
for case in lost throttled; do
	/usr/bin/python3 -B "$here/hostile.py" "$pipe" $case hostile.data
	"$BIN/trace-import" --force --format=csv -o hostile.trace hostile.data >$case.out
	"$BIN/trace-ibs" --format=csv hostile.trace >$case.ibs
done
check_match lost '^lost,12,' lost.out
check_match lost.ibs '^lost,12,' lost.ibs
check_match throttled '^throttled,1,' throttled.out
check_match throttled.ibs '^throttled,1,' throttled.ibs

echo text >text
: >nothing
head -c 30 op.raw >header
(printf '2ELIFREP'; head -c 100 /dev/zero) >big_endian
for bad in text nothing header big_endian none; do
	check_status "bad.$bad" 1 "${import[@]}" -o bad.trace $bad
	check "bad.$bad.no_file" test ! -e bad.trace
done
check_match bad.message 'none: No such file' err
check_status exists 1 "$BIN/trace-import" -o op.trace op.raw
check_status no_output 2 "$BIN/trace-import" op.raw
