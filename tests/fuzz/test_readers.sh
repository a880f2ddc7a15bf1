#!/bin/bash
# SPDX-License-Identifier: MIT
# Every source file that reads files is in the table of tests/README.md, which names its fuzzers.
. "$(dirname "$0")/../lib.sh"
here=$(cd "$(dirname "$0")" && pwd)
check readers /usr/bin/python3 -B "$here/readers.py" check
