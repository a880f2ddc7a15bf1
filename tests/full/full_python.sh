#!/bin/bash
# SPDX-License-Identifier: MIT
# Python's own tests of what recorders get wrong.
. "$(dirname "$0")/lib.sh"

# Some have time limits, and a second try (-w). Where a hypervisor answers it, a vsock connection to
# oneself hangs natively, too.
suite=(/usr/bin/python3 -m test -q -w --ignore '*VSOCKSocketStream*')
for module in threading thread signal subprocess ctypes mmap fork1 os posix socket select selectors \
	faulthandler multiprocessing_main_handling; do
	passes "python.$module" -- "${suite[@]}" "test_$module"
done
passes python.followed --follow -- "${suite[@]}" test_popen test_wait4 test_pty
