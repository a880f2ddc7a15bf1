#!/bin/bash
# SPDX-License-Identifier: MIT
# make install installs all files that clients and users need; make uninstall removes them; folders may have
# any names.
. "$(dirname "$0")/../lib.sh"
top=$PWD
build=$(dirname "$BIN")
root="$work/it's a root"
prefix='/opt/a, b & c'

make_quietly() {
	make -s -C "$top" BUILD="$BUILD" DESTDIR="$root" PREFIX="$prefix" "$@"
}
check install make_quietly install
cd "$root$prefix" || exit 1
for file in bin/trace-{record,info,dump,verify,repair,repack,analyze,mix,bbv} include/{trace{format,writer,isa,report,option},analyzer}.h \
	lib/lib{traceformat,traceisa,analyzer}.{a,so,so.1} lib/pkgconfig/tracelab-{format,isa,analyzer}.pc share/man/man1/trace-record.1 \
	share/man/man7/tracelab.7 share/man/man7/tracelab-slices.7 share/bash-completion/completions/trace-record; do
	check "there: $file" test -e "$file"
done
check no_build_folder test -z "$(grep -lF "$build" lib/pkgconfig/*)" -a -z "$(grep -rlF "$build" include)"
for page in share/man/man*/*; do
	check "man $page" man -l "$page"
done

cat >"$work/client.c" <<'END'
#include <stdio.h>
#include <traceformat.h>

int main(int argc, char **argv)
{
	struct tf_cursor_options options = TF_CURSOR_OPTIONS;
	struct tf_reader *reader;
	struct tf_cursor *cursor;
	struct tf_error error;
	struct tf_item item;
	unsigned long blocks = 0, loads = 0;
	int more;

	options.columns = TF_ADDRESSES;
	if (argc != 2 || tf_open(argv[1], &reader, &error) < 0 ||
	    tf_cursor_open(reader, &options, &cursor, &error) < 0)
		return fprintf(stderr, "%s\n", error.text), 1;
	while ((more = tf_next(cursor, &item, &error)) > 0)
		for (size_t i = 0; i < item.count; i++, blocks++)
			for (unsigned k = 0; k < item.blocks[i].block->n_operands; k++)
				loads += item.blocks[i].values[k];
	tf_cursor_close(cursor);
	tf_close(reader);
	printf("%lu blocks, addresses add up to %#lx\n", blocks, loads);
	return more < 0;
}
END
export PKG_CONFIG_PATH=$root$prefix/lib/pkgconfig PKG_CONFIG_SYSROOT_DIR=$root
"$build/examples/write-trace" "$work/hand.trace"
sanitize=
grep -q __asan lib/libtraceformat.so && sanitize=-fsanitize=address,undefined
# The trace has 4 turns of a loop that loads from 0x7000, 0x7008, ...; and a system call
expected="5 blocks, addresses add up to 0x1c030"
# flags OPTION... PACKAGE: sets ${flags[@]}; pkg-config escapes blanks for a shell
flags() {
	eval "flags=($(pkg-config "$@"))"
}
check pkg_config pkg-config --exists tracelab-format tracelab-isa tracelab-analyzer
check_equal version "$("$BIN/trace-info" --version | sed -n '1s/.* //p')" "$(pkg-config --modversion tracelab-format)"
flags --cflags --libs tracelab-format
check client.shared gcc -Wall -Wextra -Werror -std=c11 -pedantic $sanitize -o "$work/client-shared" "$work/client.c" "${flags[@]}"
check_equal client.shared.runs "$expected" \
	"$(LD_LIBRARY_PATH=$root$prefix/lib "$work/client-shared" "$work/hand.trace")"
check client.shared.soname grep -q libtraceformat.so.1 "$work/client-shared"
flags --static --cflags --libs tracelab-format
check client.static gcc $sanitize -o "$work/client-static" "$work/client.c" "${flags[@]/#-ltraceformat/-l:libtraceformat.a}"
check_equal client.static.runs "$expected" "$("$work/client-static" "$work/hand.trace")"
if command -v g++ >/dev/null; then
	flags --cflags --libs tracelab-analyzer
	for header in include/*.h; do
		echo "#include \"${header##*/}\"" >"$work/header.cc"
		check "c++: ${header##*/}" g++ -Wall -Wextra -Werror -fsyntax-only "${flags[@]}" "$work/header.cc"
	done
	check client.c++ g++ -Wall $sanitize -x c++ -o "$work/client-c++" "$work/client.c" -x none "${flags[@]}"
	check_equal client.c++.runs "$expected" \
		"$(LD_LIBRARY_PATH=$root$prefix/lib "$work/client-c++" "$work/hand.trace")"
	printf '#include <traceisa.h>\nint main() { return isa_class_name(ISA_CLASS_OPAQUE) == nullptr; }\n' >"$work/isa.cc"
	check isa.c++ g++ -Wall $sanitize -o "$work/isa-c++" "$work/isa.cc" "${flags[@]}"
fi

# The program in the comment of traceformat.h.
sed -n '/^ \*\t#include <err.h>/,/^ \*\t}$/s/^ \*\t\{0,1\}//p' include/traceformat.h >"$work/comment.c"
flags --cflags --libs tracelab-format
check comment.builds gcc -Wall -Wextra -Werror $sanitize -o "$work/comment" "$work/comment.c" "${flags[@]}"
check_equal comment.runs "401000 401000 401000 401000 401009" \
	"$(LD_LIBRARY_PATH=$root$prefix/lib "$work/comment" "$work/hand.trace" | paste -sd' ')"

# The libraries export only their own names.
foreign() {
	nm "$@" | awk 'NF == 3 { print $3 }' | grep -vE "^($names|__odr_asan|\.?asan)" | sort | uniq | paste -sd' '
}
for library in 'libtraceformat tf_' 'libtraceisa isa_' 'libanalyzer analyzer_|report_'; do
	names=${library#* } library=${library% *}
	check_equal "exported: $library.so" "" "$(foreign -D --defined-only "lib/$library.so")"
	check_equal "exported: $library.a" "" "$(foreign -g --defined-only "lib/$library.a")"
	check "exports: $library.a" test "$(nm -g --defined-only "lib/$library.a" | grep -cE " ($names)")" -gt 10
done

# Analyzers are built outside of the tree, with both kinds of libraries, and trace-analyze finds them.
for example in memsize setcache; do
	cp "$top/examples/$example.c" "$work/mine.c"
	for kind in shared static; do
		mkdir -p "$work/$kind"
		flags $([ $kind = shared ] || echo --static) --cflags --libs tracelab-analyzer
		[ $kind = shared ] || flags=("${flags[@]/#-ltrace/-l:libtrace}") flags=("${flags[@]/#-lanalyzer/-l:libanalyzer.a}") \
			flags=("${flags[@]/%libtraceformat/libtraceformat.a}") flags=("${flags[@]/%libtraceisa/libtraceisa.a}")
		check "$example.$kind" gcc -Wall -Wextra -Werror $sanitize -o "$work/$kind/trace-my$example" "$work/mine.c" "${flags[@]}"
	done
	for kind in shared static; do
		path=$work/$kind:$root$prefix/bin:$PATH
		check_equal "$example.$kind.listed" 1 \
			"$(LD_LIBRARY_PATH=$root$prefix/lib PATH=$path trace-analyze --list | grep -c "my$example")"
		LD_LIBRARY_PATH=$root$prefix/lib PATH=$path trace-analyze "my$example" --format=csv "$work/hand.trace" >"$work/$kind/$example.csv"
	done
	check "$example.same" cmp "$work/shared/$example.csv" "$work/static/$example.csv"
done
check_equal memsize.result "bytes,reads,writes 8,4,0" "$(paste -sd' ' "$work/static/memsize.csv")"
check_equal setcache.result "lookups,misses,module,symbol 4,1,loop,_start" "$(paste -sd' ' "$work/static/setcache.csv")"

# The installed commands do not need the tree.
cd "$work" || exit 1
PATH=$root$prefix/bin:$PATH check installed_command trace-analyze mix hand.trace

check uninstall make_quietly uninstall
check_equal nothing_left "" "$(find "$root" ! -type d)"
