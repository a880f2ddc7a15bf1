#!/bin/sh
# Prints the page, as a template: the line @DATA@ stands for the results. index.html has marks for the style, the
# library of charts and the page's script; the Content-Security-Policy has the hash of each, and allows nothing else.
# Usage: assemble.sh FOLDER LIBRARY, where FOLDER has index.html and the file scripts, a list of the script's parts.
set -eu
folder=$1 library=$2
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

# wrap TAG FILE: the element, whose contents are the file's bytes.
wrap() {
	printf '<%s>' "$1"
	cat "$2"
	printf '</%s>\n' "$1"
}

# hash FILE: its source expression in a policy.
hash() {
	printf "'sha256-%s'" "$(sha256sum <"$1" | cut -c1-64 | tr a-f A-F | basenc --base16 -d | basenc --base64)"
}

cat "$folder"/*.css >"$scratch/style"
cp "$library" "$scratch/library"
{
	echo "(() => {"
	echo "'use strict';"
	while read -r part; do
		cat "$folder/$part"
	done <"$folder/scripts"
	echo "})();"
} >"$scratch/script"
wrap style "$scratch/style" >"$scratch/style.element"
wrap script "$scratch/library" >"$scratch/library.element"
wrap script "$scratch/script" >"$scratch/script.element"
sed -e "s|@STYLE_HASH@|$(hash "$scratch/style")|" \
	-e "s|@LIBRARY_HASH@|$(hash "$scratch/library")|" \
	-e "s|@SCRIPT_HASH@|$(hash "$scratch/script")|" \
	-e "/^@STYLE@\$/{r $scratch/style.element
		d}" \
	-e "/^@LIBRARY@\$/{r $scratch/library.element
		d}" \
	-e "/^@SCRIPT@\$/{r $scratch/script.element
		d}" "$folder/index.html"
