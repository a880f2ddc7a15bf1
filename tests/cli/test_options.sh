#!/bin/bash
# SPDX-License-Identifier: MIT
# The options that a command takes, those of its --help and those of its manual are the same: the
# options that it gives to getopt_long, which a library before the C library shows, are in both, and the
# manual lists no others. check_manpages.sh holds --help against the manual.
. "$(dirname "$0")/../lib.sh"
here=$(dirname "$0")
gcc -shared -fPIC -o "$work/tables.so" "$here/option_tables.c" || exit

# Other commands give these to analyzers: trace-analyze --all gives --results, trace-report --also, trace-merge the others.
taken() {
	(cd "$work" && ASAN_OPTIONS=verify_asan_link_order=0 LD_PRELOAD=./tables.so "$1" x) | grep -vx -e --results -e --also -e '--merge-.*' | sort -u
}
in_manual() {
	sed -n 's/^\.It //p' "$1" | grep -oE 'Fl -?[A-Za-z0-9][A-Za-z0-9-]*' | sed 's/^Fl /-/' | sort -u
}
# Options begin lines, or follow others; those in the example belong to another command.
in_help() {
	"$1" --help | grep -v '^Example' | grep -oE -- '(^|[ ,|[])-{1,2}[A-Za-z][A-Za-z0-9-]*' | grep -oE -- '-{1,2}[A-Za-z].*' | sort -u
}

# Prints all names of options in a manual, also those that are listed together: "Fl maxK , dim".
mentioned() { grep '^\.\(It \|Op \)\{0,1\}Fl ' "$1" | tr -c 'A-Za-z0-9-' '\n' | sed 's/^-*//' | sort -u; }
names() { sed 's/^-*//' "$@" | sort -u; }

for command in "$BIN"/trace-*; do
	name=${command##*/}
	taken "$command" >"$work/taken"
	check "$name.takes" test -s "$work/taken"
	check_equal "$name.manual" "" "$(comm -23 <(names "$work/taken") <(mentioned "$BIN/../man/$name.1") | paste -sd' ')"
	check_equal "$name.listed" "" "$(comm -13 "$work/taken" <(in_manual "$BIN/../man/$name.1") | paste -sd' ')"
	# trace-simpoint takes each of SimPoint 3.2's names as well; only the manual has room for them.
	[ "$name" = trace-simpoint ] ||
		check_equal "$name.help" "" "$(comm -23 "$work/taken" <(in_help "$command") | paste -sd' ')"
done

# The check notices an option of a manual that no command takes, and one of a command that no manual has.
printf '.It Fl -surprise\n' >"$work/page"
taken "$BIN/trace-verify" >"$work/taken"
check_equal surprise --surprise "$(comm -13 "$work/taken" <(in_manual "$work/page"))"
check_equal missing "$(names "$work/taken" | paste -sd' ')" "$(comm -23 <(names "$work/taken") <(mentioned "$work/page") | paste -sd' ')"
