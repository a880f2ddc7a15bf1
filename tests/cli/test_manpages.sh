#!/bin/bash
# SPDX-License-Identifier: MIT
# Every command's help fits, and every option in it is in the manual; check_manpages.sh
# notices a missing option.
. "$(dirname "$0")/../lib.sh"
checker=$(dirname "$0")/check_manpages.sh

check manpages "$checker" "$BIN"

mkdir "$work/bin"
printf '#!/bin/sh\necho "Usage: trace-info"\necho "  --surprise"\necho "Example: trace-info"\n' \
	>"$work/bin/trace-info"
chmod +x "$work/bin/trace-info"
check_status undocumented_option 1 "$checker" "$work/bin"
check_match names_the_option 'trace-info.1: --surprise' "$work/err"
printf '#!/bin/sh\n[ "$1" != --meta ] || echo "unknown option"\nexec "$BIN/trace-info" "$@"\n' >"$work/bin/trace-info"
check_status refused_option 1 "$checker" "$work/bin"
check_match names_the_refused 'trace-info.1: .*/trace-info has no option --meta' "$work/err"
mv "$work/bin/trace-info" "$work/bin/trace-unheard-of"
check_status undocumented_command 1 "$checker" "$work/bin"
check_match names_the_page 'has no page .*trace-unheard-of.1' "$work/err"
