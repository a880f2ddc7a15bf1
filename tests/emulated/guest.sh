#!/bin/bash
# The first process of an emulated machine. Runs the checks in /tracelab/checks, which lists a test and its arguments
# in each line, and writes their lines to the serial port. The last line there is END.
export PATH=/usr/bin:/bin:/usr/sbin HOME=/root LC_ALL=C TRACELAB_CACHE=no
export BIN=/tracelab/build/bin PROGRAMS=/tracelab/build/tests/programs CK_DEFAULT_TIMEOUT=0
mount -t proc proc /proc
mount -t sysfs sysfs /sys
mount -t devtmpfs devtmpfs /dev
mkdir -p /dev/pts /dev/shm
mount -t devpts devpts /dev/pts
mount -t tmpfs tmpfs /dev/shm
mount -t tmpfs tmpfs /tmp
ln -s /proc/self/fd /dev/fd # for the shell's <(...)
exec >/dev/ttyS0 2>&1 </dev/null
stty -F /dev/ttyS0 -opost
ulimit -c 0
echo
grep -m 1 '^model name' /proc/cpuinfo
grep -m 1 '^flags' /proc/cpuinfo
busybox dmesg | sed -n 's/.*x86.fpu: /# x86 state: /p'

cd /tracelab/tests
while read -r test arguments; do
	if [[ $test == */* ]]; then
		bash "$test" $arguments
	else
		"../build/tests/$test" >/tmp/log 2>&1
		status=$?
		[ $status = 0 ] && echo "ok $test" || echo "not ok $test: status $status"
		sed 's/^/# /' /tmp/log
	fi
	echo "# $test: at $SECONDS s"
done </tracelab/checks
echo END
stty -F /dev/ttyS0 opost # waits until the port has sent all
poweroff -f
