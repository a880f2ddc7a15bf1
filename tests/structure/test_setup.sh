#!/bin/bash
# SPDX-License-Identifier: MIT
# The installation of missing packages waits for another program that has locked the packages, as a new machine's
# daily update does. Substitutes for apt-get and others take the place of the system's.
. "$(dirname "$0")/../lib.sh"
root=$PWD
cd "$work" || exit
mkdir bin
export work
setup() {
	env -u INSTALL PATH="$work/bin:$PATH" make -s -C "$root" setup "$@"
}
substitute() {
	printf '#!/bin/sh\n%s\n' "$2" >"bin/$1" && chmod 755 "bin/$1"
}
substitute dpkg-query 'echo unknown'
substitute sudo 'exec "$@"'
substitute sleep 'echo sleep >>"$work/calls"'
substitute apt-get '
echo "$@" >>"$work/calls"
case " $* " in
*" update "*) [ -e "$work/locked" ] && rm "$work/locked" && echo "E: Could not get lock" && exit 100 ;;
*" install "*) case "$*" in *DPkg::Lock::Timeout=*) ;; *) exit 100 ;; esac ;;
esac
exit 0'

touch locked
check_status locked 0 setup
check_equal updates 2 "$(grep -c ' update$' calls)"
check_equal pauses 1 "$(grep -c '^sleep$' calls)"
check_match installs ' install .*libzstd-dev' calls

rm calls
check_status no.status 0 setup INSTALL=no
check no.calls [ ! -e calls ]
check_match no.says 'Not installed, as INSTALL=no: .*libzstd-dev' out
