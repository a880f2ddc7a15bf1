#!/bin/bash
# Samples of hardware that this machine does not have, from the kernel's buffers to the results about
# them: a stand-in for the kernel gives the oracle's samples.
. "$(dirname "$0")/../lib.sh"
here=$(cd "$(dirname "$0")" && pwd)
oracle=$here/../oracle/ibs
cd "$work" || exit 1
gcc -std=gnu11 -D_GNU_SOURCE -Wall -Werror -shared -fPIC -o kernel.so "$here/stand_in_kernel.c"

vectors() { /usr/bin/python3 -B "$here/vectors.py" "$oracle" "$@"; }
# sampled TRACE OPTIONS...: runs trace-record with the stand-in.
sampled() {
	local trace=$1
	shift
	rm -f attributes
	STAND_IN=$work LD_PRELOAD=./kernel.so ASAN_OPTIONS=${ASAN_OPTIONS:-}:verify_asan_link_order=0 \
		"$BIN/trace-record" -q -o "$trace" "$@" 2>err
}
raw() { sed -n 's/.*"type":"sample".*"raw":"\([0-9a-f]*\)".*/\1/p'; }
# put MONITOR/FILE TEXT
put() { mkdir -p "$(dirname "devices/$1")" && echo "$2" >"devices/$1"; }

# ---- AMD ----

put ibs_op/type 1010
put ibs_op/format/cnt_ctl config:19
put ibs_fetch/type 1009
put ibs_fetch/format/rand_en config:57
for kind in op fetch; do
	vectors lines $kind >samples
	options=period=160
	[ $kind = op ] || options=$options,rand
	check "$kind.alone" sampled $kind.trace --sample=ibs_$kind,$options --only-samples -- true
	check "$kind.verify" "$BIN/trace-verify" -q $kind.trace
	"$BIN/trace-dump" --samples --format=jsonl $kind.trace >jsonl
	check_equal "$kind.raw" "$(vectors raw $kind)" "$(raw <jsonl)"
	/usr/bin/python3 -B "$here/../reader.py" --samples $kind.trace >expected
	check "$kind.second_reader" cmp expected jsonl
	check "$kind.decoded" vectors check $kind "$BIN/trace-ibs" $kind.trace
	"$BIN/trace-info" --meta --samples --format=csv $kind.trace >info
	check_match "$kind.sampler" "^0,\"?ibs_$kind,$options\"?,ibs_$kind,perf,$(vectors raw $kind | wc -l),0" info
	check_match "$kind.kernel" "^host.kernel,\"?Linux $(uname -r)" info
	check_match "$kind.processor" '^sample.cpuid,"?[A-Za-z]+,[0-9]+,[0-9]+,[0-9]+' info

	check "$kind.beside" sampled beside.trace --force --sample=ibs_$kind,$options -- true
	check_equal "$kind.beside.raw" "$(vectors raw $kind)" \
		"$("$BIN/trace-dump" --samples --format=jsonl beside.trace | raw)"
	check_match "$kind.beside.recorded" '^instructions,[1-9]' \
		<("$BIN/trace-mix" --by=total --format=csv beside.trace)
	cat attributes >>asked
done
check_match op.attributes '^type 1010 config 80000 period 160$' asked
check_match fetch.attributes '^type 1009 config 200000000000000 period 160$' asked

# ---- Intel ----

rm -r devices
put cpu/type 1004
put cpu/format/event config:0-7
put cpu/format/umask config:8-15
put cpu/format/ldlat config1:0-15
put cpu/events/mem-loads event=0xcd,umask=0x1,ldlat=3
put cpu/events/mem-loads-aux event=0x03,umask=0x82
# Loads of 5, 40 and 300 cycles, from the first and the third level and from memory.
cat >samples <<'E'
401000 7f0000001000 5 68100142 -
401000 7f0000002000 28 68100842 -
401008 7f0000003000 12c 68102042 -
E
check loads.alone sampled loads.trace --sample=mem-loads,period=10007,ldlat=4 --only-samples -- true
check_match loads.group '^type 1004 config 8203 ' attributes
check_match loads.attributes '^type 1004 config 1cd period 10007$' attributes
check loads.verify "$BIN/trace-verify" -q loads.trace
"$BIN/trace-dump" --samples --format=jsonl loads.trace >jsonl
check_match loads.unmodified '"address":"0x7f0000003000".*"weight":"0x12c","data_source":"0x68102042"' jsonl
"$BIN/trace-ibs" --format=csv loads.trace >out
check_match loads.hardware '^hardware,"?mem-loads' out
check_match loads.samples '^samples,3,' out
