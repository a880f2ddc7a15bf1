#!/bin/sh
# SPDX-License-Identifier: MIT
#
# check_manpages.sh BINDIR PAGES: every command trace-* in BINDIR has a help that fits 24 lines of 80
# columns and ends with an example, and a page in PAGES that has every option of that help, and
# none that the command does not take; no page has roff warnings.

bin=${1:?usage: check_manpages.sh BINDIR PAGES}
pages=${2:?usage: check_manpages.sh BINDIR PAGES}
commands=0
options=0
faults=0

fault()
{
	echo "$*" >&2
	faults=$((faults + 1))
}

# Prints the page as plain text, without hyphenation or line breaks within options.
render()
{
	groff -mandoc -Tascii -P-cbou -rHY=0 -rLL=300n "$1"
}

check_help()
{
	if [ "$(printf '%s\n' "$2" | wc -l)" -gt 24 ] ||
	   [ "$(printf '%s\n' "$2" | wc -L)" -gt 80 ]; then
		fault "$1 --help does not fit 24 lines of 80 columns"
	fi
	printf '%s\n' "$2" | tail -n 2 | grep -q "$1\\|trace-analyze" ||
		fault "$1 --help does not end with an example"
}

check_options()
{
	words=" $(render "$3" | grep -oE -- '-{1,2}[A-Za-z][A-Za-z0-9-]*' | tr '\n' ' ')"
	for option in $(printf '%s\n' "$2" | grep -oE -- '--[a-z][a-z0-9-]*' | sort -u) \
		      $(printf '%s\n' "$2" | grep -oE '^ +-[A-Za-z]\b' | sort -u); do
		options=$((options + 1))
		case $words in
		*" $option "*) ;;
		*) fault "$3: $option of $1 --help is not there" ;;
		esac
	done
}

check_taken()
{
	for option in $(sed -n '/^\.It /s/Fl -\([a-z]\)/\n--\1/gp' "$2" | grep -oE -- '^--[a-z0-9-]+' | sort -u); do
		case $("$1" "$option" </dev/null 2>&1) in
		*'unknown option'*) fault "$2: $1 has no option $option" ;;
		esac
	done
}

command -v groff >/dev/null || {
	echo "groff is needed (Debian: groff-base)" >&2
	exit 1
}
for path in "$bin"/trace-*; do
	[ -x "$path" ] || continue
	name=$(basename "$path")
	commands=$((commands + 1))
	if ! help=$("$path" --help); then
		fault "$name --help fails"
		continue
	fi
	check_help "$name" "$help"
	if [ -f "$pages/$name.1" ]; then
		check_options "$name" "$help" "$pages/$name.1"
		check_taken "$path" "$pages/$name.1"
	else
		fault "$name has no page $pages/$name.1"
	fi
done
[ "$commands" -gt 0 ] || fault "no commands in $bin"
for page in "$pages"/*.[0-9]; do
	warnings=$(groff -mandoc -ww -Tutf8 -z "$page" 2>&1)
	[ -z "$warnings" ] || fault "$warnings"
	if command -v mandoc >/dev/null; then
		warnings=$(mandoc -Tlint -W warning "$page" 2>&1)
		[ -z "$warnings" ] || fault "$warnings"
	fi
done
echo "$commands commands, $options options, $faults faults"
[ "$faults" -eq 0 ]
