#!/bin/bash
# Measures programs that end soon, where the start of a recording, translation and the end of the trace take the most
# time: natively, recorded with an empty code cache, and recorded once more. The three take turns; the numbers are
# medians of the rounds. usage: short.sh BUILD-FOLDER [ROUNDS]; 2 if not given
set -eu
cd "$(dirname "$0")/../.."
folder=$PWD/tests/bench
bin=$PWD/${1:?usage: short.sh BUILD-FOLDER [ROUNDS]}/bin
tests=$PWD/$1/tests
rounds=${2:-2}
export LC_ALL=C
. "$folder/lib.sh"
work=$(roomy_folder 1000000000)
trap 'rm -rf "$work"' EXIT
cd "$work"
export HOME=$work XDG_CACHE_HOME=$work/cache # no settings and no cache of the user's
unset TRACELAB_CACHE

# make_repository COMMITS: a git repository in the folder repository
make_repository() {
	git init -q repository
	for i in $(seq "$1"); do
		printf 'commit refs/heads/main\nmark :%d\ncommitter A <a@b> %d +0000\ndata 9\nchange %02d' "$i" \
			$((1700000000 + i * 60)) $((i % 100))
		[ "$i" -eq 1 ] || printf '\nfrom :%d' $((i - 1))
		printf '\nM 644 inline file%d\ndata %d\n%d\n' $((i % 50)) ${#i} "$i"
	done | git -C repository fast-import --quiet
}

# make_project FILES: C files and a Makefile in the folder project
make_project() {
	local i
	mkdir project
	for i in $(seq "$1"); do
		printf '#include <stdio.h>\nint f%d(const int *a, int n)\n{\n' "$i"
		printf '\tint s = %d;\n\n\tfor (int i = 0; i < n; i++)\n\t\ts = s * 31 + a[i] %% (i + 7);\n' "$i"
		printf '\tprintf("%%d\\n", s);\n\treturn s;\n}\n'
	done | csplit -s -n 1 -f project/f -b %d.c -z - '/^#include/' '{*}'
	{
		for i in $(seq 0 $(($1 - 1))); do echo "int f$((i + 1))(const int *a, int n);"; done
		printf 'int main(void)\n{\n\tint a[] = { 1, 2, 3 };\n\n'
		for i in $(seq 0 $(($1 - 1))); do printf '\tf%d(a, 3);\n' $((i + 1)); done
		printf '\treturn 0;\n}\n'
	} >project/main.c
	printf 'CFLAGS = -O2\nall: main\nmain: %s\n\t$(CC) -o $@ $^\n' \
		"$(cd project && echo *.c | sed 's/\.c\b/.o/g')" >project/Makefile
}

printf '#include <stdio.h>\nint main(void)\n{\n\tputs("hello");\n\treturn 0;\n}\n' >hello.c
make_project 6
! command -v git >/dev/null || make_repository 4000

# name | options of trace-record | command
programs="
ls          |          | ls /
python3     |          | /usr/bin/python3 -c import|json,re,subprocess
node        |          | node -e console.log(1)
git log     |          | git -C repository log main
gcc         | --follow | gcc -O2 -o hello hello.c
make        | --follow | make -B -j2 -s -C project
forks       |          | $tests/programs/forks 200
forks -f    | --follow | $tests/programs/forks 200"

row='%-10s %8s %9s %9s %9s %9s\n'
# shellcheck disable=SC2059
{
	printf "$row" short native first second first second
	printf "$row" '' s /native /native 'CPU' 'CPU'
}
column() { awk -v n="$2" '{ print $n }' "$1" | median; }
over_native() { calculate %.2f "$(column "$1" "$2") / $(column native "$2")"; }

while IFS='|' read -r name options command; do
	read -r -a command <<<"$command"
	command=("${command[@]//|/ }")
	command -v "${command[0]:-none}" >/dev/null || continue	# git and node may not be there
	rm -f native first second
	for _ in $(seq "$rounds"); do
		timed "${command[@]}" >>native
		rm -rf cache && mkdir -m 700 cache
		for run in first second; do
			# shellcheck disable=SC2086
			timed "$bin/trace-record" -q --force $options -o short.trace -- "${command[@]}" >>$run
		done
	done
	# shellcheck disable=SC2059
	printf "$row" "${name%"${name##*[! ]}"}" "$(column native 1)" "$(over_native first 1)" "$(over_native second 1)" \
		"$(over_native first 2)" "$(over_native second 2)"
done <<<"${programs#?}"
