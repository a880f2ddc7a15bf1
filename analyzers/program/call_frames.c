/* SPDX-License-Identifier: MIT */
#include "analyzers/program/call_frames.h"

#include "cli/common/checked.h"

enum { STACK_NEAR = 8 << 20 }; /* bytes; slots that are farther apart are on different stacks */

void call_frames_push(struct call_frames *frames, enum call_frame_kind kind, uint64_t slot)
{
	CHECKED_RESERVE(*frames, frames->count + 1);
	frames->at[frames->count++] = (struct call_frame){ kind, slot };
}

/* Returns true if a frame is over when something is pushed to `slot`, or popped from above it. */
static bool is_dead(const struct call_frame *frame, uint64_t slot)
{
	return frame->kind == FRAME_CALL && frame->slot <= slot && slot - frame->slot < STACK_NEAR;
}

size_t call_frames_at_call(const struct call_frames *frames, uint64_t slot)
{
	size_t count = frames->count;

	while (!frames->by_return_address && count && is_dead(&frames->at[count - 1], slot))
		count--;
	return count;
}

bool call_frames_outlive(const struct call_frames *frames, uint64_t least, uint64_t most)
{
	const struct call_frame *innermost = &frames->at[frames->count - 1];

	return innermost->kind != FRAME_CALL || innermost->slot > most ||
	       (innermost->slot <= least && least - innermost->slot >= STACK_NEAR);
}

size_t call_frames_after_return(const struct call_frames *frames, uint64_t slot)
{
	size_t count = frames->count;

	while (count &&
	       !(frames->at[count - 1].kind == FRAME_CALL && frames->at[count - 1].slot == slot))
		count--;
	return count ? count - 1 : frames->count;
}

size_t call_frames_after_sigreturn(const struct call_frames *frames)
{
	size_t count = frames->count;

	while (count && frames->at[count - 1].kind != FRAME_SIGNAL)
		count--;
	return count ? count - 1 : frames->count;
}

enum call_effect call_effect_of(const struct tf_block *block, uint32_t *slot)
{
	bool calls = block->end == TF_END_CALL || block->end == TF_END_INDIRECT_CALL;
	enum tf_access access = calls ? TF_STORE : TF_LOAD;

	*slot = TF_NONE;
	if (!calls && block->end != TF_END_RETURN)
		return CALL_EFFECT_NONE;
	for (unsigned i = block->n_operands; *slot == TF_NONE && i-- > 0;) {
		const struct tf_operand *operand = &block->operands[i];

		if (operand->insn + 1u == block->n_insns && operand->access & access &&
		    operand->form == TF_PLAIN)
			*slot = i;
	}
	return calls ? CALL_EFFECT_CALL : CALL_EFFECT_RETURN;
}
