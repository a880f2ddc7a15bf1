#!/bin/bash
# SPDX-License-Identifier: MIT
# Tools of developers: a compiler, make with several jobs, git, shell scripts.
. "$(dirname "$0")/lib.sh"

mkdir project
for i in 1 2 3 4 5 6; do
	echo "int f$i(int x) { return x * $i + __LINE__; }" >project/f$i.c
done
cat >project/Makefile <<'EOF'
objects := $(patsubst %.c,%.o,$(wildcard f*.c))
all.a: $(objects)
	ar rcsD $@ $^
%.o: %.c
	$(CC) -O2 -c -o $@ $<
clean:
	rm -f *.o all.a
EOF
same gcc --follow -- gcc -O2 -S -o - "$OLDPWD/examples/memsize.c" -I"$OLDPWD" -I"$OLDPWD"/traceformat -I"$OLDPWD"/analyzers/common
same make --follow -- sh -c 'make -s -C project clean && make -s -j3 -C project && ar t project/all.a && md5sum project/*'
same make-fails --follow -- make -C project no-such-target

git init -q repository
git -C repository config user.name name
git -C repository config user.email name@example.org
for i in $(seq 20); do
	seq "$i" >repository/file$i
	git -C repository add .
	git -C repository commit -q -m "number $i" --date="2026-01-01T00:00:$i"
done
same git.log -- git -C repository --no-pager log --stat
same git.fsck --follow -- git -C repository fsck --no-progress

cat >script.sh <<'EOF'
trap 'echo usr1' USR1
trap 'echo bye' EXIT
kill -USR1 $$
for i in 1 2 3; do
	(echo $i | cat | tr 1-3 a-c) &
	wait $!
done
set -o pipefail
false | true
echo $?
sleep 300 &
sleeper=$!
until grep -qs sleep /proc/$sleeper/comm; do :; done
(kill -TERM $sleeper)
wait $sleeper
echo $? $(seq 5 | while read -r n; do echo $((n * n)); done)
exec 3< <(seq 3); cat <&3
exit 9
EOF
same bash -- bash script.sh
same bash.followed --follow -- bash script.sh
