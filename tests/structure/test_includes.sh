#!/bin/bash
# SPDX-License-Identifier: MIT
# Checks the rules of includes (include_rules.py): folders lie in strata, and units make no circle. Each rule is broken
# in a copy of the files as well, and must be reported.
. "$(dirname "$0")/../lib.sh"
rules() { /usr/bin/python3 -B tests/structure/include_rules.py "$1"; }

check tree rules .

copy=$work/tree
mkdir "$copy"
for folder in recorder traceformat analyzers cli examples; do
	cp -R "$folder" "$copy"
done
check copy rules "$copy"

# broken NAME FILE SED MESSAGE: with FILE changed by SED, the rules end with status 1 and the message.
broken() {
	cp "$copy/$2" "$work/kept"
	sed -i "$3" "$copy/$2"
	check "$1.differs" sh -c '! cmp -s "$0" "$1"' "$copy/$2" "$work/kept"
	check_status "$1" 1 rules "$copy"
	check_match "$1.says" "$4" "$work/out"
	cp "$work/kept" "$copy/$2"
}
include() { echo "\$a #include \"$1\""; }

broken upwards recorder/core/backend.h "$(include recorder/ptrace/remote.h)" \
	'^recorder/core/backend\.h: includes recorder/ptrace/remote\.h, which its folder may not$'
broken beside traceformat/file/section.h "$(include traceformat/reader/reader.h)" \
	'^traceformat/file/section\.h: includes traceformat/reader/reader\.h, which'
broken quoted examples/memsize.c "$(include cli/common/command.h)" \
	'^examples/memsize\.c: includes cli/common/command\.h, which'
broken circle analyzers/mica/config_log.h "$(include analyzers/mica/config.h)" \
	'^units include each other in a circle: analyzers/mica/config analyzers/mica/config_log$'
broken table recorder/README.md 's/^| `elf` |\(.*\)| |$/| `elf` |\1| `core` |/' \
	'^recorder/elf: its row is not that of recorder/README\.md$'
mkdir "$copy/cli/new" && echo >"$copy/cli/new/file.c"
check_status folder 1 rules "$copy"
check_match folder.says '^cli/new/file\.c: its folder has no row$' "$work/out"
