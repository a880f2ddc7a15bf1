#!/bin/bash
# The page of trace-report in a browser: each picture has drawn what the data say, and the page does what its reader does.
. "$(dirname "$0")/../lib.sh"

# The scripts are one scope: a name that is defined twice would silently be the last one.
scripts=$(dirname "$0")/../../cli/report/page
defined() {
	cat "$scripts"/*.js | grep -oE '^(function|const|let|class) [A-Za-z_0-9]+' | cut -d' ' -f2 | sort
}
unused() {
	local name
	for name in $(defined); do
		[ "$(cat "$scripts"/*.js | grep -ow -- "$name" | wc -l)" -gt 1 ] || echo "$name"
	done
}
check_equal 'scripts: the list has all files' "$(cd "$scripts" && ls ./*.js)" "$(sed 's,^,./,' "$scripts/scripts" | sort)"
check_equal 'scripts: each name is defined once' '' "$(defined | uniq -d)"
check_equal 'scripts: each name is used' '' "$(unused)"
check_equal 'scripts: no code and no HTML from strings' '' "$(grep -nE \
	'innerHTML|outerHTML|insertAdjacentHTML|document\.write|eval\(|new Function' "$scripts"/*.js)"

# shortened NAME MOST: the name as a label of so many characters.
shortened() {
	node -e "$(cat "$scripts/names.js"); console.log(shortened(...process.argv.slice(1)))" -- "$@"
}
check_equal 'names: without arguments, result and suffix of a copy' 'std::__adjust_heap<…>' "$(shortened \
	'void std::__adjust_heap<int*, std::vector<int> >(int*, std::vector<int>, long) [clone .isra.0]' 24)"
check_equal 'names: without classes' '…::operator[]' "$(shortened 'std::map<int, Key, std::less<int> >::operator[](int const&)' 16)"
check_equal 'names: an operator of angle brackets' '…::operator<<' "$(shortened \
	'std::ostream& std::operator<< <std::char_traits<char> >(std::ostream&, char const*)' 16)"
check_equal 'names: of Rust' '…::from_iter' "$(shortened '<alloc::vec::Vec<T> as core::iter::FromIterator<T>>::from_iter' 30)"
check_equal 'names: of files, in the middle' '/tmp/some …eads.trace' "$(shortened '/tmp/some dir/with (two) threads.trace' 21)"

check_equal 'flame graph: a colour of all other modules' 'a,b,c,d,e,other modules' "$(node -e \
	"$(cat "$scripts/flame.js"); console.log(String(module_names(['a', 'b', 'c', 'd', 'e', 'f', 'g'])))")"

# marked X...: the marks at these places that a chart from 10 to 90 shows.
marked() {
	node -e "$(cat "$scripts/charts.js"); const style_colour = () => ''; const Chart = { defaults: { font: {} } };
		const ctx = new Proxy({}, { get: () => () => ({ width: 1 }), set: () => true }), drawn = [];
		draw_mark_line = (_, x) => drawn.push(x);
		draw_marks({ ctx, chartArea: { left: 10, right: 90 } }, process.argv.slice(1).map((x) => ({ x: +x, name: x })));
		console.log(drawn.join(' '))" -- "$@"
}
check_equal 'marks: those at the edges, however the numbers are rounded' '9.9999999 50 90.0000001' \
	"$(marked 5 9.9999999 50 90.0000001 95)"

check 'a report of a program' "${recorder[@]}" -q -o "$work/trace" -- "$PROGRAMS/phases" A1B1 200000
check 'and its page' "$BIN/trace-report" -q -o "$work/report.html" "$work/trace"
/usr/bin/python3 "$(dirname "$0")/page_checks.py" "$work" "$BUILD/report/page.html" "$work/report.html" || echo "not ok page_checks.py: status $?"
