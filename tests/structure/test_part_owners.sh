#!/bin/bash
# SPDX-License-Identifier: MIT
# Checks who writes to the parts of the recorder's session (part_owners.py). Each rule is broken in a copy of the files
# as well, and must be reported.
. "$(dirname "$0")/../lib.sh"
owners() { /usr/bin/python3 -B tests/structure/part_owners.py "$1"; }

check tree owners .

copy=$work/tree
mkdir "$copy"
cp -R recorder "$copy"
check copy owners "$copy"

# broken NAME FILE SED MESSAGE: with FILE changed by SED, the check ends with status 1 and the message.
broken() {
	cp "$copy/$2" "$work/kept"
	sed -i "$3" "$copy/$2"
	check "$1.differs" sh -c '! cmp -s "$0" "$1"' "$copy/$2" "$work/kept"
	check_status "$1" 1 owners "$copy"
	check_match "$1.says" "$4" "$work/out"
	cp "$work/kept" "$copy/$2"
}
# adds a function with a statement to the end of a file
statement() { printf '%s' "\$a static void intrude(struct task *t)\n{\n\t$1;\n}"; }
says() { printf '%s' "^recorder/step/step\.c:[0-9]*: writes $1, which belongs to recorder/$2"; }

broken assigned recorder/step/step.c "$(statement 't->watched.suspected = true')" "$(says watched.suspected core/task.c)"
broken counted recorder/step/step.c "$(statement 't->session->polling.served++')" "$(says polling.served ptrace/polling.c)"
broken counted_before recorder/step/step.c "$(statement '--t->session->polling.served')" \
	"$(says polling.served ptrace/polling.c)"
broken or_ed recorder/step/step.c "$(statement 't->session->tasks.n_ended |= 1')" "$(says tasks.n_ended core/task.c)"
broken indexed recorder/step/step.c "$(statement 't->process->breakpoints.places[0].pc = 0')" \
	"$(says breakpoints.places.pc ptrace/breakpoints.c)"
broken nested recorder/step/step.c "$(statement 't->signals.rate.row = 0')" "$(says signals.rate.row ptrace/signal_rate.c)"
broken whole recorder/step/step.c "$(statement 't->touch = (struct touch){ 0 }')" "$(says touch ptrace/touch.c)"
broken pointer recorder/step/step.c "$(statement 'struct region *r = \&t->session->region')" \
	"$(says region core/intervals.c)"
broken function recorder/step/step.c "$(statement 't->process->memory.present = NULL')" \
	"$(says memory.present core/task_memory.c)"
broken no_owner recorder/core/session_parts.h 's|, of ptrace/polling\.c||' \
	'^recorder/core/session_parts\.h: struct polling has no owner$'
broken no_file recorder/core/session_parts.h 's|of ptrace/polling\.c|of ptrace/poll.c|' \
	'struct polling has the owner ptrace/poll\.c, which does not exist$'
broken idle recorder/core/session_parts.h 's|of ptrace/polling\.c|of ptrace/polling.c and ptrace/traps.c|' \
	'struct polling has the owner recorder/ptrace/traps\.c, which never writes it$'

# Reading is free, and so are members of the same name in other structs.
printf '%s\n' 'static bool look(const struct task *t)' '{' \
	'	const struct region *r = &t->session->region;' \
	'	struct other o = { .region = 1 };' '	o.region = 2;' \
	'	return r->left == t->watched.resumes;' '}' >>"$copy/recorder/step/step.c"
check reading owners "$copy"
