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

void mica_add_dependences(struct isa_facts *facts, unsigned dependences, const uint8_t *code,
			  size_t length, uint64_t pc, enum isa_vendor vendor)
{
	struct isa_effects effects;

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
