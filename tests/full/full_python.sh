#!/bin/bash
# SPDX-License-Identifier: MIT
# Python's own tests of what recorders get wrong.
. "$(dirname "$0")/lib.sh"

for module in threading signal subprocess ctypes mmap fork1 os posix socket select selectors \
	faulthandler multiprocessing_main_handling queue; do
	passes "python.$module" -- /usr/bin/python3 -m test -q "test_$module"
done
passes python.followed --follow -- /usr/bin/python3 -m test -q test_popen test_wait4 test_pty
