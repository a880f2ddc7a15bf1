#!/bin/bash
# SPDX-License-Identifier: MIT
# Makes reference.json: MICA's characteristics of the programs of the benchmarks, as trace-report computes them.
# usage: cli/report/make_reference.sh BUILD-FOLDER [INSTRUCTIONS]; of each program, 10 M if not given
set -eu
cd "$(dirname "$0")/../.."
bin=$PWD/${1:?usage: make_reference.sh BUILD-FOLDER [INSTRUCTIONS]}/bin
count=${2:-10000000}
folder=$PWD/tests/bench
result=$PWD/cli/report/reference.json
export LC_ALL=C SCALE=1
. "$folder/lib.sh"
. "$folder/programs.sh"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
make_programs
while IFS='|' read -r name command; do
	[ -n "$name" ] || continue
	# A part from the middle: the first instructions load the program and its input.
	# shellcheck disable=SC2086
	"$bin/trace-record" -q --force --skip=200000000 --count="$count" -o "$work/program.trace" -- $command >/dev/null 2>&1 </dev/null || true
	"$bin/trace-report" -q --only=mica -o - program.trace >"${name// /}.html"
done <<<"$programs"
/usr/bin/python3 - $(cut -d'|' -f1 <<<"$programs") >"$result.new" <<'END'
import json
import re
import sys

programs = sys.argv[1:]
values = {}
for program in programs:
    page = open(program + ".html", encoding="utf-8").read()
    document = json.loads(re.search(r'id="data">(.*?)</script>', page, re.S).group(1))
    for axis in document["reference"]["axes"]:
        values.setdefault(axis["name"], []).append(axis["value"])
print('{\n\t"programs": ' + json.dumps(programs) + ',\n\t"values": {')
print(",\n".join(f"\t\t{json.dumps(name)}: {json.dumps(row)}" for name, row in values.items()))
print("\t}\n}")
END
mv "$result.new" "$result"
