#!/bin/bash
# Measures analyses in parts on a window of gzip: --jobs=2 against 1, merging against mapping, and bytes of partial
# results. speed-up is elapsed time of the fastest of ROUNDS runs that take turns; CPU is CPU time with 2 jobs over that
# with 1; map is the CPU time of all 8 parts over that of one pass; merge that of trace-merge over one pass.
# usage: parts.sh BUILD-FOLDER [INSTRUCTIONS [ROUNDS]]; 100 M instructions and 3 rounds if not given: 2 minutes
set -eu
cd "$(dirname "$0")/../.."
folder=$PWD/tests/bench
bin=$PWD/${1:?usage: parts.sh BUILD-FOLDER [INSTRUCTIONS [ROUNDS]]}/bin
count=${2:-100000000}
rounds=${3:-3}
parts=8
export LC_ALL=C
. "$folder/lib.sh"
work=$(roomy_folder 1000000000)
trap 'rm -rf "$work"' EXIT
cd "$work"

least() { sort -n | head -n 1; }
# in_turns COMMAND...: the fastest elapsed times and CPU times of the command with --jobs=1 and --jobs=2
in_turns() {
	local round jobs
	for ((round = 0; round < rounds; round++)); do
		for jobs in 1 2; do
			timed "$@" --jobs=$jobs >>times.$jobs
		done
	done
	for jobs in 1 2; do
		cut -d' ' -f1 times.$jobs | least
		cut -d' ' -f2 times.$jobs | least
	done | xargs
	rm -f times.*
}
# mapped ANALYZER OPTION...: CPU time of all parts
mapped() {
	local i
	for ((i = 0; i < parts; i++)); do
		timed "$bin/trace-$1" -q "${@:2}" --part="$i/$parts" --partial="p.$i" gzip.trace
	done | awk '{ sum += $2 } END { print sum }'
}

head -c $((count / 20)) /usr/bin/*python3* >input 2>/dev/null || true
"$bin/trace-record" -q --count="$count" -o gzip.trace -- gzip -c input >/dev/null 2>&1 || true
echo "parts: $(field gzip.trace instructions) instructions, $(field gzip.trace bytes) bytes, load $(cut -d' ' -f1 /proc/loadavg)"
printf '%-10s %8s %9s %6s %6s %7s %15s\n' parts seconds speed-up CPU map merge 'partial [bytes]'
while read -r analyzer options; do
	# shellcheck disable=SC2086
	read -r one one_cpu two two_cpu < <(in_turns "$bin/trace-$analyzer" -q $options gzip.trace)
	# shellcheck disable=SC2086
	map=$(mapped "$analyzer" $options)
	read -r _ merge < <(timed "$bin/trace-merge" p.*)
	printf '%-10s %8.2f %9.2f %6.2f %6.2f %7.3f %15.0f\n' "$analyzer" "$one" "$(calculate %.4f "$one / $two")" \
		"$(calculate %.4f "$two_cpu / $one_cpu")" "$(calculate %.4f "$map / $one_cpu")" \
		"$(calculate %.4f "$merge / $one_cpu")" "$(cat p.* | wc -c | awk -v n=$parts '{ print $1 / n }')"
	rm -f p.*
done <<-'END'
	mix
	itypes
	footprint
	stride
	reg
	stackdist
	cache --levels=32Ki/8,1Mi/16,32Mi/16
END
for command in 'repack --force -o made.trace' 'cut --force --from=1000 -o made.trace'; do
	# shellcheck disable=SC2086
	read -r one one_cpu two two_cpu < <(in_turns "$bin"/trace-${command%% *} -q ${command#* } gzip.trace)
	printf '%-10s %8.2f %9.2f %6.2f\n' "${command%% *}" "$one" "$(calculate %.4f "$one / $two")" \
		"$(calculate %.4f "$two_cpu / $one_cpu")"
done
