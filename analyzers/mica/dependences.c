/* SPDX-License-Identifier: MIT */
#include "analyzers/mica/dependences.h"

#include <string.h>

#include "analyzers/mica/analysis.h"

static uint8_t fold(uint8_t *registers, uint8_t count)
{
	uint8_t kept = 0;

	for (uint8_t i = 0; i < count; i++) {
		uint8_t whole = isa_register_whole(registers[i]);

		if (!memchr(registers, whole, kept))
			registers[kept++] = whole;
	}
	return kept;
}

static void add_flags(uint8_t *registers, uint8_t *count)
{
	if (*count < ISA_MAX_FACT_REGISTERS)
		registers[(*count)++] = MICA_FLAGS;
}

static bool is_cet(const struct isa_facts *facts)
{
	static const char *const classes[] = { "ENDBR32", "ENDBR64", "RDSSPD", "RDSSPQ" };

	for (size_t i = 0; i < sizeof(classes) / sizeof(classes[0]); i++)
		if (!strcmp(facts->iclass, classes[i]))
			return true;
	return false;
}

/*
 * Makes 0F 1E a no-operation with two registers, which MICA's reg counts, although it has no reads.
 */
static void make_nop(struct isa_facts *facts)
{
	*facts = (struct isa_facts){ .category = "WIDENOP",
				     .iclass = "NOP",
				     .n_register_operands = 2 };
}

void mica_add_dependences(struct isa_facts *facts, unsigned dependences, const uint8_t *code,
			  size_t length, uint64_t pc, enum isa_vendor vendor)
{
	struct isa_effects effects;

	if (!(dependences & MICA_WITH_CET) && is_cet(facts))
		make_nop(facts);
	if (dependences & MICA_FOLDED) {
		facts->n_reads = fold(facts->reads, facts->n_reads);
		facts->n_writes = fold(facts->writes, facts->n_writes);
	}
	if (!(dependences & MICA_WITH_FLAGS) || isa_effects(code, length, pc, vendor, &effects) < 0)
		return;
	if (effects.reads_flags)
		add_flags(facts->reads, &facts->n_reads);
	if (effects.writes_flags)
		add_flags(facts->writes, &facts->n_writes);
}
