#!/bin/bash
# trace-import: folders of perf record --threads, single files of them, records of unknown types, compressed records
# that grow without end.
. "$(dirname "$0")/../lib.sh"
here=$(cd "$(dirname "$0")" && pwd)
oracle=$here/../oracle/ibs
cd "$work" || exit 1
import=("$BIN/trace-import" -q --force)
samples() { "$BIN/trace-dump" --samples --format=jsonl "$1" | sort; }

# ---- folders: the samples are those of the one file, in the order of time ----

whole=$oracle/fam19h_m11h_bff.perf.data
"${import[@]}" -o whole.trace "$whole"
samples whole.trace | grep -c sample >expected
for n in 1 2 7; do
	/usr/bin/python3 -B "$here/folder.py" "$whole" $n folder.$n
	check "folder.$n" "${import[@]}" -o folder.trace folder.$n
	check "folder.$n.verify" "$BIN/trace-verify" folder.trace
	samples folder.trace | grep -c sample >actual
	check "folder.$n.samples" cmp expected actual
	"$BIN/trace-dump" --samples --format=jsonl folder.trace | grep -o '"time":[0-9]*' | cut -d: -f2 >times
	check "folder.$n.in_time" sort -n -c times
done
: >folder.7/data.7
check folder.empty_part "${import[@]}" -o folder.trace folder.7/
rm folder.7/data.3
check_status folder.gap 1 "${import[@]}" -o folder.trace folder.7
check_match folder.gap.says 'folder.7: data.3 is missing' err
check folder.gap.rest "$BIN/trace-verify" folder.trace

# ---- single files of folders, folders of other kinds ----

for part in data data.0 data.1; do
	check_status "part.$part" 1 "${import[@]}" -o part.trace "$work/folder.2/$part"
	check_match "part.$part.says" "one of several files of perf record --threads.*folder.2/" err
done
cd folder.2 || exit 1
check_status part.here 1 "${import[@]}" -o ../part.trace data.0
check_match part.here.says 'give the folder of all: \.$' "$work/err"
cd ..
mkdir lone none fifo
cp folder.2/data lone
check_status lone 1 "${import[@]}" -o part.trace lone
check_match lone.says 'the others are not with it' err
check_status none 1 "${import[@]}" -o part.trace none
check_match none.says 'none: is a folder without a file data' err
cp folder.2/data fifo
mkfifo fifo/data.0
check_status fifo 1 timeout $patience "${import[@]}" -o part.trace fifo
check_match fifo.says 'fifo/data.0: is not a regular file' err
rm fifo/data
mkfifo fifo/data
check_status fifo.header 1 timeout $patience "${import[@]}" -o part.trace fifo
check parts.no_file test ! -e part.trace

# ---- unknown records, records that grow ----

/usr/bin/python3 -B - "$whole" "$here" <<'P'
import struct, subprocess, sys, zstandard
subprocess.run([sys.executable, "-B", sys.argv[2] + "/variant.py", sys.argv[1], "pipe", "pipe.data"], check=True)
data = open("pipe.data", "rb").read()
open("unknown.data", "wb").write(data + struct.pack("<IHH", 40, 0, 16) + bytes(8) + struct.pack("<IHH", 4000, 0, 8))
open("known.data", "wb").write(data + struct.pack("<IHH", 68, 0, 8))
packer = zstandard.ZstdCompressor().compressobj()
nothing = struct.pack("<IHH", 68, 0, 65528) + bytes(65520)	# ends a round of perf; is not kept
packed = b"".join(packer.compress(nothing * 512) for _ in range(9)) + packer.flush()
records = [packed[i:i + 60000] for i in range(0, len(packed), 60000)]
open("bomb.data", "wb").write(data + b"".join(struct.pack("<IHH", 81, 0, 8 + len(r)) + r for r in records))
P
check unknown "${import[@]}" -o unknown.trace unknown.data
check_status unknown 0 "${import[@]}" -o unknown.trace unknown.data
check_match unknown.says '2 records of unknown types .the first one: 40. are left out' err
check_equal unknown.one_line 1 "$(wc -l <err)"
samples unknown.trace >actual
samples whole.trace >expected
check unknown.rest cmp expected actual
check_status known 0 "${import[@]}" -o known.trace known.data
check_equal known.says_nothing 0 "$(wc -l <err)"
check_status bomb 1 "${import[@]}" -o bomb.trace bomb.data
check_match bomb.says 'compressed records grow to more than 256 MiB and 100 times the file' err
