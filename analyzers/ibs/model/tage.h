/* SPDX-License-Identifier: MIT */
/*
 * Directions of conditional branches from tables of longer and longer histories, after A. Seznec,
 * P. Michaud, "A case for (partially) TAgged GEometric history length branch prediction", JILP 8,
 * 2006: four of them, and one without history. Allocation takes the first entry that is of no use,
 * not a random one; there is no second choice for entries that are new.
 */
#ifndef IBS_TAGE_H
#define IBS_TAGE_H

#include <stdbool.h>
#include <stdint.h>

enum { TAGE_TABLES = 4, TAGE_HISTORY = 256 };

struct tage {
	uint32_t counter_bits, tagged_bits; /* log2 of entries */
	uint8_t *counters;                  /* 0 to 3 */
	struct tage_table {
		struct tage_entry {
			uint8_t tag, counter, useful; /* the counter 0 to 7, taken from 4 on */
		} * entries;
		struct tage_fold {
			uint32_t folded, bits;
			uint32_t oldest; /* where the oldest outcome is folded to */
		} index, tags[2];        /* its history */
	} tables[TAGE_TABLES];
	uint8_t outcomes[TAGE_HISTORY]; /* a ring */
	uint32_t newest;
	uint32_t branches; /* since usefulness was halved */
};

/* Initializes the predictor. Ends the process if memory is out. */
void tage_init(struct tage *tage, uint32_t counter_bits, uint32_t tagged_bits);
void tage_free(struct tage *tage);

/* Predicts a branch, then learns its outcome. Returns true if the prediction was right. */
bool tage_step(struct tage *tage, uint64_t pc, bool taken);

#endif
