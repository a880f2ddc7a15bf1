/* SPDX-License-Identifier: MIT */
/*
 * Call trees: paths, their limit, folded recursion, the order of a walk; stacks of calls; and walks
 * that cannot be merged.
 */
#include <check.h>

#include "analyzers/calls/tree.h"
#include "analyzers/calls/walk_internal.h"
#include "analyzers/program/call_frames.h"
#include "tests/unit/run_suite.h"

enum { OTHERS = 99, SITE = 7 };

START_TEST(test_paths)
{
	struct call_tree tree;

	call_tree_init(&tree, OTHERS);
	uint32_t a = call_tree_child(&tree, CALL_ROOT, SITE, 1);
	uint32_t b = call_tree_child(&tree, a, SITE, 2);

	ck_assert_uint_eq(call_tree_child(&tree, CALL_ROOT, SITE, 1), a);
	ck_assert_uint_eq(call_tree_child(&tree, a, SITE, 2), b);
	ck_assert_uint_ne(call_tree_child(&tree, a, SITE + 1, 2), b);
	ck_assert_uint_ne(call_tree_child(&tree, b, SITE, 2), b);
	ck_assert_uint_eq(tree.nodes.at[b].depth, 2);
	call_tree_free(&tree);
}
END_TEST

START_TEST(test_merges_sites)
{
	struct call_tree tree;

	call_tree_init(&tree, OTHERS);
	tree.merges_sites = true;
	uint32_t a = call_tree_child(&tree, CALL_ROOT, SITE, 1);
	uint32_t b = call_tree_child(&tree, a, SITE, 2);

	ck_assert_uint_eq(call_tree_child(&tree, a, SITE + 1, 2), b);
	ck_assert_uint_eq(call_tree_child(&tree, a, CALL_NONE, 2), b);
	ck_assert_uint_ne(call_tree_child(&tree, a, SITE + 1, 3), b);
	call_tree_free(&tree);
}
END_TEST

START_TEST(test_limit)
{
	struct call_tree tree;

	call_tree_init(&tree, OTHERS);
	tree.most = 3;
	uint32_t a = call_tree_child(&tree, CALL_ROOT, SITE, 1);
	uint32_t b = call_tree_child(&tree, a, SITE, 2);

	ck_assert_uint_eq(tree.others, CALL_NONE);
	uint32_t c = call_tree_child(&tree, b, SITE, 3);

	ck_assert_uint_ne(tree.others, CALL_NONE);
	ck_assert_uint_eq(tree.nodes.at[tree.others].key.function, OTHERS);
	ck_assert_uint_eq(tree.nodes.at[c].key.parent, tree.others);
	ck_assert_uint_eq(call_tree_child(&tree, a, SITE, 3), c);
	ck_assert_uint_eq(call_tree_child(&tree, a, SITE, 2), b);
	call_tree_free(&tree);
}
END_TEST

START_TEST(test_folds)
{
	struct call_tree tree;

	call_tree_init(&tree, OTHERS);
	tree.folds_recursion = true;
	uint32_t a = call_tree_child(&tree, CALL_ROOT, SITE, 1);
	uint32_t b = call_tree_child(&tree, a, SITE, 2);

	ck_assert_uint_eq(call_tree_child(&tree, b, SITE, 1), a);
	ck_assert_uint_eq(call_tree_child(&tree, b, SITE + 1, 2), b);
	ck_assert_uint_ne(call_tree_child(&tree, b, SITE, 3), b);
	call_tree_free(&tree);
}
END_TEST

struct walk {
	uint32_t seen[16];
	size_t count;
};

static void enter(void *opaque, uint32_t node)
{
	struct walk *walk = opaque;

	walk->seen[walk->count++] = node;
}

static void leave(void *opaque, uint32_t node)
{
	enter(opaque, node + 100);
}

START_TEST(test_walk)
{
	struct call_tree tree;
	struct walk walk = { .count = 0 };

	call_tree_init(&tree, OTHERS);
	uint32_t a = call_tree_child(&tree, CALL_ROOT, SITE, 1);
	uint32_t b = call_tree_child(&tree, CALL_ROOT, SITE, 2);
	uint32_t c = call_tree_child(&tree, a, SITE, 3);
	const uint32_t wanted[] = { a, c, c + 100, a + 100, b, b + 100 };

	call_tree_walk(&tree, enter, leave, &walk);
	ck_assert_uint_eq(walk.count, 6);
	ck_assert_mem_eq(walk.seen, wanted, sizeof(wanted));
	call_tree_free(&tree);
}
END_TEST

START_TEST(test_frames)
{
	struct call_frames frames = { 0 };

	call_frames_push(&frames, FRAME_BOTTOM, 0);
	call_frames_push(&frames, FRAME_CALL, 0x7000);
	call_frames_push(&frames, FRAME_CALL, 0x6f00);
	call_frames_push(&frames, FRAME_SIGNAL, 0);
	call_frames_push(&frames, FRAME_CALL, 0x6000);
	ck_assert_uint_eq(call_frames_after_return(&frames, 0x6000), 4);
	ck_assert_uint_eq(call_frames_after_return(&frames, 0x6f00), 2);
	ck_assert_uint_eq(call_frames_after_return(&frames, 0x6f08), 5);
	ck_assert_uint_eq(call_frames_after_sigreturn(&frames), 3);
	/* A deeper call, one that shows that the last call is over, and one on another stack. */
	ck_assert_uint_eq(call_frames_at_call(&frames, 0x5ff8), 5);
	ck_assert_uint_eq(call_frames_at_call(&frames, 0x6000), 4);
	ck_assert_uint_eq(call_frames_at_call(&frames, 0x60000000), 5);
	frames.by_return_address = true;
	ck_assert_uint_eq(call_frames_at_call(&frames, 0x6000), 5);
	frames.count = 3;
	ck_assert_uint_eq(call_frames_after_sigreturn(&frames), 3);
	ck_assert_uint_eq(call_frames_at_call(&frames, 0x7008), 3);
	frames.by_return_address = false;
	ck_assert_uint_eq(call_frames_at_call(&frames, 0x7008), 1);
	free(frames.at);
}
END_TEST

/* Two adjacent parts of a thread. */
struct parts {
	struct call_profile profiles[2];
	struct call_walk walks[2];
};

static void begin_parts(struct parts *parts)
{
	*parts = (struct parts){ 0 };
	for (int i = 0; i < 2; i++) {
		parts->profiles[i].has_slots = true;
		call_tree_init(&parts->profiles[i].tree, OTHERS);
		call_costs_add_node(&parts->profiles[i].costs, CALL_ROOT);
	}
	call_walk_init(&parts->walks[0], &parts->profiles[0], CALL_ROOT);
	call_walk_init_open(&parts->walks[1], &parts->profiles[1], CALL_ROOT, 0);
}

/* Returns whether the parts can be merged, and frees them. */
static bool merge_parts(struct parts *parts)
{
	uint32_t nodes[16];
	bool merged = call_walks_merge(&parts->walks[0], &parts->walks[1], 1, nodes);

	for (int i = 0; i < 2; i++) {
		call_walk_free(&parts->walks[i]);
		call_tree_free(&parts->profiles[i].tree);
		call_costs_free(&parts->profiles[i].costs);
		free(parts->profiles[i].steps.at);
		TABLE_FREE(parts->profiles[i].places);
	}
	return merged;
}

/* Merges a part that has a path with one before it. */
static bool merge_path(size_t most_earlier, size_t most_later)
{
	struct parts parts;

	begin_parts(&parts);
	parts.profiles[0].tree.most = most_earlier;
	parts.profiles[1].tree.most = most_later;
	call_tree_child(&parts.profiles[1].tree, CALL_ROOT, SITE, 1);
	return merge_parts(&parts);
}

START_TEST(test_merge_limit)
{
	ck_assert(merge_path(9, 9));
	ck_assert(!merge_path(1, 9));
	ck_assert(!merge_path(9, 1));
}
END_TEST

/* Merges a part with calls through 0x60000000 and a slot with an earlier part, which calls, too. */
static bool merge_calls(uint64_t earlier, uint64_t slot)
{
	struct parts parts;

	begin_parts(&parts);
	call_walk_enter(&parts.walks[0], 1, true);
	call_walk_push(&parts.walks[0], FRAME_CALL, earlier, call_walk_node(&parts.walks[0]), SITE);
	call_walk_call(&parts.walks[1], 0x60000000, 2);
	call_walk_call(&parts.walks[1], slot, 2);
	return merge_parts(&parts);
}

/*
 * The later part knows the least and the greatest slot of its calls. A call through a slot between
 * the two may have ended the earlier part's call, if that one is on the same stack.
 */
START_TEST(test_merge_stacks)
{
	ck_assert(merge_calls(0x1000, 0x5fff0000));
	ck_assert(merge_calls(0x60000008, 0x1000));
	ck_assert(!merge_calls(0x1000, 0xff8));
	ck_assert(!merge_calls(0x1000, 0x1000));
	ck_assert(!merge_calls(0x1000, 0x2000));
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("call_tree");
	TCase *tests = tcase_create("call_tree");

	tcase_add_test(tests, test_paths);
	tcase_add_test(tests, test_merges_sites);
	tcase_add_test(tests, test_limit);
	tcase_add_test(tests, test_folds);
	tcase_add_test(tests, test_walk);
	tcase_add_test(tests, test_frames);
	tcase_add_test(tests, test_merge_limit);
	tcase_add_test(tests, test_merge_stacks);
	suite_add_tcase(suite, tests);
	return run_suite(suite);
}
