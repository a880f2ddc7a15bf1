/* SPDX-License-Identifier: MIT */
/*
 * The code of functions, for finding a function again in another version of the program: a hash,
 * which is the same if the function is, and a sketch, by which the similarity of two functions is
 * estimated.
 *
 * A function's instructions are those that were recorded, by address, without nops. The sketch has
 * the smallest hashes of their shingles, three mnemonics in a row; of a shingle that occurs several
 * times each occurrence is another one. The share of hashes that are in both of two sketches, among
 * the smallest ones of both together, estimates Jaccard's similarity of the sets of shingles
 * (A. Broder, "On the resemblance and containment of documents", 1997); it is exact for functions
 * of at most CALL_SKETCH shingles.
 */
#ifndef CALLS_CODE_H
#define CALLS_CODE_H

#include "analyzers/calls/paths.h"
#include "cli/common/tracereport.h"

enum { CALL_SKETCH = 64, CALL_SHINGLE = 3 };

/*
 * Adds the table "code", which only JSON and CSV have: a row for each of `count` functions. The
 * sketch is text: eight hexadecimal digits for each hash, ascending. Ends the process if memory is
 * out.
 */
void call_code_report(const struct call_paths *paths, const uint32_t *functions, size_t count,
		      struct report *report);

#endif
