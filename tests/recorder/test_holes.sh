#!/bin/bash
# SPDX-License-Identifier: MIT
# Pages of files in memory that a program has never accessed stay away: the recorder reads mapped files without
# mapping them itself (tests/programs/holes.c).
. "$(dirname "$0")/backends.sh"
holes=$PROGRAMS/holes

same recorded -- "$holes"
"$holes" >native.out
# The files are mapped before the recorder comes.
attached attached -- "$holes" wait
attached attached.step --backend=step -- "$holes" wait
