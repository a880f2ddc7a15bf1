/* SPDX-License-Identifier: MIT */
#include "recorder/ptrace/control_words.h"

#include <sys/ptrace.h>

#include "recorder/core/output.h"
#include "recorder/core/region.h"

static int write_one(struct task *t, enum tf_control_word which, uint32_t value)
{
	struct tf_event event = { .kind = TF_EVENT_CONTROL_WORD };

	event.control_word.which = which;
	event.control_word.value = value;
	return output_event(t->session->output, t, &event);
}

int control_words_write(struct task *t, unsigned which, uint16_t x87, uint32_t mxcsr)
{
	if (!region_recording(t->session))
		return 0;
	if (which & ISA_X87_CONTROL && write_one(t, TF_X87_CONTROL_WORD, x87) < 0)
		return -1;
	return which & ISA_MXCSR ? write_one(t, TF_MXCSR, mxcsr) : 0;
}

int control_words_read(struct task *t, unsigned which)
{
	struct user_fpregs_struct fp;

	if (!which || ptrace(PTRACE_GETFPREGS, t->tid, NULL, &fp) < 0)
		return 0;
	return control_words_write(t, which, fp.cwd, fp.mxcsr);
}

int control_words_tell(struct task *t)
{
	t->trace.lacks_words = false;
	return control_words_read(t, ISA_X87_CONTROL | ISA_MXCSR);
}
