/* SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <string.h>

#include "tests/unit/traces/trace_truth.h"

void truth_event_text(const struct tf_event *e, char *text, size_t size)
{
	int n = snprintf(text, size, "thread %u ordinal %llu kind %u:", e->thread,
			 (unsigned long long)e->ordinal, e->kind);
	uint64_t v[8] = { 0 };
	const char *string = "";

	switch ((enum tf_event_kind)e->kind) {
	case TF_EVENT_SYSCALL:
		v[0] = e->syscall.number;
		memcpy(v + 1, e->syscall.args, sizeof(e->syscall.args));
		v[7] = e->syscall.time_ns;
		break;
	case TF_EVENT_SYSCALL_RESULT:
		v[0] = e->syscall_result.number;
		v[1] = (uint64_t)e->syscall_result.result;
		v[2] = e->syscall_result.time_ns;
		break;
	case TF_EVENT_SIGNAL:
		v[0] = e->signal.number;
		v[1] = (uint64_t)e->signal.code;
		v[2] = e->signal.address;
		v[3] = e->signal.pc;
		v[4] = e->signal.handler;
		break;
	case TF_EVENT_SIGRETURN: v[0] = e->sigreturn.pc; break;
	case TF_EVENT_THREAD_START:
		v[0] = e->thread_start.thread;
		v[1] = e->thread_start.time_ns;
		break;
	case TF_EVENT_THREAD_EXIT:
		v[0] = (uint64_t)e->thread_exit.status;
		v[1] = e->thread_exit.time_ns;
		break;
	case TF_EVENT_PROCESS_START:
		v[0] = e->process_start.process;
		v[1] = e->process_start.time_ns;
		break;
	case TF_EVENT_PROCESS_EXIT:
		v[0] = (uint64_t)e->process_exit.wait_status;
		v[1] = e->process_exit.time_ns;
		break;
	case TF_EVENT_EXEC:
		string = e->exec.path;
		v[0] = e->exec.time_ns;
		break;
	case TF_EVENT_MAPPING: v[0] = e->mapping.index; break;
	case TF_EVENT_REGION_BEGIN:
	case TF_EVENT_REGION_END: v[0] = e->region.index; break;
	case TF_EVENT_CALL:
		v[0] = e->call.function;
		v[1] = e->call.n_args;
		memcpy(v + 2, e->call.args, sizeof(e->call.args));
		break;
	case TF_EVENT_RETURN:
		v[0] = e->ret.function;
		v[1] = e->ret.result;
		break;
	case TF_EVENT_CONTROL_WORD:
		v[0] = e->control_word.which;
		v[1] = e->control_word.value;
		break;
	case TF_EVENT_GAP:
		v[0] = e->gap.reason;
		v[1] = e->gap.instructions;
		break;
	case TF_EVENT_TIME: v[0] = e->time.time_ns; break;
	case TF_EVENT_SEGMENT_BASE:
		v[0] = e->segment_base.segment;
		v[1] = e->segment_base.base;
		break;
	}
	for (unsigned i = 0; i < 8; i++)
		n += snprintf(text + n, size - (size_t)n, " %llx", (unsigned long long)v[i]);
	snprintf(text + n, size - (size_t)n, " %s", string);
}

bool truth_event_same(const struct tf_event *a, const struct tf_event *b)
{
	char x[512], y[512];

	if (a->kind != b->kind || a->ordinal != b->ordinal || a->thread != b->thread)
		return false;
	truth_event_text(a, x, sizeof(x));
	truth_event_text(b, y, sizeof(y));
	return !strcmp(x, y);
}
