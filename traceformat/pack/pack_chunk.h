/* SPDX-License-Identifier: MIT */
/*
 * Modelled columns of a chunk (FORMAT.md 5.6 to 5.8): made of the recorded ones, and unpacked into
 * them, so that the rest of the reader knows one form alone.
 */
#ifndef PACK_CHUNK_H
#define PACK_CHUNK_H

#include "traceformat/reader/chunk.h"

/*
 * Unpacks what of `parts` is modelled in a chunk just read into the recorded form. The dictionary
 * must be loaded, the chunk's exits in it. Errors: MEMORY, DAMAGED.
 */
int chunk_unpack(struct tf_reader *reader, unsigned parts, struct chunk *chunk,
		 struct tf_error *error);

/*
 * Makes the modelled form of a chunk's flow and slots, which must be in the recorded form, in
 * packed->flow, slot_models and slots. Each is made sure to unpack to the same bytes, and else left
 * empty. Returns 0 or TF_E_MEMORY.
 */
int chunk_pack(struct tf_reader *reader, const struct chunk *chunk, struct chunk *packed);

#endif
