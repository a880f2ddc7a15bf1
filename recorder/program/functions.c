/* SPDX-License-Identifier: MIT */
#include "recorder/program/functions.h"

#include <elf.h>
#include <stdlib.h>
#include <string.h>

#include "recorder/core/output.h"
#include "recorder/core/task.h"
#include "traceformat/common/array.h"

struct functions {
	size_t count;
	uint32_t *indexes; /* indices in the trace, in the order of options->functions */
	bool *found;
	/* true for the beginnings of all names that are looked for, see beginning() */
	bool begins[UINT8_MAX + 1];
};

/* A call that has not returned. */
struct call {
	uint32_t function;
	uint64_t return_pc;
	uint64_t return_rsp; /* rsp after the return */
};

/*
 * The calls of a task, the latest last. A call that is left by longjmp never returns: it is
 * dropped when an outer one returns, when another call uses its place on the stack, or when there
 * are too many.
 */
enum { MAX_CALLS = 256 };

struct calls {
	unsigned count;
	struct call calls[MAX_CALLS];
	bool entering; /* .entered has begun, but its first instruction has not executed */
	struct call entered;
	uint64_t args[TF_MAX_CALL_ARGS];
};

/* clang-format off */
static const struct record_function defaults[] = {
	{ "malloc", 1, false }, { "calloc", 2, false }, { "realloc", 2, false },
	{ "free", 1, false }, { "memalign", 2, false }, { "posix_memalign", 3, false },
	{ "aligned_alloc", 2, false },
	/* operator new and new[]: plain, nothrow, aligned, aligned nothrow */
	{ "_Znwm", 1, false }, { "_ZnwmRKSt9nothrow_t", 2, false },
	{ "_ZnwmSt11align_val_t", 2, false }, { "_ZnwmSt11align_val_tRKSt9nothrow_t", 3, false },
	{ "_Znam", 1, false }, { "_ZnamRKSt9nothrow_t", 2, false },
	{ "_ZnamSt11align_val_t", 2, false }, { "_ZnamSt11align_val_tRKSt9nothrow_t", 3, false },
	/* operator delete and delete[]: plain, sized, nothrow, aligned, sized aligned, ... */
	{ "_ZdlPv", 1, false }, { "_ZdlPvm", 2, false }, { "_ZdlPvRKSt9nothrow_t", 2, false },
	{ "_ZdlPvSt11align_val_t", 2, false }, { "_ZdlPvmSt11align_val_t", 3, false },
	{ "_ZdlPvSt11align_val_tRKSt9nothrow_t", 3, false }, { "_ZdaPv", 1, false },
	{ "_ZdaPvm", 2, false }, { "_ZdaPvRKSt9nothrow_t", 2, false },
	{ "_ZdaPvSt11align_val_t", 2, false }, { "_ZdaPvmSt11align_val_t", 3, false },
	{ "_ZdaPvSt11align_val_tRKSt9nothrow_t", 3, false },
};
/* clang-format on */

const struct record_function *functions_default(size_t *count)
{
	*count = sizeof(defaults) / sizeof(*defaults);
	return defaults;
}

/* Returns a number for the first four characters of a name, which tells most names apart. */
static uint8_t beginning(const char *name)
{
	unsigned hash = 0;

	for (unsigned i = 0; i < 4 && name[i]; i++)
		hash = hash * 31 + (uint8_t)name[i];
	return (uint8_t)hash;
}

static void look_for(struct functions *f, const char *name)
{
	if (name)
		f->begins[beginning(name)] = true;
}

int functions_new(struct session *s)
{
	const struct record_options *o = s->options;
	struct functions *f = calloc(1, sizeof(*f));

	s->code.functions = f;
	if (!f)
		return output_memory(s->output);
	f->count = o->n_functions;
	f->indexes = calloc(f->count + 1, sizeof(*f->indexes));
	f->found = calloc(f->count + 1, sizeof(*f->found));
	if (!f->indexes || !f->found)
		return output_memory(s->output);
	look_for(f, o->from);
	look_for(f, o->to);
	for (size_t i = 0; i < f->count; i++) {
		struct tf_function function = { .n_args = o->functions[i].n_args,
						.name = o->functions[i].name };

		look_for(f, function.name);
		if (output_add_function(s->output, &function, &f->indexes[i]) < 0)
			return -1;
	}
	return 0;
}

void functions_free(struct functions *f)
{
	if (!f)
		return;
	free(f->indexes);
	free(f->found);
	free(f);
}

/* ---- watches ---- */

static int by_value(const void *a, const void *b)
{
	const struct watch *x = a, *y = b;

	return x->value < y->value ? -1 : x->value > y->value;
}

struct watch watch_at(const struct module *m, uint64_t module_offset)
{
	struct watch key = { .value = module_offset, .function = TF_NONE }, *found = NULL;

	if (m && m->n_watches)
		found = bsearch(&key, m->watches, m->n_watches, sizeof(key), by_value);
	return found ? *found : key;
}

/* Returns the meaning of a symbol's address. */
static struct watch meaning(struct session *s, const struct tf_symbol *symbol)
{
	const struct record_options *o = s->options;
	struct watch w = { .value = symbol->value, .function = TF_NONE };

	if (symbol->kind != STT_FUNC && symbol->kind != STT_NOTYPE)
		return w;
	if (!s->code.functions->begins[beginning(symbol->name)])
		return w;
	for (size_t i = 0; i < s->code.functions->count; i++)
		if (strcmp(o->functions[i].name, symbol->name) == 0) {
			w.function = s->code.functions->indexes[i];
			s->code.functions->found[i] = true;
		}
	w.from = o->from && strcmp(o->from, symbol->name) == 0;
	w.to = o->to && strcmp(o->to, symbol->name) == 0;
	w.any = w.function != TF_NONE || w.from || w.to;
	return w;
}

/* Merges watches with the same address: a function may have several names. */
static void merge(struct module *m)
{
	unsigned n = 0;

	qsort(m->watches, m->n_watches, sizeof(*m->watches), by_value);
	for (size_t i = 0; i < m->n_watches; i++) {
		struct watch *last = n ? &m->watches[n - 1] : NULL, *w = &m->watches[i];

		if (!last || last->value != w->value) {
			m->watches[n++] = *w;
			continue;
		}
		if (w->function < last->function)
			last->function = w->function;
		last->from |= w->from;
		last->to |= w->to;
	}
	m->n_watches = n;
}

int watch_add(struct session *s, struct module *m, const struct watch *w)
{
	if (!array_reserve(&m->watches, &m->watch_capacity, m->n_watches + 1, sizeof(*m->watches)))
		return output_memory(s->output);
	m->watches[m->n_watches++] = *w;
	s->code.from_found |= w->from;
	s->code.to_found |= w->to;
	return 0;
}

int functions_resolve(struct session *s, struct module *m, const struct tf_symbol *symbols,
		      size_t count)
{
	for (size_t i = 0; i < count; i++) {
		struct watch w = meaning(s, &symbols[i]);

		if (w.any && watch_add(s, m, &w) < 0)
			return -1;
	}
	if (m->n_watches)
		merge(m);
	return 0;
}

void functions_warn_missing(struct session *s)
{
	const struct record_options *o = s->options;

	for (size_t i = 0; s->code.functions && i < s->code.functions->count; i++)
		if (o->functions[i].wanted && !s->code.functions->found[i])
			session_warn(s,
				     "no module has a function %s (or it is an ifunc, chosen "
				     "when the program starts)",
				     o->functions[i].name);
}

/* ---- calls ---- */

void calls_free(struct task *t)
{
	free(t->calls);
	t->calls = NULL;
}

void functions_enter(struct task *t, uint32_t function)
{
	const struct user_regs_struct *r = &t->regs;
	struct calls *c;
	uint64_t return_pc;

	if (!t->calls)
		t->calls = calloc(1, sizeof(*t->calls));
	c = t->calls;
	if (!c || task_read(t, r->rsp, &return_pc, sizeof(return_pc)) < sizeof(return_pc))
		return;
	c->entering = true;
	c->entered = (struct call){ function, return_pc, r->rsp + sizeof(return_pc) };
	memcpy(c->args, (uint64_t[]){ r->rdi, r->rsi, r->rdx, r->rcx, r->r8, r->r9 },
	       sizeof(c->args));
}

/* Adds a call. Its place on the stack shows which earlier calls cannot return any more. */
static void push(struct calls *c, const struct call *call)
{
	while (c->count) {
		const struct call *last = &c->calls[c->count - 1];
		bool tail_call = last->return_rsp == call->return_rsp &&
				 last->return_pc == call->return_pc &&
				 last->function != call->function;

		if (last->return_rsp != call->return_rsp || tail_call)
			break;
		c->count--;
	}
	if (c->count == MAX_CALLS)
		memmove(&c->calls[0], &c->calls[1], --c->count * sizeof(*call));
	c->calls[c->count++] = *call;
}

unsigned functions_args(const struct session *s, uint32_t function)
{
	for (size_t i = 0; i < s->code.functions->count; i++)
		if (s->code.functions->indexes[i] == function)
			return s->options->functions[i].n_args;
	return 0;
}

static int write_call(struct task *t, const struct call *call, const uint64_t *args)
{
	struct tf_event event = { .kind = TF_EVENT_CALL };

	push(t->calls, call);
	event.call.function = call->function;
	event.call.n_args = functions_args(t->session, call->function);
	memcpy(event.call.args, args, event.call.n_args * sizeof(*args));
	return output_event(t->session->output, t, &event);
}

int functions_called(struct task *t)
{
	struct calls *c = t->calls;

	if (!c || !c->entering)
		return 0;
	c->entering = false;
	return write_call(t, &c->entered, c->args);
}

int functions_call(struct task *t, uint32_t function, uint64_t return_pc, uint64_t rsp,
		   const uint64_t *args)
{
	if (!t->calls)
		t->calls = calloc(1, sizeof(*t->calls));
	if (!t->calls)
		return 0;
	return write_call(t, &(struct call){ function, return_pc, rsp + sizeof(return_pc) }, args);
}

unsigned functions_pending(const struct task *t)
{
	return t->calls ? t->calls->count : 0;
}

uint64_t functions_return_pc(const struct task *t, unsigned i)
{
	return t->calls->calls[i].return_pc;
}

int functions_returned(struct task *t)
{
	if (t->calls)
		t->calls->entering = false;
	return functions_return(t, t->regs.rip, t->regs.rsp, t->regs.rax);
}

int functions_return(struct task *t, uint64_t pc, uint64_t rsp, uint64_t result)
{
	struct calls *c = t->calls;
	struct tf_event event = { .kind = TF_EVENT_RETURN };
	unsigned first = 0;

	if (!c)
		return 0;
	while (first < c->count &&
	       (c->calls[first].return_pc != pc || c->calls[first].return_rsp != rsp))
		first++;
	/* Later calls that have not returned never will; tail calls return with it. */
	while (c->count > first) {
		const struct call *call = &c->calls[--c->count];

		if (call->return_pc != pc || call->return_rsp != rsp)
			continue;
		event.ret.function = call->function;
		event.ret.result = result;
		if (output_event(t->session->output, t, &event) < 0)
			return -1;
	}
	return 0;
}
