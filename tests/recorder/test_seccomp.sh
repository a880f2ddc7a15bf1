#!/bin/bash
# SPDX-License-Identifier: MIT
# Programs whose system calls are judged by seccomp, recorded by an ordinary user: they behave as
# natively, and are recorded to their end.
. "$(dirname "$0")/../e2e/e2e.sh"
. "$tests/e2e/user.sh"
user_has filters confines

kinds="errno trap kill kill-thread only place trace tsync notify longest wrong unloaded children
	strict strict-breach strict-thread"
# The shell reports killed programs.
exec 2>/dev/null
few=$(quick_or_full "trap place" "$kinds")
# Steps begin at main().
declare -A from=([step]=--from=main)
for backend in translate step; do
	for kind in $([ $backend = step ] && echo $few || echo $kinds); do
		check_as_user $backend.$kind x.trace --backend=$backend ${from[$backend]:-} -- ./filters $kind
		check_equal $backend.$kind.whole "true exit" \
			"$(info x.trace complete) $(info x.trace stop_reason)"
	done
done
for kind in $(quick_or_full "only" "$kinds"); do
	check_as_user follow.$kind x.trace --follow -- ./filters $kind
	check_as_user serial.$kind x.trace --threads=serial -- ./filters $kind
	check_as_user self_check.$kind x.trace --self-check -- ./filters $kind
	check_as_user skip.$kind x.trace --skip=10000 --count=20000 -- ./filters $kind
	check_as_user windows.$kind x.trace --every=10000 --for=2000 -- ./filters $kind
	check_same root.$kind x.trace -- ./filters $kind
done
# After detaching, programs behind a filter and in strict mode go on as natively.
for kind in only strict; do
	check_as_user whole.$kind x.trace -- ./filters $kind
	check_as_user let_go.$kind x.trace --count=$(($(info x.trace instructions) - 100)) -- ./filters $kind
	check_equal let_go.$kind.reason count "$(info x.trace stop_reason)"
done
check_as_user confines x.trace -- ./confines

# Both backends record the same of a program that gets errors and signals.
for kind in $(quick_or_full trap "errno trap"); do
	for backend in translate step; do
		"${user[@]}" "${recorder[@]}" -q --force --backend=$backend --from=main -o $backend.trace \
			-- ./filters $kind >out
	done
	check_equal same.$kind "$(info step.trace instructions)" \
		"$(info translate.trace instructions)"
done

# Behind a filter, changes of the program's mappings are recorded, and nothing of the recorder's own.
"${recorder[@]}" -q --force --backend=step --from=main -o step.trace -- ./filters maps >out
"${recorder[@]}" -q --force --from=main -o translate.trace -- ./filters maps >out
check_status maps.same 0 "$BIN/../tests/compare" step.trace translate.trace

# If a filter exists before the recorder attaches, an ordinary user gets a message with the remedy.
if [ "$(cut -d: -f2 <(grep ^Seccomp: /proc/self/status) | tr -d '\t ')" = 0 ]; then
	mkfifo never
	chmod 666 never
	"${user[@]}" ./confines - <never >confined &
	exec 9>never
	eventually [ -s confined ]
	check_status attach.status 125 "${user[@]}" "${recorder[@]}" -o a.trace -p "$(cat confined)"
	check_match attach.says 'confined by seccomp.*CAP_SYS_ADMIN.*start the program by' "$work/err"
	exec 9>&-
	wait $!
	check_equal attach.own_status 0 $?
fi
