#!/bin/bash
# SPDX-License-Identifier: MIT
# Every command's help fits, and every option in it is in the manual; check_manpages.sh notices a missing
# option, and page.awk, which makes the manuals, an option without a text and a text without an option.
. "$(dirname "$0")/../lib.sh"
checker=$(dirname "$0")/check_manpages.sh
sources=$(dirname "$0")/../../cli/man
pages=$BIN/../man

check manpages "$checker" "$BIN" "$pages"

# The checker reads one page from here on, as it needs no more.
mkdir "$work/bin" "$work/pages"
cp "$pages/trace-info.1" "$work/pages"
pages=$work/pages
printf '#!/bin/sh\necho "Usage: trace-info"\necho "  --surprise"\necho "Example: trace-info"\n' \
	>"$work/bin/trace-info"
chmod +x "$work/bin/trace-info"
check_status undocumented_option 1 "$checker" "$work/bin" "$pages"
check_match names_the_option 'trace-info.1: --surprise' "$work/err"
printf '#!/bin/sh\n[ "$1" != --meta ] || echo "unknown option"\nexec "$BIN/trace-info" "$@"\n' >"$work/bin/trace-info"
check_status refused_option 1 "$checker" "$work/bin" "$pages"
check_match names_the_refused 'trace-info.1: .*/trace-info has no option --meta' "$work/err"
mv "$work/bin/trace-info" "$work/bin/trace-unheard-of"
check_status undocumented_command 1 "$checker" "$work/bin" "$pages"
check_match names_the_page 'has no page .*trace-unheard-of.1' "$work/err"

# page OPTION TEXT: makes a page of a command that has OPTION, from a source that describes TEXT.
page() {
	printf '%s\n' ".Option $2" 'It is described.' .Shared >"$work/page.in"
	printf 'o\t%s\tFILE|word\t\n\thelp\t\t\n\thidden\t\thidden\n' "$1" |
		awk -f "$sources/page.awk" - "$sources/shared.options" "$work/page.in" >"$work/page" 2>"$work/err"
}
check page page output output
check_equal page.head '.It Fl o , Fl -output Ns = Ns Ar file Ns | Ns Cm word' "$(sed -n 1p "$work/page")"
check_equal page.shared '.It Fl -help' "$(sed -n 3p "$work/page")"
check_status page.without_text 1 page other help
check_match page.without_text.says 'page.in: option --other has no text' "$work/err"
check_status page.without_option 1 page output surprise
check_match page.without_option.says 'page.in: the command has no option --surprise' "$work/err"
