#!/bin/bash
# SPDX-License-Identifier: MIT
# Records on processors that this machine does not have: Debian's kernel runs in emulators, with the commands, tests
# and programs of the build folder. QEMU has Intel's and AMD's processors with protection keys, but not AVX-512,
# compacted states and AMX. Emulators show nothing about performance counters, errata, transactions and the order of
# memory accesses. emulated/guest.sh runs in the emulated machine, whose time is the number of instructions.
# By hand, with the variables that tests/run.sh sets: full_emulated.sh [intel|amd]...
. "$(dirname "$0")/../lib.sh"
tests=$(cd "$(dirname "$0")/.." && pwd)
. "$tests/emulated/root.sh"
. "$tests/emulated/boot.sh"
cd "$work" || exit 1

units='test_vectors test_x87 test_states test_transactions test_assembler test_plan test_isa_vendors test_isa_values'
scripts=(emulated/keys.sh 'emulated/same.sh branches fault states')

# make_root: makes ./initrd.
make_root() {
	local unit command
	root_folders root
	root_commands root bash sh cat grep sed awk env timeout cmp diff sort cut head tail seq tr wc mktemp mkdir rm \
		mkfifo setarch ls dirname basename cp stat mount stty paste sleep ln || return
	cp "$(type -P busybox)" root/bin/busybox && ln -s busybox root/bin/poweroff || return
	mkdir -p root/tracelab/build/{bin,tests} root/tracelab/tests
	for command in record dump verify info mix; do
		strip -g -o "root/tracelab/build/bin/trace-$command" "$BIN/trace-$command" || return
	done
	for unit in $units compare; do
		strip -g -o "root/tracelab/build/tests/$unit" "$BIN/../tests/$unit" || return
	done
	cp -r "$PROGRAMS" root/tracelab/build/tests/
	gcc -O1 -static -pthread -o root/tracelab/build/tests/programs/protection_keys \
		"$tests/full/programs/protection_keys.c" || return
	cp -r "$tests"/{lib.sh,e2e,recorder,emulated} root/tracelab/tests/
	cp "$tests/emulated/guest.sh" root/init
	root_libraries root
	(cd root && find . | cpio --quiet -o -H newc) >initrd
}

# machine NAME MODEL: boots the machine, and prints the lines of its checks.
machine() {
	local name=$1
	mkdir -p checks/tracelab && printf '%s\n' $units "${scripts[@]}" >checks/tracelab/checks
	{ cat initrd && (cd checks && find . | cpio --quiet -o -H newc); } >initrd.now
	: >serial
	nice -n 10 timeout 1700 "$BASH" -c '. "$1" && "$2" "$3"' - "$tests/emulated/boot.sh" boot_qemu "$2"
	tr -d '\r' <serial | sed -n "s/^\(ok\|not ok\) /&$name./p; s/^# .*/&/p; s/^\(model name\|flags\).*/# &/p"
	check "$name.ends" grep -q '^END' serial
}

main() {
	local name
	check root make_root
	check kernel make_kernel
	[ -s initrd ] && [ -s vmlinuz ] || return
	for name in "$@"; do
		case $name in
		intel) machine intel Skylake-Client,+pku,-hle,-rtm ;;
		amd) machine amd max ;;
		esac
	done
}
[ $# != 0 ] || set -- intel amd
main "$@"
