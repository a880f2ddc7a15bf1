/* SPDX-License-Identifier: MIT */
/* Code without its constants. */
#ifndef CODE_H
#define CODE_H

#include "cli/anonymise/dictionary.h"

/*
 * Writes the code of a block to `code`, with zeros in place of displacements and immediates, unless
 * that would change what decoders know about an instruction. Returns 0, or TF_E_ARGUMENT for an
 * instruction that must stay as it is, unless the dictionary keeps such code.
 */
int code_strip(struct dictionary *d, const struct tf_block *block, uint8_t *code,
	       struct tf_error *error);

#endif
