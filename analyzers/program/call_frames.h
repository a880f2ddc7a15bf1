/* SPDX-License-Identifier: MIT */
/*
 * The call stack of a thread, followed by the addresses at which calls have put their return
 * addresses: their slots. A return belongs to the call of its slot, which holds without frame
 * pointers or debug information, and through tail calls. A call whose slot is above that of another
 * call shows that the other one is over: longjmp or an exception has left it. Where a trace has no
 * addresses, return addresses identify calls; a return then belongs to the latest such call.
 */
#ifndef CALL_FRAMES_H
#define CALL_FRAMES_H

#include <stdint.h>

#include "traceformat/traceformat.h"
#include "traceformat/common/array.h"

enum call_frame_kind { FRAME_BOTTOM, FRAME_CALL, FRAME_SIGNAL };

struct call_frame {
	uint8_t kind;  /* enum call_frame_kind */
	uint64_t slot; /* FRAME_CALL: where its return address is, or its return address */
};

/* The innermost frame is the last one. A zeroed stack is empty. */
struct call_frames {
	bool by_return_address; /* slots are return addresses */
	ARRAY(struct call_frame);
};

/* Pushes a frame. Ends the process if memory is out. */
void call_frames_push(struct call_frames *frames, enum call_frame_kind kind, uint64_t slot);

/* Returns the number of frames that are still live when a call uses the slot. */
size_t call_frames_at_call(const struct call_frames *frames, uint64_t slot);

/*
 * Returns true if the innermost frame is live after calls that use slots from `least` to `most`,
 * whichever these are.
 */
bool call_frames_outlive(const struct call_frames *frames, uint64_t least, uint64_t most);

/*
 * Returns the number of frames after a return through the slot, or frames->count if no known call
 * used the slot: such a return is a jump.
 */
size_t call_frames_after_return(const struct call_frames *frames, uint64_t slot);

/* Returns the number of frames after the return from the innermost signal handler. */
size_t call_frames_after_sigreturn(const struct call_frames *frames);

/* The effect of a block's last instruction on the call stack. */
enum call_effect { CALL_EFFECT_NONE, CALL_EFFECT_CALL, CALL_EFFECT_RETURN };

/*
 * Returns the effect of a block's last instruction, and sets *slot to the number of the value of an
 * execution that is the address of the return address; to TF_NONE if there is no such value.
 */
enum call_effect call_effect_of(const struct tf_block *block, uint32_t *slot);

#endif
