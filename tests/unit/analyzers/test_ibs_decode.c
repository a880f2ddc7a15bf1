/* SPDX-License-Identifier: MIT */
/*
 * Decodes payloads of IBS hardware of all families and compares the fields and the events that
 * follow from them with those of another decoder (tests/oracle/ibs/ibs_vectors.json, made by
 * tests/oracle/ibs_decode.py, which agrees with perf). Decodes invalid payloads as well.
 */
#include <check.h>
#include <jansson.h>
#include <string.h>

#include "analyzers/ibs/packet/data_source.h"
#include "analyzers/ibs/packet/decode.h"
#include "analyzers/ibs/packet/events.h"
#include "tests/unit/run_suite.h"
#include "tests/unit/traces/trace_file.h"

enum { MAX_PAYLOAD = 128 };

struct vector {
	const char *id;
	enum ibs_kind kind;
	struct ibs_cpu cpu;
	uint8_t payload[MAX_PAYLOAD];
	size_t size;
	json_t *fields, *derived;
};

static json_t *vectors;

static void setup(void)
{
	json_error_t error;
	json_t *all = json_load_file("tests/oracle/ibs/ibs_vectors.json", 0, &error);

	ck_assert_msg(all, "%s", error.text);
	vectors = json_incref(json_object_get(all, "vectors"));
	json_decref(all);
}

static void teardown(void)
{
	json_decref(vectors);
}

static struct vector vector_at(size_t i)
{
	json_t *v = json_array_get(vectors, i);
	const char *hex = json_string_value(json_object_get(v, "raw_payload"));
	struct vector vector = {
		.id = json_string_value(json_object_get(v, "id")),
		.kind = strcmp(json_string_value(json_object_get(v, "kind")), "op") ? IBS_KIND_FETCH
										    : IBS_KIND_OP,
		.cpu = { (unsigned)json_integer_value(json_object_get(v, "family")),
			 (unsigned)json_integer_value(json_object_get(v, "model")), false },
		.size = strlen(hex) / 2,
		.fields = json_object_get(v, "fields"),
		.derived = json_object_get(v, "derived"),
	};

	ck_assert_uint_le(vector.size, MAX_PAYLOAD);
	for (size_t k = 0; k < vector.size; k++)
		sscanf(hex + 2 * k, "%2hhx", &vector.payload[k]);
	return vector;
}

static struct ibs_packet decode(const struct vector *v)
{
	struct ibs_packet packet;

	ck_assert_int_eq(ibs_decode(&v->cpu, v->kind, v->payload, v->size, &packet), IBS_DECODED);
	return packet;
}

/* Returns a field's name in the vectors; NULL if the vectors have the field in another form. */
static const char *name_of(enum ibs_field field)
{
	static const struct {
		enum ibs_field field;
		const char *name;
	} others[] = {
		{ IBS_FETCH_LAT, "lat" },
		{ IBS_FETCH_EN, "en" },
		{ IBS_FETCH_VAL, "val" },
		{ IBS_FETCH_COMP, "comp" },
		{ IBS_FETCH_PHY_VALID, "phy_valid" },
		{ IBS_L1ITLB_MISS, "l1tlb_miss" },
		{ IBS_L2ITLB_MISS, "l2tlb_miss" },
		{ IBS_FETCH_L2_MISS, "l2_miss" },
		{ IBS_FETCH_L3_MISS, "l3_miss" },
		{ IBS_FETCH_L3_MISS_ONLY, "l3_miss_only" },
		{ IBS_FETCH_LINEAR, "lin_addr" },
		{ IBS_FETCH_PHYSICAL, "phys_addr" },
		/* The fields below are checked separately. */
		{ IBS_MAX_CNT_LOW, NULL },
		{ IBS_MAX_CNT_HIGH, NULL },
		{ IBS_FETCH_MAX_CNT, NULL },
		{ IBS_FETCH_CNT, NULL },
		{ IBS_LD_LAT_THRESHOLD, NULL },
		{ IBS_DATA_SRC_LOW, NULL },
		{ IBS_DATA_SRC_HIGH, NULL },
		{ IBS_CACHE_HIT_ST, NULL },
		{ IBS_DC_PAGE_SIZE, NULL },
		{ IBS_ITLB_PAGE_SIZE, NULL },
		{ IBS_MEM_WIDTH, NULL },
		{ IBS_RMT_NODE, NULL },
		{ IBS_IC_MISS, NULL },
	};

	for (size_t i = 0; i < sizeof(others) / sizeof(*others); i++)
		if (others[i].field == field)
			return others[i].name;
	return ibs_field_name(field);
}

static uint64_t number(const json_t *value)
{
	return json_is_string(value) ? strtoull(json_string_value(value), NULL, 16)
				     : (uint64_t)json_integer_value(value);
}

static void check_field(const struct vector *v, const char *name, bool known, uint64_t value)
{
	const json_t *expected = json_object_get(v->fields, name);

	ck_assert_msg(known == (expected && !json_is_null(expected)), "%s: %s is%s known", v->id,
		      name, known ? "" : " not");
	if (known)
		ck_assert_msg(number(expected) == value, "%s: %s is %#lx, not %#lx", v->id, name,
			      value, number(expected));
}

static bool get(const struct ibs_packet *p, enum ibs_field field, uint64_t *value)
{
	return ibs_packet_get(p, field, value);
}

/* Checks fields that the vectors have in other units, or combined. */
static void check_op(const struct vector *v, const struct ibs_packet *p)
{
	static const uint64_t pages[] = { 4096, 2 << 20, 1 << 30, 0 };
	uint64_t low, high, value;
	bool known;
	const char *state = json_string_value(json_object_get(v->fields, "cache_hit_st"));

	get(p, IBS_MAX_CNT_LOW, &low);
	high = get(p, IBS_MAX_CNT_HIGH, &value) ? value : 0;
	check_field(v, "max_cnt", true, (low | high << 16) << 4);
	if (get(p, IBS_MEM_WIDTH, &value))
		check_field(v, "mem_width", true, value ? 1u << (value - 1) : 0);
	if (get(p, IBS_LD_LAT_THRESHOLD, &value))
		check_field(v, "ldlat_cycles", true, (value + 1) * 128);
	if (get(p, IBS_DC_PAGE_SIZE, &value))
		check_field(v, "dc_page_size", true, pages[value]);
	if (get(p, IBS_DATA_SRC_LOW, &low)) {
		high = get(p, IBS_DATA_SRC_HIGH, &value) ? value : 0;
		check_field(v, "data_src", true, low | high << 3);
		known = get(p, IBS_RMT_NODE, &value);
		check_field(v, "rmt_node", known, value);
	}
	if (get(p, IBS_CACHE_HIT_ST, &value))
		ck_assert_str_eq(state, value ? "O" : "M");
	else
		ck_assert_msg(!state, "%s: cache_hit_st", v->id);
}

static void check_fetch(const struct vector *v, const struct ibs_packet *p)
{
	static const uint64_t pages[] = { 4096, 2 << 20, 1 << 30, 16384 };
	bool trusted = !json_object_get(v->fields, "ic_miss_trusted");
	uint64_t value;
	bool known;

	get(p, IBS_FETCH_MAX_CNT, &value);
	check_field(v, "max_cnt", true, value << 4);
	get(p, IBS_FETCH_CNT, &value);
	check_field(v, "cnt", true, value << 4);
	if (get(p, IBS_ITLB_PAGE_SIZE, &value))
		check_field(v, "page_size", true, pages[value]);
	else
		check_field(v, "page_size", false, 0);
	known = get(p, IBS_IC_MISS, &value);
	if (trusted)
		check_field(v, "ic_miss", known, value);
	else
		ck_assert(!known);
}

START_TEST(vectors_decode)
{
	struct vector v = vector_at((size_t)_i);
	struct ibs_packet packet = decode(&v);

	for (unsigned i = 0; i < IBS_N_FIELDS; i++) {
		uint64_t value;
		bool known = ibs_packet_get(&packet, i, &value);

		if (ibs_register_kind(ibs_field_register(i)) != v.kind)
			ck_assert(!known);
		else if (name_of(i))
			check_field(&v, name_of(i), known, value);
	}
	if (v.kind == IBS_KIND_OP)
		check_op(&v, &packet);
	else
		check_fetch(&v, &packet);
}
END_TEST

/* Returns whether the vectors have counts of OProfile's event. Northbridge events are not for
 * Zen. */
static bool has_expectation(const struct ibs_event *event)
{
	uint16_t s = event->select;

	return (s >= 0xf000 && s <= 0xf00e) || (s >= 0xf100 && s <= 0xf109) ||
	       (s >= 0xf200 && s <= 0xf219);
}

START_TEST(vectors_events)
{
	struct vector v = vector_at((size_t)_i);
	struct ibs_packet packet = decode(&v);
	struct ibs_event_counts counts = { 0 };

	ibs_events_add(&counts, &packet);
	for (unsigned i = 0; i < IBS_N_EVENTS; i++) {
		const struct ibs_event *event = &ibs_events[i];
		uint64_t expected = number(json_object_get(v.derived, event->name));

		if (event->kind != v.kind || !has_expectation(event) || counts.undecided[i])
			continue;
		ck_assert_msg(counts.values[i] == expected, "%s: %s is %lu, not %lu", v.id,
			      event->name, counts.values[i], expected);
	}
}
END_TEST

/* Restricting a packet makes inapplicable fields unknown, and changes no other field. */
START_TEST(restricted)
{
	struct vector v = vector_at((size_t)_i);
	struct ibs_packet packet = decode(&v), before = packet;
	bool source = json_integer_value(json_object_get(v.fields, "data_src_valid"));
	uint64_t value;

	ibs_packet_restrict(&packet, &v.cpu);
	ck_assert_mem_eq(packet.registers, before.registers, sizeof(before.registers));
	for (unsigned i = 0; i < 2; i++)
		ck_assert(!(packet.known[i] & ~before.known[i]));
	if (v.kind == IBS_KIND_FETCH)
		return;
	ck_assert_int_eq(source, ibs_packet_get(&packet, IBS_DATA_SRC_LOW, &value));
	ck_assert_int_eq(ibs_packet_get(&packet, IBS_DC_MISS_LAT, &value),
			 ibs_packet_is(&before, IBS_LD) && ibs_packet_is(&before, IBS_DC_MISS));
	ck_assert_int_eq(ibs_packet_get(&packet, IBS_BRN_TAKEN, &value),
			 ibs_packet_is(&before, IBS_BRN_RET));
}
END_TEST

/* Decodes a load that missed every cache and TLB, without the given bits of OpData3. */
static struct ibs_packet load_without(const struct ibs_cpu *cpu, uint32_t caps, uint64_t bits)
{
	const uint64_t data3 = UINT64_C(0x0015012200160000) | 1 | 4 | 8 | 0x80 | 1 << 18 | 1 << 17;
	uint64_t registers[8] = {
		1 << 17 | 1 << 18, 0x401000, 0, 2, data3 & ~bits, 0x1000, 0x1000
	};
	uint8_t payload[4 + sizeof(registers)];
	struct ibs_packet packet;

	memcpy(payload, &caps, 4);
	memcpy(payload + 4, registers, sizeof(registers));
	ck_assert_int_eq(ibs_decode(cpu, IBS_KIND_OP, payload, sizeof(payload), &packet),
			 IBS_DECODED);
	ibs_packet_restrict(&packet, cpu);
	return packet;
}

static bool knows(const struct ibs_packet *packet, enum ibs_field field)
{
	uint64_t value;

	return ibs_packet_get(packet, field, &value);
}

START_TEST(valid_bits_and_errata)
{
	const struct ibs_cpu zen2 = { 0x17, 0x31, false }, zen3 = { 0x19, 0x21, false },
			     zen4 = { 0x19, 0x11, false };
	const uint64_t linear = 1 << 17, physical = 1 << 18;
	struct ibs_packet all = load_without(&zen2, 0x3ff, 0);
	struct ibs_packet nowhere = load_without(&zen2, 0x3ff, linear);
	struct ibs_packet old = load_without(&zen2, 0x3ff, physical);
	struct ibs_packet new = load_without(&zen4, 0xbff, physical);
	struct ibs_packet states = load_without(&zen3, 0x3ff, 1 << 16);

	ck_assert(knows(&all, IBS_DC_L1TLB_MISS) && knows(&all, IBS_TLB_REFILL_LAT));
	ck_assert(!knows(&nowhere, IBS_DC_L1TLB_MISS) && !knows(&nowhere, IBS_DC_L2TLB_MISS) &&
		  !knows(&nowhere, IBS_TLB_REFILL_LAT) && knows(&nowhere, IBS_DC_MISS_LAT));
	ck_assert(knows(&old, IBS_TLB_REFILL_LAT) && knows(&new, IBS_DC_L1TLB_MISS));
	ck_assert(!knows(&new, IBS_TLB_REFILL_LAT));
	ck_assert(knows(&all, IBS_CACHE_HIT_ST));
	ck_assert(knows(&states, IBS_DATA_SRC_LOW) && !knows(&states, IBS_CACHE_HIT_ST));
}
END_TEST

/* A payload of an unknown processor is decoded by its capabilities only. */
START_TEST(of_nobody)
{
	struct vector v = vector_at((size_t)_i);
	struct ibs_packet packet;

	v.cpu = (struct ibs_cpu){ 0 };
	ck_assert_int_eq(ibs_decode(&v.cpu, v.kind, v.payload, v.size, &packet), IBS_DECODED);
	ck_assert(v.kind == IBS_KIND_FETCH || ibs_packet_is(&packet, IBS_EN));
}
END_TEST

START_TEST(no_samples)
{
	struct vector v = vector_at((size_t)_i);
	struct ibs_packet packet;
	uint8_t control[8];

	for (size_t size = 0; size < MAX_PAYLOAD; size++)
		if (size != v.size)
			ck_assert_int_eq(ibs_decode(&v.cpu, v.kind, v.payload, size, &packet),
					 IBS_BAD_PAYLOAD);
	memcpy(control, v.payload + 4, 8);
	memset(v.payload + 4, 0, 8);
	ck_assert_int_eq(ibs_decode(&v.cpu, v.kind, v.payload, v.size, &packet), IBS_NOT_A_SAMPLE);
	memcpy(v.payload + 4, control, 8);
	v.payload[0] &= 0xfe;
	ck_assert_int_eq(ibs_decode(&v.cpu, v.kind, v.payload, v.size, &packet), IBS_BAD_PAYLOAD);
}
END_TEST

/*
 * The kernel's description of a load agrees with the registers, within the kernel's limits: it
 * describes a miss as an L2 hit if the family does not report L2 hits and misses, and it cannot
 * describe some sources or pending misses.
 */
START_TEST(kernel_agrees)
{
	json_t *all = json_array_get(vectors, (size_t)_i);
	struct vector v = vector_at((size_t)_i);
	struct ibs_packet decoded, told = { .kind = IBS_KIND_OP };
	enum ibs_level level, expected;
	uint64_t value, weight, kernel;

	if (v.kind == IBS_KIND_FETCH)
		return;
	decoded = decode(&v);
	kernel = number(json_object_get(all, "perf_data_src"));
	weight = number(json_object_get(json_object_get(all, "perf_weight"), "var1_dw"));
	ibs_packet_restrict(&decoded, &v.cpu);
	ibs_packet_set_access(&told, kernel, weight);
	ck_assert(ibs_packet_is(&told, IBS_LD) == ibs_packet_is(&decoded, IBS_LD));
	if (ibs_packet_get(&decoded, IBS_L2_MISS, &value) && ibs_level_get(&decoded, &expected) &&
	    ibs_level_get(&told, &level) && expected != IBS_LEVEL_PENDING) {
		ck_assert_msg(level == expected, "%s: %s, not %s", v.id, ibs_level_name(level),
			      ibs_level_name(expected));
		ck_assert_int_eq(ibs_packet_is(&told, IBS_DC_L1TLB_MISS),
				 ibs_packet_is(&decoded, IBS_DC_L1TLB_MISS));
		ck_assert_int_eq(ibs_packet_is(&told, IBS_LOCKED),
				 ibs_packet_is(&decoded, IBS_LOCKED));
	}
	if (ibs_packet_is(&told, IBS_DC_MISS) && ibs_packet_is(&decoded, IBS_LD)) {
		ck_assert(ibs_packet_get(&told, IBS_DC_MISS_LAT, &value));
		ck_assert_uint_eq(value, weight);
	}
}
END_TEST

/* Decodes loads of Intel's PEBS, on kernels without and with level numbers. */
START_TEST(pebs)
{
	static const struct {
		uint64_t source;
		enum ibs_level level;
	} loads[] = {
		{ 0x68100142, IBS_LEVEL_L1 },
		{ 0x68100242, IBS_LEVEL_PENDING },
		{ 0x68100442, IBS_LEVEL_L2 },
		{ 0x68100842, IBS_LEVEL_L3 },
		{ 0x68101042, IBS_LEVEL_DRAM },
		{ 0x68102042, IBS_LEVEL_REMOTE_DRAM },
		{ UINT64_C(0x168100142), IBS_LEVEL_L1 },
		{ UINT64_C(0x1a68101042), IBS_LEVEL_DRAM },
		{ UINT64_C(0x3a68100142), IBS_LEVEL_REMOTE_DRAM },
		{ UINT64_C(0x3668100142), IBS_LEVEL_OTHER_CORE },
	};
	struct ibs_packet p = { .kind = IBS_KIND_OP };
	enum ibs_level level;
	uint64_t value;

	ibs_packet_set_access(&p, loads[_i].source, 77);
	ck_assert(ibs_level_get(&p, &level));
	ck_assert_int_eq(level, loads[_i].level);
	ck_assert_int_eq(ibs_packet_get(&p, IBS_DC_MISS_LAT, &value), level != IBS_LEVEL_L1);
	ck_assert(level == IBS_LEVEL_L1 || value == 77);
	ck_assert(ibs_packet_get(&p, IBS_DC_L1TLB_MISS, &value) && !value);
}
END_TEST

START_TEST(processors)
{
	struct ibs_cpu cpu;

	ck_assert(ibs_cpu_parse("AuthenticAMD,25,17,1", &cpu));
	ck_assert(cpu.family == 0x19 && cpu.model == 0x11);
	ck_assert(ibs_cpu_parse("HygonGenuine,24,0,1", &cpu));
	ck_assert(!ibs_cpu_parse("GenuineIntel,6,143,8", &cpu) && !cpu.family);
	ck_assert(!ibs_cpu_parse("AuthenticAMD", &cpu) && !ibs_cpu_parse(NULL, &cpu));
}
END_TEST

int main(void)
{
	enum { N_VECTORS = 19 };
	Suite *suite = suite_create("ibs decode");
	TCase *tests = tcase_create("decode");

	tcase_add_checked_fixture(tests, setup, teardown);
	tcase_add_loop_test(tests, vectors_decode, 0, N_VECTORS);
	tcase_add_loop_test(tests, vectors_events, 0, N_VECTORS);
	tcase_add_loop_test(tests, restricted, 0, N_VECTORS);
	tcase_add_loop_test(tests, of_nobody, 0, N_VECTORS);
	tcase_add_loop_test(tests, no_samples, 0, N_VECTORS);
	tcase_add_loop_test(tests, kernel_agrees, 0, N_VECTORS);
	tcase_add_loop_test(tests, pebs, 0, 10);
	tcase_add_test(tests, processors);
	tcase_add_test(tests, valid_bits_and_errata);
	suite_add_tcase(suite, tests);
	return run_suite(suite);
}
