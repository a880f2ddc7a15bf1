/* SPDX-License-Identifier: MIT */
/* Compares the records of the cache with the native run. */
#include <check.h>
#include <stdio.h>
#include <string.h>

#include "tests/unit/recorder/translated/box.h"

static uint64_t evaluate(const struct tf_recipe *r, const uint64_t *slots, unsigned n_slots,
			 uint64_t rsp, const struct user_regs_struct *native)
{
	uint64_t v = (uint64_t)r->displacement;

	if (r->base == TF_BASE_SLOT) {
		ck_assert_uint_lt(r->slot, n_slots);
		v += slots[r->slot];
	} else if (r->base == TF_BASE_RSP) {
		v += rsp;
	}
	if (r->scale || r->bit_string)
		ck_assert_uint_lt(r->index_slot, n_slots);
	if (r->scale)
		v += slots[r->index_slot] * r->scale;
	if (r->bit_string)
		v += (uint64_t)((int64_t)slots[r->index_slot] / r->bit_string -
				((int64_t)slots[r->index_slot] % r->bit_string < 0)) *
		     (r->bit_string / 8);
	v = r->address32 ? (uint32_t)v : v;
	return v + (r->segment == TF_SEGMENT_FS   ? native->fs_base
		    : r->segment == TF_SEGMENT_GS ? native->gs_base
						  : 0);
}

static void true_values(unsigned executed, const struct isa_insn *fact, uint64_t *values)
{
	const struct user_regs_struct *before = &box.native[box.before[executed]].regs;
	/* The last instruction may be a string instruction that is to continue. */
	unsigned end = box.end[executed] < box.at ? box.end[executed] : box.at;
	const struct user_regs_struct *after = &box.native[end].regs;
	struct isa_registers r = { .rip = before->rip };

	if (box.native[box.before[executed]].wide)
		r = *box.native[box.before[executed]].wide;
	general_registers(before, r.general);
	r.fs_base = before->fs_base;
	r.gs_base = before->gs_base;
	isa_values(fact, &r, values);
	if (fact->flags & TF_INSN_REP) {
		uint64_t *extras = values + fact->n_operands;

		extras[1] = before->rcx - after->rcx;
		if (fact->address32)
			extras[1] = (uint32_t)extras[1];
		extras[2] = (after->eflags & 0x40 ? TF_REP_ZF : 0u) |
			    (after->eflags & 0x400 ? TF_REP_DOWN : 0u);
	}
}

void check_values(const struct translation *t, unsigned n, const uint64_t *slots, unsigned n_slots)
{
	uint64_t rsp = box.native[box.before[box.recorded]].regs.rsp;
	const struct tf_recipe *recipes = t->recipes;
	unsigned done = 0;

	for (unsigned k = 0; k < t->n_blocks && done < n; k++) {
		const struct code_block *b = t->blocks[k];

		for (unsigned i = 0; i < b->trace.n_insns && done < n; i++, done++) {
			const struct isa_insn *fact = b->facts[i];
			uint64_t values[ISA_MAX_VALUES];
			uint64_t pc = b->trace.pc + b->trace.insns[i].offset;
			unsigned in_superblock = box.recorded + done;

			ck_assert_uint_eq(box.native[box.before[in_superblock]].regs.rip, pc);
			true_values(in_superblock, fact, values);
			for (unsigned v = 0; v < fact->n_values; v++) {
				bool extra = v >= fact->n_operands;
				unsigned at = extra ? b->extras[i] + v - fact->n_operands
						    : b->trace.insns[i].first_operand + v;
				uint64_t told =
					evaluate(&recipes[at], slots, n_slots, rsp,
						 &box.native[box.before[in_superblock]].regs);

				ck_assert_msg(extra || recipes[at].base != TF_BASE_UNKNOWN ||
						      box.options.no_addresses,
					      "address not recorded");
				if (recipes[at].base == TF_BASE_UNKNOWN)
					continue;
				if (fact->flags & TF_INSN_REP && v == fact->n_operands + 2u)
					told &= TF_REP_ZF | TF_REP_DOWN;
				ck_assert_msg(told == values[v], "value %u of %#lx: %#lx, not %#lx",
					      v, pc, told, values[v]);
				count.values++;
			}
		}
		recipes += b->trace.n_values;
	}
}

static const struct boundary *boundary_now(void)
{
	return box.recorded ? &box.native[box.end[box.recorded - 1]] : &box.native[0];
}

/* Checks a system call's record, which follows that of the superblock that it ends. */
static size_t check_syscall(const uint64_t *slots)
{
	const struct boundary *before = &box.native[box.before[box.recorded - 1]];
	const struct user_regs_struct *r = &before->regs;
	const uint64_t expected[] = { r->rax, r->rdi, r->rsi, r->rdx,
				      r->r10, r->r8,  r->r9,  boundary_now()->regs.rax };

	ck_assert_mem_eq(slots, expected, sizeof(expected));
	ck_assert_uint_lt(slots[SYSCALL_ENTERED], slots[SYSCALL_LEFT]);
	count.syscalls++;
	return record_slot(RECORD_SYSCALL_SLOTS);
}

static size_t check_event(const uint64_t *record)
{
	static const uint8_t args[] = { ISA_RDI, ISA_RSI, ISA_RDX, ISA_RCX, 8, 9 };
	const struct boundary *b = boundary_now();
	uint64_t registers[16];
	unsigned n_args = code_args(b->regs.rip);

	if ((uint32_t)record[0] == RECORD_SYSCALL)
		return check_syscall(record + 1);
	general_registers(&b->regs, registers);
	ck_assert_uint_eq(record[1], b->regs.rsp);
	if ((uint32_t)record[0] == RECORD_RETURN) {
		ck_assert_uint_eq(record[2], b->regs.rax);
		ck_assert_uint_eq(record[3], b->regs.rip);
		box.expect_return = false;
		count.returns++;
		return record_slot(RECORD_RETURN_SLOTS);
	}
	ck_assert_uint_eq((uint32_t)record[0], RECORD_CALL + FUNCTION);
	ck_assert_uint_eq(record[2], b->top);
	for (unsigned i = 0; i < n_args; i++)
		ck_assert_uint_eq(record[3 + i], registers[args[i]]);
	count.calls++;
	return record_slot(RECORD_CALL_SLOTS + n_args);
}

/* Checks the control words that a superblock's last instruction has loaded. */
static void check_control_words(const struct translation *t, const uint64_t *places)
{
	const struct boundary *b = boundary_now();
	unsigned place = t->control_place;

	if (t->control_words & ISA_X87_CONTROL)
		ck_assert_uint_eq((uint16_t)places[place++], b->x87_control);
	if (t->control_words & ISA_MXCSR)
		ck_assert_uint_eq((uint32_t)places[place++], b->mxcsr);
	if (t->control_words & PLAN_FS_BASE)
		ck_assert_uint_eq(places[place++], b->regs.fs_base);
	if (t->control_words & PLAN_GS_BASE)
		ck_assert_uint_eq(places[place++], b->regs.gs_base);
	count.bases += (t->control_words & (PLAN_FS_BASE | PLAN_GS_BASE)) != 0;
	count.control_words += t->control_words != 0;
}

/* Returns the recipe of some address of the first `executed` instructions, with its instruction's
 * pc, or NULL. */
static struct tf_recipe *random_recipe(const struct translation *t, unsigned executed, uint64_t *pc)
{
	unsigned insn = pick(executed), value = 0, k = 0;
	const struct code_block *b = t->blocks[0];
	struct tf_recipe *r;

	*pc = translation_pc(t, insn);
	for (; insn >= b->trace.n_insns; b = t->blocks[++k]) {
		insn -= b->trace.n_insns;
		value += b->trace.n_values;
	}
	if (!b->facts[insn]->n_operands)
		return NULL;
	r = &t->recipes[value + b->trace.insns[insn].first_operand +
			pick(b->facts[insn]->n_operands)];
	return r->base == TF_BASE_UNKNOWN ? NULL : r;
}

/* Checks that --self-check finds an error only if a recipe is wrong. */
static void check_self(const struct translation *t, unsigned exit, const uint64_t *places,
		       const uint64_t *slots)
{
	unsigned n = t->exits[exit].n_insns;
	uint64_t pc;
	struct tf_recipe *r = random_recipe(t, n, &pc);
	char place[24];

	if (r) {
		int64_t wrong = 1 << pick(31);

		r->displacement ^= wrong;
		ck_assert_int_eq(self_check_insns(box.thread.check, &box.task, t, n, places, slots),
				 -1);
		snprintf(place, sizeof(place), " at %#lx: ", pc);
		ck_assert_msg(strstr(box.session.error.first.text, place), "%s",
			      box.session.error.first.text);
		box.session.error.is_set = false;
		r->displacement ^= wrong;
		count.wrong++;
	}
	ck_assert_msg(self_check_exit(box.thread.check, &box.task, t, exit, places, slots) == 0,
		      "%s", box.session.error.first.text);
}

static size_t check_path(uint64_t *record)
{
	uint32_t head = (uint32_t)record[0], key = head % TF_RECORD_KEYS;
	struct cache_exit number = cache_exit(box.thread.cache, key);
	const struct translation *t = number.translation;
	const struct translation_exit *exit = &t->exits[number.exit];
	uint64_t room[NUMBERING_SLOTS];
	const uint64_t *slots = translation_slots(t, record + 1, exit->trace.n_slots, room);
	uint64_t rsp = boundary_now()->regs.rsp, after;

	ck_assert_msg(!box.expect_return, "a return has not been told");
	ck_assert_uint_eq(head, tf_record_head(key, exit->n_places));
	plan_correct(t->corrections, t->n_corrections, 0, (uint64_t *)slots, exit->trace.n_slots);
	check_values(t, exit->n_insns, slots, exit->trace.n_slots);
	box.task.trace.fs_base = box.native[box.before[box.recorded]].regs.fs_base;
	box.task.trace.gs_base = box.native[box.before[box.recorded]].regs.gs_base;
	box.recorded += exit->n_insns;
	if (box.options.self_check)
		check_self(t, number.exit, record + 1, slots);
	if (exit->n_insns == t->n_insns)
		check_control_words(t, record + 1);
	after = boundary_now()->regs.rsp;
	if (box.options.no_addresses)
		;
	else if (exit->trace.rsp_rule == TF_RSP_DELTA)
		ck_assert_uint_eq(rsp + (uint64_t)exit->trace.rsp_value, after);
	else
		ck_assert_uint_eq(slots[exit->trace.rsp_slot] + (uint64_t)exit->trace.rsp_value,
				  after);
	if (exit->target)
		ck_assert_uint_eq(exit->target, boundary_now()->regs.rip);
	else
		box.expect_return = cache_watches_return(box.thread.cache,
							 boundary_now()->regs.rip);
	count.records++;
	count.slots += exit->trace.n_slots;
	return record_slot(exit->n_places);
}

uint64_t *local_record(uint64_t at)
{
	return (uint64_t *)(box.thread.area->memory.local + (at - box.thread.area->memory.remote));
}

void check_records(uint64_t to)
{
	while (box.read_to < to) {
		uint64_t *record = local_record(box.read_to);

		if ((uint32_t)record[0] >= RECORD_CALL)
			box.read_to += check_event(record);
		else
			box.read_to += check_path(record);
	}
	ck_assert_uint_eq(box.read_to, to);
}
