# Functions that make the root folder of an emulated machine: source this. The folder becomes an initramfs.

# root_folders ROOT: makes the folders that each root has. As on this machine, /bin and the others are in /usr.
root_folders() {
	mkdir -p "$1"/{dev,proc,sys,tmp,root,etc,run} "$1"/usr/{bin,sbin,lib,lib64}
	for link in bin sbin lib lib64; do
		ln -s usr/$link "$1/$link"
	done
	echo 'root:x:0:0:root:/root:/bin/sh' >"$1/etc/passwd"
}

# root_commands ROOT COMMAND...: copies these commands of this machine to /bin.
root_commands() {
	local root=$1 command
	for command in "${@:2}"; do
		cp -L "$(type -P "$command")" "$root/bin/" || return
	done
}

# root_libraries ROOT: copies the shared libraries that the files in the root need, to the places where they are here.
root_libraries() {
	local library
	find "$1" -type f -perm /111 -exec ldd {} + 2>/dev/null | grep -oE '/lib[^ :]+|/usr/lib[^ :]+' | sort -u |
		while read -r library; do
			mkdir -p "$1${library%/*}" && cp -L "$library" "$1$library"
		done
}
