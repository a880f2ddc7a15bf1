#!/bin/bash
# SPDX-License-Identifier: MIT
# Python's own tests of features that recorders often break.
. "$(dirname "$0")/lib.sh"

# Some tests have time limits, and get a second try (-w). Under a hypervisor that answers, a vsock connection to
# oneself hangs natively, too.
suite=(/usr/bin/python3 -m test -q -w --ignore '*VSOCKSocketStream*')
for module in threading thread signal subprocess ctypes mmap fork1 os posix socket select selectors \
	faulthandler multiprocessing_main_handling; do
	passes "python.$module" -- "${suite[@]}" "test_$module"
done
passes python.followed --follow -- "${suite[@]}" test_popen test_wait4 test_pty
