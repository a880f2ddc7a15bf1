/* SPDX-License-Identifier: MIT */
/*
 * Calls of traced functions. DynamoRIO tells them behind the branch to the function, with the place
 * to which the last call that has not returned will return.
 */
#include "cli/common/checked.h"
#include "cli/export/drmemtrace_file.h"

void drmemtrace_follow_calls(struct drmemtrace_state *s, unsigned type, uint64_t behind)
{
	if (type == DRMEMTRACE_INSTR_DIRECT_CALL || type == DRMEMTRACE_INSTR_INDIRECT_CALL) {
		CHECKED_RESERVE(s->returns, s->returns.count + 1);
		s->returns.at[s->returns.count++] = behind;
	} else if (type == DRMEMTRACE_INSTR_RETURN && s->returns.count) {
		s->returns.count--;
	}
}

/* Returns true if markers of functions may stand here. Else they are left out. */
static bool is_behind_branch(struct export_run *e)
{
	const struct drmemtrace_state *s = e->state;

	if (s->last.exists && s->last.branch && !s->kernel && !s->gap)
		return true;
	e->lost[LOSS_CALLS]++;
	return false;
}

void drmemtrace_put_call(struct export_run *e, const struct tf_event *event)
{
	struct drmemtrace_state *s = e->state;
	const struct drmemtrace_shared *shared = e->shared;
	uint32_t function = event->call.function;
	uint64_t back = s->returns.count ? s->returns.at[s->returns.count - 1] : 0;

	if (!is_behind_branch(e))
		return;
	drmemtrace_put_marker(e, DRMEMTRACE_FUNC_ID, function);
	drmemtrace_put_marker(e, DRMEMTRACE_FUNC_RETADDR, back);
	for (uint32_t i = 0; i < event->call.n_args; i++)
		drmemtrace_put_marker(e, DRMEMTRACE_FUNC_ARG, event->call.args[i]);
	if (function < tf_n_functions(e->reader) && !shared->functions[function].pc)
		s->entered = &shared->functions[function];
}

void drmemtrace_put_return(struct export_run *e, const struct tf_event *event)
{
	if (!is_behind_branch(e))
		return;
	drmemtrace_put_marker(e, DRMEMTRACE_FUNC_ID, event->ret.function);
	drmemtrace_put_marker(e, DRMEMTRACE_FUNC_RETVAL, event->ret.result);
}

void drmemtrace_enter(struct drmemtrace_state *s, const struct linear_insn *insn)
{
	if (!s->entered)
		return;
	s->entered->pc = insn->pc;
	s->entered->module = insn->block->module;
	s->entered = NULL;
}
