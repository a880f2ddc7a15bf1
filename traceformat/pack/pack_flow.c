/* SPDX-License-Identifier: MIT */
#include "traceformat/pack/pack_flow.h"

#include "traceformat/codings/flow.h"
#include "traceformat/file/format.h"

enum {
	GUESS_BITS = 16,
	N_SUCCESSORS = 8,
	NUMBER_CONTEXT = 3, /* contexts 1 and 2 are the candidates' */
};

/* The successors of an exit, in the order in which they were seen first. */
struct successors {
	uint32_t count;
	uint32_t exits[N_SUCCESSORS];
};

struct flow_model {
	struct coder coder;
	uint32_t history2, history4, history8; /* hashes of the last 2, 4 and 8 exits */
	uint32_t last;                         /* exit */
	uint32_t escaped;                      /* the last exit that was no candidate */
	struct successors *successors;         /* of each exit */
	uint32_t guesses2[1 << GUESS_BITS];    /* exit + 1; 0: none */
	uint32_t guesses4[1 << GUESS_BITS];
};

static void model_free(struct flow_model *m)
{
	if (!m)
		return;
	coder_free(&m->coder);
	free(m->successors);
	free(m);
}

static struct flow_model *model_new(uint32_t n_exits, unsigned cell_bits)
{
	struct flow_model *m = calloc(1, sizeof(*m));

	if (!m)
		return NULL;
	m->successors = calloc((size_t)n_exits + 1, sizeof(*m->successors));
	if (m->successors && coder_begin(&m->coder, cell_bits))
		return m;
	model_free(m);
	return NULL;
}

/* Codes whether the candidate is the exit. */
FORCE_INLINE bool code_candidate(struct flow_model *m, enum direction to, uint32_t candidate,
				 uint32_t exit)
{
	uint32_t *far = coder_cell(&m->coder, m->history8, candidate << 2 | 1);
	uint32_t *near = coder_cell(&m->coder, m->history2, candidate << 2 | 2);

	return coder_bit_of_two(&m->coder, to, far, near, candidate == exit);
}

/* Codes an exit that was no candidate, by its distance from the last such exit. */
FORCE_INLINE uint32_t code_escape(struct flow_model *m, enum direction to, uint32_t exit)
{
	uint64_t distance = zigzag((int64_t)exit - (int64_t)m->escaped);

	distance = coder_number(&m->coder, to, 0, NUMBER_CONTEXT, 0, bytes_of_number(distance),
				distance);
	return m->escaped += (uint32_t)unzigzag(distance);
}

static void learn_successor(struct successors *s, uint32_t exit)
{
	for (uint32_t i = 0; i < s->count; i++)
		if (s->exits[i] == exit)
			return;
	s->exits[s->count < N_SUCCESSORS ? s->count++ : N_SUCCESSORS - 1] = exit;
}

static inline uint32_t next_history(uint32_t history, uint32_t exit, unsigned shift)
{
	return (history + exit + 1) * (0x9e3779b1u << shift);
}

/*
 * Codes the next exit and returns it; the result may be too large. `exit` is ignored in unpacking.
 */
FORCE_INLINE uint32_t code_exit(struct flow_model *m, enum direction to, uint32_t exit,
				uint32_t n_exits)
{
	uint32_t *guess4 = &m->guesses4[m->history4 >> (32 - GUESS_BITS)];
	uint32_t *guess2 = &m->guesses2[m->history2 >> (32 - GUESS_BITS)];
	struct successors *s = &m->successors[m->last];
	uint32_t first = *guess4 - 1, second = *guess2 - 1;
	bool found = false;
	uint32_t candidate = first;

	if (*guess4)
		found = code_candidate(m, to, candidate, exit);
	if (!found && *guess2 && *guess2 != *guess4)
		found = code_candidate(m, to, candidate = second, exit);
	for (uint32_t i = 0; !found && i < s->count; i++) {
		candidate = s->exits[i];
		if ((!*guess4 || candidate != first) && (!*guess2 || candidate != second))
			found = code_candidate(m, to, candidate, exit);
	}
	if (!found) {
		candidate = code_escape(m, to, exit);
		if (candidate >= n_exits)
			return UINT32_MAX;
	}
	exit = candidate;
	learn_successor(s, exit);
	*guess4 = *guess2 = exit + 1;
	m->history2 = next_history(m->history2, exit, 16);
	m->history4 = next_history(m->history4, exit, 8);
	m->history8 = next_history(m->history8, exit, 4);
	m->last = exit;
	return exit;
}

int flow_pack(struct span runs, struct span residuals, uint64_t count, uint32_t n_exits,
	      struct buffer *packed)
{
	unsigned cell_bits = coder_cell_bits(count);
	struct flow_model *m = model_new(n_exits, cell_bits);
	struct flow_guess *table = malloc(FLOW_TABLE_SIZE * sizeof(*table));
	struct flow_decoder flow = { .table = table };
	int status = m && table ? 0 : TF_E_MEMORY;

	if (status == 0)
		flow_decode_begin(&flow, runs, residuals, n_exits);
	for (uint64_t i = 0; status == 0 && i < count; i++) {
		uint32_t exit = flow_decode(&flow);

		status = exit < n_exits ? 0 : TF_E_DAMAGED;
		if (status == 0)
			code_exit(m, PACK, exit, n_exits);
	}
	if (status == 0) {
		coder_write_end(&m->coder);
		put_u8(packed, (uint8_t)cell_bits);
		put_bytes(packed, m->coder.out.data, m->coder.out.size);
		status = m->coder.out.failed || packed->failed ? TF_E_MEMORY : 0;
	}
	free(table);
	model_free(m);
	return status;
}

int flow_unpack(struct span packed, uint64_t count, uint32_t n_exits, struct buffer *runs,
		struct buffer *residuals)
{
	uint64_t limit = span_left(&packed) * DECISIONS_PER_BYTE;
	unsigned cell_bits = take_u8(&packed);
	struct flow_encoder *e;
	struct flow_model *m;
	int status = 0;

	if (count > limit || cell_bits < MIN_CELL_BITS || cell_bits > MAX_CELL_BITS)
		return TF_E_DAMAGED;
	m = model_new(n_exits, cell_bits);
	e = calloc(1, sizeof(*e));
	if (!m || !e) {
		status = TF_E_MEMORY;
	} else {
		e->runs = *runs;
		e->residuals = *residuals;
		coder_read(&m->coder, packed);
	}
	for (uint64_t i = 0; status == 0 && i < count; i++) {
		uint32_t exit = code_exit(m, UNPACK, 0, n_exits);

		if (exit >= n_exits || m->coder.in.bad ||
		    e->runs.size + e->residuals.size > MAX_CHUNK_SIZE)
			status = TF_E_DAMAGED;
		else
			flow_encode(e, exit);
	}
	if (status == 0) {
		flow_encode_end(e);
		status = !coder_used_up(&m->coder)               ? TF_E_DAMAGED
			 : e->runs.failed || e->residuals.failed ? TF_E_MEMORY
								 : 0;
	}
	if (m && e) {
		*runs = e->runs;
		*residuals = e->residuals;
	}
	free(e);
	model_free(m);
	return status;
}
