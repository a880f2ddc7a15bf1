# Functions that boot emulated machines: source this. The current folder has ./vmlinuz and ./initrd.now, and gets
# ./serial, which is what the machine writes to its serial port. A machine has no network.
kernel_options='console=ttyS0 quiet panic=-1 mitigations=off nokaslr random.trust_cpu=on'

# make_kernel: makes ./vmlinuz, Debian's kernel for machines in clouds. It is not installed here.
make_kernel() {
	local package
	package=$(apt-cache depends linux-image-cloud-amd64 | sed -n 's/^ *Depends: \(linux-image-[0-9][^ ]*\)$/\1/p')
	apt-get download "${package%%$'\n'*}" &&
		dpkg-deb --fsys-tarfile linux-image-*.deb | tar -x --wildcards './boot/vmlinuz-*' && mv boot/vmlinuz-* vmlinuz
}

# boot_qemu MODEL: MODEL is for the option -cpu.
boot_qemu() {
	qemu-system-x86_64 -accel tcg -icount shift=1,sleep=off -cpu "$1" -m 2G -nodefaults -nic none -display none \
		-serial file:serial -kernel vmlinuz -initrd initrd.now -no-reboot -append "$kernel_options" 2>emulator.err
}
