#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Runs a command with a terminal of a given width as standard output, and prints what the terminal receives.

usage: terminal.py WIDTH COMMAND...
"""
import fcntl
import os
import pty
import struct
import subprocess
import sys
import termios

own, theirs = pty.openpty()
fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("4H", 24, int(sys.argv[1]), 0, 0))
process = subprocess.Popen(sys.argv[2:], stdout=theirs)
os.close(theirs)
output = b""
while True:
    try:
        piece = os.read(own, 65536)
    except OSError:  # the other end is closed
        break
    if not piece:
        break
    output += piece
sys.stdout.write(output.decode().replace("\r\n", "\n"))
sys.exit(process.wait())
