/* SPDX-License-Identifier: MIT */
/*
 * The markers of system calls, signals and lost instructions. A signal with a handler moves control
 * to the handler; its marker has the interrupted place, as has the trace's event.
 */
#include <signal.h>
#include <string.h>

#include "cli/common/checked.h"
#include "cli/export/drmemtrace_file.h"
#include "traceformat/common/event_time.h"

/* ---- code that was not executed ---------------------------------------------------------- */

/* Notes the bytes of all instructions of the dictionary. */
static void note_code(struct export_run *e)
{
	struct drmemtrace_state *s = e->state;

	for (uint32_t i = 0; i < tf_n_blocks(e->reader); i++) {
		const struct tf_block *block = tf_block(e->reader, i);

		for (uint16_t n = 0; block && n < block->n_insns; n++) {
			const struct tf_insn *insn = &block->insns[n];
			struct drmemtrace_code *code = checked(
				TABLE_PUT(s->codes, block->pc + insn->offset));

			code->bytes = block->code + insn->offset;
			code->length = insn->length;
		}
	}
}

/*
 * Returns the first bytes of the instruction at pc as a number, or 0 if the trace does not have
 * them or must not tell them. If the program has changed the code, these may be the bytes of
 * another time.
 */
static uint64_t code_at(struct export_run *e, uint64_t pc)
{
	struct drmemtrace_state *s = e->state;
	const struct drmemtrace_code *code;
	uint64_t value = 0;

	if (e->options->regdeps)
		return 0;
	if (!s->codes.count)
		note_code(e);
	code = TABLE_FIND(s->codes, pc);
	if (code)
		memcpy(&value, code->bytes,
		       code->length < sizeof(value) ? code->length : sizeof(value));
	return value;
}

/* ---- signals ----------------------------------------------------------------------------- */

/* Returns true if the instruction at the interrupted place has begun, and is not complete. */
static bool is_uncompleted(const struct drmemtrace_state *s, const struct tf_event *event)
{
	uint32_t number = event->signal.number;
	bool fault = event->signal.code > 0 && (number == SIGSEGV || number == SIGBUS ||
						number == SIGILL || number == SIGFPE);

	return fault || (s->last.exists && s->last.repeats && s->last.pc == event->signal.pc);
}

static void put_signal(struct export_run *e, const struct tf_event *event)
{
	struct drmemtrace_state *s = e->state;
	uint64_t pc = event->signal.pc;

	if (!event->signal.handler)
		return;
	if (!pc) /* a branch to 0, which is left out */
		pc = s->last.expected;
	else if (is_uncompleted(s, event) && code_at(e, pc))
		drmemtrace_put_marker(e, DRMEMTRACE_UNCOMPLETED_INSTRUCTION, code_at(e, pc));
	if (!pc) {
		s->gap = true;
		return;
	}
	drmemtrace_put_marker(e, DRMEMTRACE_KERNEL_EVENT, pc);
	drmemtrace_put_marker(e, DRMEMTRACE_SIGNAL_NUMBER, event->signal.number);
	s->kernel = true;
}

static void put_sigreturn(struct export_run *e)
{
	struct drmemtrace_state *s = e->state;

	if (!s->last.exists)
		return;
	drmemtrace_put_marker(e, DRMEMTRACE_KERNEL_XFER, s->last.pc + s->last.length);
	s->kernel = true;
}

/* ---- system calls ------------------------------------------------------------------------ */

/* DynamoRIO tells a system call as a call of the function of that number. */
static void put_arguments(struct export_run *e, const struct tf_event *event)
{
	enum { N_ARGS = sizeof(event->syscall.args) / sizeof(event->syscall.args[0]) };

	drmemtrace_put_marker(e, DRMEMTRACE_FUNC_ID,
			      DRMEMTRACE_SYSCALL_FUNCTION + event->syscall.number);
	for (int i = 0; i < N_ARGS; i++)
		drmemtrace_put_marker(e, DRMEMTRACE_FUNC_ARG, event->syscall.args[i]);
}

static void put_value(struct export_run *e, const struct tf_event *event)
{
	enum { LOWEST_ERROR = -4095 };
	int64_t value = event->syscall_result.result;

	drmemtrace_put_marker(e, DRMEMTRACE_FUNC_ID,
			      DRMEMTRACE_SYSCALL_FUNCTION + event->syscall_result.number);
	drmemtrace_put_marker(e, DRMEMTRACE_FUNC_RETVAL, (uint64_t)value);
	if (value < 0 && value >= LOWEST_ERROR)
		drmemtrace_put_marker(e, DRMEMTRACE_SYSCALL_FAILED, (uint64_t)-value);
}

static void put_syscall(struct export_run *e, const struct tf_event *event)
{
	struct drmemtrace_state *s = e->state;

	if (!s->last.syscall) {
		e->lost[LOSS_SYSCALLS]++;
		return;
	}
	drmemtrace_put_time(e);
	drmemtrace_put_marker(e, DRMEMTRACE_SYSCALL, event->syscall.number);
	if (e->options->blocking && drmemtrace_may_block(event->syscall.number))
		drmemtrace_put_marker(e, DRMEMTRACE_MAYBE_BLOCKING_SYSCALL, 0);
	if (e->options->syscall_args)
		put_arguments(e, event);
	s->last.syscall = false;
	s->in_syscall = true;
}

static void put_result(struct export_run *e, const struct tf_event *event)
{
	struct drmemtrace_state *s = e->state;

	if (s->in_syscall && e->options->syscall_args)
		put_value(e, event);
	if (s->in_syscall)
		drmemtrace_put_time(e);
	else
		drmemtrace_time_passes(e);
	s->in_syscall = false;
}

void drmemtrace_put_event(struct export_run *e, const struct tf_event *event)
{
	struct drmemtrace_state *s = e->state;
	uint64_t time_ns;

	if (event_time(event, &time_ns))
		drmemtrace_clock_event(&s->clock, event);
	switch (event->kind) {
	case TF_EVENT_SYSCALL: put_syscall(e, event); break;
	case TF_EVENT_SIGNAL: put_signal(e, event); break;
	case TF_EVENT_SIGRETURN: put_sigreturn(e); break;
	case TF_EVENT_GAP:
	case TF_EVENT_EXEC: s->gap = true; break;
	case TF_EVENT_SYSCALL_RESULT: put_result(e, event); break;
	case TF_EVENT_TIME: drmemtrace_time_passes(e); break;
	case TF_EVENT_CALL:
		if (e->options->functions)
			drmemtrace_put_call(e, event);
		break;
	case TF_EVENT_RETURN:
		if (e->options->functions)
			drmemtrace_put_return(e, event);
		break;
	default: break;
	}
}
