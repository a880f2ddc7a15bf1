/* SPDX-License-Identifier: MIT */
/* Call trees: paths, their limit, folded recursion, the order of a walk; and stacks of calls. */
#include <check.h>

#include "analyzers/calls/tree.h"
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

int main(void)
{
	Suite *suite = suite_create("call_tree");
	TCase *tests = tcase_create("call_tree");

	tcase_add_test(tests, test_paths);
	tcase_add_test(tests, test_limit);
	tcase_add_test(tests, test_folds);
	tcase_add_test(tests, test_walk);
	tcase_add_test(tests, test_frames);
	suite_add_tcase(suite, tests);
	return run_suite(suite);
}
