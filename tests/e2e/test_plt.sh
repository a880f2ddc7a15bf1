#!/bin/bash
# SPDX-License-Identifier: MIT
# Entries of procedure linkage tables have the names that objdump gives them.
. "$(dirname "$0")/../lib.sh"
cd "$work" || exit 1

cat >calls.c <<'END'
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static size_t (*volatile length)(const char *) = strlen;

int main(int argc, char **argv)
{
	void *copy = malloc(length(argv[0]) + strlen(argv[argc - 1]));

	free(copy);
	return getpid() == (int)(size_t)copy;
}
END

# Prints the executed entries of tables, with objdump's names and with the trace's: PC NAME.
in_tables() { objdump -d "$1" | sed -n 's/^0*\([0-9a-f]*\) <\(.*@plt\)>:$/\1 \2/p' | sort; }
recorded() {
	"$BIN/trace-dump" --no-events "$1.trace" | awk -v program="($1):" '
		$1 ~ /@plt$/ && $2 == program { name = $1; getline; print $2, name }' | sort -u
}

while read -r name flags; do
	# shellcheck disable=SC2086
	gcc -O1 -fno-builtin -no-pie $flags -o "$name" calls.c
	check "$name" "$BIN/trace-record" -q -o "$name.trace" -- "./$name"
	recorded "$name" >"$name.recorded"
	check_equal "$name.names" "free getpid malloc strlen" \
		"$(sed 's/.* //; s/@plt//' "$name.recorded" | sort -u | xargs)"
	check_equal "$name.places" "" "$(comm -23 "$name.recorded" <(in_tables "$name"))"
done <<'END'
lazy -Wl,-z,lazy
now -Wl,-z,now
ibt -fcf-protection -Wl,-z,ibtplt
stripped -s
END

# A symbol without a size, the last of its section, does not extend into the next section.
check_equal init "" "$("$BIN/trace-dump" --no-events lazy.trace | awk '
	/:$/ { inside = /^_init.* \(lazy\):$/ } inside && $3 == "jmp"')"

# Mangled names in entries are demangled like others.
printf 'void _ZN4deep4callEi(int i) { (void)i; }\n' >deep.c
printf 'void _ZN4deep4callEi(int);\nint main(void) { _ZN4deep4callEi(1); return 0; }\n' >mangled.c
gcc -shared -fPIC -o libdeep.so deep.c
gcc -o mangled mangled.c -L. -ldeep -Wl,-rpath,"$work"
check mangled "$BIN/trace-record" -q -o mangled.trace -- ./mangled
by_symbol() { "$BIN/trace-mix" --by=symbol --top=10k --format=csv "$@" mangled.trace; }
check_match mangled.plt ',_ZN4deep4callEi@plt$' <(by_symbol --demangle=no)
check_match demangled.plt ',deep::call\(int\)@plt$' <(by_symbol)
