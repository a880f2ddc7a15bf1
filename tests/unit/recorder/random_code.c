/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "tests/unit/random.h"
#include "tests/unit/recorder/random_insns.h"
#include "traceformat/traceisa.h"

static uint64_t random_state;
static struct {
	uint64_t pc;
	unsigned n_args;
} functions[CODE_BLOCKS];
static unsigned n_code_functions;
static uint32_t block_starts[CODE_BLOCKS];

unsigned pick(unsigned n)
{
	return (unsigned)(xorshift(&random_state) >> 20) % n;
}

unsigned code_args(uint64_t pc)
{
	for (unsigned i = 0; i < n_code_functions; i++)
		if (functions[i].pc == pc)
			return functions[i].n_args;
	return NO_FUNCTION;
}

size_t code_until_function(uint64_t pc)
{
	uint64_t end = CODE + CODE_BYTES;

	for (unsigned i = 0; i < n_code_functions; i++)
		if (functions[i].pc > pc && functions[i].pc < end)
			end = functions[i].pc;
	return pc < end ? end - pc : 0;
}

uint64_t random_code_target(void)
{
	return block_starts[pick(CODE_BLOCKS)];
}

/* ---- jumps ------------------------------------------------------------------------------- */

static unsigned random_block(unsigned from)
{
	return pick(5) && from + 1 < CODE_BLOCKS ? from + 1 + pick(CODE_BLOCKS - from - 1)
						 : pick(CODE_BLOCKS);
}

static void put_target(struct random_code *c, unsigned block, bool relative)
{
	c->jumps[c->n_jumps].field = c->at;
	c->jumps[c->n_jumps].relative = relative;
	c->jumps[c->n_jumps++].block = block;
	put32(c, 0);
}

/* Writes a loop or jrcxz, around a jump of five bytes or to that jump. */
static void put_short_branch(struct random_code *c, unsigned to)
{
	if (pick(2))
		put_small(c, ISA_RCX, pick(3));
	put(c, 0xe0 | pick(4));
	put(c, 5);
	put(c, 0xe9);
	put_target(c, to, true);
}

static void put_indirect(struct random_code *c, unsigned to)
{
	unsigned reg = random_target(), call = pick(2) ? 2 : 4;
	uint32_t entry = TABLE + 8 * to;

	switch (pick(6)) {
	case 0:
		put_small(c, reg, 0);
		c->at -= 4;
		put_target(c, to, false);
		put(c, 0x40 | reg >> 3);
		put(c, 0xff);
		put(c, 0xc0 | call << 3 | (reg & 7));
		break;
	case 1: /* absolute, rip-relative */
		put(c, 0xff);
		put(c, call << 3 | 4);
		put(c, 0x25);
		put32(c, entry);
		break;
	case 2:
		put(c, 0xff);
		put(c, call << 3 | 5);
		put32(c, entry - (uint32_t)(uintptr_t)(c->at + 4));
		break;
	case 3: /* with base and index */
		put_small(c, ISA_RCX, to);
		put_small(c, reg, TABLE);
		put(c, 0x40 | reg >> 3);
		put(c, 0xff);
		put(c, 0x40 | call << 3 | 4);
		put(c, 0xc8 | (reg & 7));
		put(c, 0);
		break;
	case 4: /* below rsp, where a call pushes, or sometimes near it */
		put(c, 0x48);
		put(c, 0xc7);
		put(c, 0x44);
		put(c, 0x24);
		put(c, 0xf8);
		put_target(c, to, false);
		put(c, 0xff);
		put(c, 0x40 | call << 3 | 4);
		put(c, 0x24);
		put(c, pick(4) ? 0xf8 : 0xf4 + pick(8));
		break;
	case 5: /* to an address that cannot have code */
		if (pick(4))
			put_small(c, reg, 0);
		put(c, 0x48 | reg >> 3);
		put(c, 0x0f);
		put(c, 0xba);
		put(c, 0xe8 | (reg & 7));
		put(c, 48 + pick(16)); /* bts reg, 48 .. 63 */
		put(c, 0x40 | reg >> 3);
		put(c, 0xff);
		put(c, 0xc0 | call << 3 | (reg & 7));
		break;
	}
}

/* Writes a system call with the same result each time. Where jumps may lead anywhere, the call
 * could be another one. */
static void put_syscall(struct random_code *c)
{
	enum { GETPID = 39, GETUID = 102, GETPPID = 110, GETTID = 186 };
	static const uint8_t numbers[] = { GETPID, GETUID, GETPPID, GETTID };

	if (c->wild)
		return;
	put_small(c, ISA_RAX, numbers[pick(sizeof(numbers))]);
	put(c, 0x0f);
	put(c, 0x05);
}

static void put_end(struct random_code *c, unsigned block)
{
	unsigned to = random_block(block);

	switch (pick(12)) {
	case 0:
		if (pick(2))
			put_string(c);
		break;
	case 1:
	case 2:
	case 3:
		put(c, 0x0f);
		put(c, 0x80 | pick(16));
		put_target(c, to, true);
		break;
	case 4:
		put(c, 0xe9);
		put_target(c, to, true);
		break;
	case 5:
	case 6:
		put(c, 0xe8);
		put_target(c, to, true);
		break;
	case 7: put_short_branch(c, to); break;
	case 8: /* a return to any block */
		put(c, 0x68);
		put_target(c, to, false);
		if (pick(3)) {
			put(c, 0xc3);
		} else {
			put(c, 0xc2);
			put(c, 8 * pick(4));
			put(c, 0);
		}
		break;
	case 9: put(c, 0xc3); break;
	case 10: put_indirect(c, to); break;
	case 11: put_syscall(c); break;
	}
}

/* ---- programs ---------------------------------------------------------------------------- */

void random_code_begin(struct random_code *c, uint64_t seed, uint8_t *memory)
{
	enum { HLT = 0xf4, GAP = 64 };

	memset(c, 0, sizeof(*c));
	random_state = seed * 0x9e3779b97f4a7c15u | 1;
	for (int i = 0; i < 8; i++)
		xorshift(&random_state);
	c->wild = pick(4) == 0;
	c->compares = seed % 2;
	c->at = (uint8_t *)(uintptr_t)CODE;
	n_code_functions = 0;
	memset(c->at, HLT, CODE_BYTES);
	for (unsigned i = 0; i < CODE_BLOCKS; i++) {
		block_starts[i] = (uint32_t)(uintptr_t)c->at;
		((uint64_t *)(uintptr_t)TABLE)[i] = block_starts[i];
		if (!c->wild && pick(3) == 0) {
			functions[n_code_functions].pc = block_starts[i];
			functions[n_code_functions++].n_args = pick(TF_MAX_CALL_ARGS + 1);
		}
		if (c->compares && pick(2))
			put_arithmetic(c);
		for (unsigned n = pick(6); n; n--)
			put_insn(c);
		if (c->compares && pick(2))
			put_arithmetic(c);
		put_end(c, i);
	}
	for (unsigned i = 0; i < c->n_jumps; i++) {
		uint32_t field = block_starts[c->jumps[i].block];

		if (c->jumps[i].relative)
			field -= (uint32_t)(uintptr_t)(c->jumps[i].field + 4);
		memcpy(c->jumps[i].field, &field, sizeof(field));
	}
	for (unsigned i = 0; i < 16; i++)
		c->registers[i] = is_small(i)    ? pick(32)
				  : i == ISA_RSP ? STACK
						 : DATA + 256 + 8 * pick(256);
	for (unsigned i = 0; i < DATA_BYTES; i += 8) {
		uint64_t value = DATA + 256 + 8 * pick(256);

		if (pick(4) == 0)
			value = block_starts[pick(CODE_BLOCKS)];
		memcpy(memory + i, &value, 8);
	}
}

void random_code_registers(const struct random_code *c, struct user_regs_struct *r)
{
	unsigned long long *to[16] = { &r->rax, &r->rcx, &r->rdx, &r->rbx, &r->rsp, &r->rbp,
				       &r->rsi, &r->rdi, &r->r8,  &r->r9,  &r->r10, &r->r11,
				       &r->r12, &r->r13, &r->r14, &r->r15 };

	for (unsigned i = 0; i < 16; i++)
		*to[i] = c->registers[i];
	r->eflags = 0x202;
	r->fs_base = 8;
	r->gs_base = 16;
}
