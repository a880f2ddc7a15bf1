/* SPDX-License-Identifier: MIT */
/*
 * Modeled columns of a chunk (FORMAT.md 5.6 to 5.8). They are made from the recorded columns and
 * unpacked into them, so that the rest of the reader knows only one form.
 */
#ifndef PACK_CHUNK_H
#define PACK_CHUNK_H

#include "traceformat/reader/chunk.h"

/*
 * Unpacks those of `parts` that are modeled in a chunk just read into the recorded form. The
 * dictionary must be loaded and have the chunk's exits. Errors: MEMORY, DAMAGED.
 */
int chunk_unpack(struct tf_reader *reader, unsigned parts, struct chunk *chunk,
		 struct tf_error *error);

/*
 * Makes the modeled form of a chunk's flow and slots, which must be in the recorded form, in
 * packed->flow, slot_models and slots. A column that does not unpack to the same bytes is left
 * empty. Returns 0 or TF_E_MEMORY.
 */
int chunk_pack(struct tf_reader *reader, const struct chunk *chunk, struct chunk *packed);

#endif
