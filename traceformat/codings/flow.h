/* SPDX-License-Identifier: MIT */
/*
 * The control-flow coding (FORMAT.md 5.2): a table, indexed by a hash of the last few exits,
 * guesses the next exit. The columns have the lengths of runs of right guesses, and the exits in
 * between.
 *
 *	runs    [n hits][n hits] ...      varints; a run ends at a miss or at the chunk's end
 *	misses  [exit][exit] ...          varints
 */
#ifndef FLOW_H
#define FLOW_H

#include "traceformat/common/bytes.h"

enum { FLOW_TABLE_SIZE = 1 << 16 };

struct flow_predictor {
	uint32_t history;
	uint32_t table[FLOW_TABLE_SIZE]; /* exit + 1; 0: no guess */
};

static inline void flow_reset(struct flow_predictor *p)
{
	memset(p, 0, sizeof(*p));
}

static inline uint32_t flow_guess(const struct flow_predictor *p)
{
	return p->table[p->history];
}

/* Returns the history after one more exit. */
static inline uint32_t flow_history(uint32_t history, uint32_t exit)
{
	return (history << 5 ^ exit * 0x9e3779b1u >> 16) % FLOW_TABLE_SIZE;
}

static inline void flow_learn(struct flow_predictor *p, uint32_t exit)
{
	p->table[p->history] = exit + 1;
	p->history = flow_history(p->history, exit);
}

struct flow_encoder {
	struct flow_predictor predictor;
	uint64_t run;
	struct buffer runs, residuals;
};

static inline void flow_encode(struct flow_encoder *e, uint32_t exit)
{
	if (flow_guess(&e->predictor) == exit + 1) {
		e->run++;
	} else {
		put_varint(&e->runs, e->run);
		put_varint(&e->residuals, exit);
		e->run = 0;
	}
	flow_learn(&e->predictor, exit);
}

/* Ends the last run; the columns are complete. */
static inline void flow_encode_end(struct flow_encoder *e)
{
	if (e->run)
		put_varint(&e->runs, e->run);
	e->run = 0;
}

/*
 * A guess, and the history after it. Each guess depends on the one before, so the lookup should be
 * short.
 */
struct flow_guess {
	uint32_t exit; /* + 1; 0: none */
	uint32_t history;
};

struct flow_decoder {
	struct flow_guess *table; /* FLOW_TABLE_SIZE */
	uint32_t history;
	uint32_t n_exits; /* exit ids are below this */
	uint64_t run;     /* hits left */
	bool fresh;       /* no run read yet since the last miss */
	bool clean;       /* the table is all 0 */
	struct span runs, residuals;
};

static inline void flow_decode_begin(struct flow_decoder *d, struct span runs,
				     struct span residuals, uint32_t n_exits)
{
	if (!d->clean)
		memset(d->table, 0, FLOW_TABLE_SIZE * sizeof(*d->table));
	d->clean = false;
	d->history = 0;
	d->run = 0;
	d->fresh = true;
	d->n_exits = n_exits;
	d->runs = runs;
	d->residuals = residuals;
}

/* Returns the next exit id, or UINT32_MAX if the columns are used up or damaged. */
FORCE_INLINE uint32_t flow_decode(struct flow_decoder *d)
{
	struct flow_guess *guess = &d->table[d->history];
	uint32_t exit;

	if (d->run == 0 && d->fresh) {
		d->run = take_varint(&d->runs);
		d->fresh = false;
	}
	if (d->run) {
		d->run--;
		exit = guess->exit - 1;
		d->history = guess->history;
	} else {
		uint64_t miss = take_varint(&d->residuals);

		exit = d->runs.bad || d->residuals.bad || miss >= d->n_exits ? UINT32_MAX
									     : (uint32_t)miss;
		d->history = flow_history(d->history, exit);
		*guess = (struct flow_guess){ exit + 1, d->history };
		d->fresh = true;
	}
	return exit;
}

#endif
