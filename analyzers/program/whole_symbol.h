/* SPDX-License-Identifier: MIT */
/* Functions of which compilers make several symbols. */
#ifndef WHOLE_SYMBOL_H
#define WHOLE_SYMBOL_H

#include "traceformat/traceformat.h"

/*
 * Returns the symbol of the function that a symbol of a module is a part of: that of f for gcc's
 * f.cold, if the module has it, else the symbol. NULL gives NULL.
 */
const struct tf_symbol *whole_symbol(const struct tf_reader *reader, uint32_t module,
				     const struct tf_symbol *symbol);

#endif
