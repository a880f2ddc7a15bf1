/* SPDX-License-Identifier: MIT */
/* Tests the files of the persistent code cache: what is written is read again, damage is noticed, and
 * what was used last stays. */
#include <check.h>

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "recorder/translate/store/saved_program.h"
#include "recorder/translate/store/store_folder.h"
#include "tests/scratch.h"
#include "tests/unit/random.h"
#include "tests/unit/run_suite.h"

enum { MODULES = 5, TREES = 50, RETURNS = 10 };

static uint64_t state;

/* ---- programs ---- */

static struct saved_superblock random_superblock(unsigned number)
{
	struct saved_superblock s = { .entered = random_chance(&state, 50),
				      .generation = random_below(&state, 5),
				      .n_blocks = 1 + random_below(&state, SAVED_BLOCKS) };

	if (number) {
		s.parent = random_below(&state, number);
		s.exit = random_below(&state, SAVED_EXITS);
	}
	for (unsigned i = 0; i < s.n_blocks; i++)
		s.blocks[i] = (struct saved_block){ random_below(&state, MODULES),
						    random_value(&state) >>
							    (64 - SAVED_OFFSET_BITS) };
	/* no two trees have the same first block */
	s.blocks[0].offset = random_u64(&state) >> (64 - SAVED_OFFSET_BITS);
	return s;
}

static struct module_identity identity_of(unsigned module)
{
	struct module_identity identity = { { 1, 20 } };

	identity.bytes[2] = (uint8_t)module;
	return identity;
}

/* Puts a random tree into the program. */
static void put_tree(struct saved_program *p, uint64_t *key)
{
	unsigned n = 1 + random_below(&state, 4);
	struct saved_superblock s;
	struct buffer b = { 0 };

	put_varint(&b, n - 1);
	for (unsigned i = 0; i < n; i++) {
		s = random_superblock(i);
		if (!i)
			*key = saved_key(s.blocks[0].module, s.blocks[0].offset);
		saved_superblock_put(&b, &s, !i);
	}
	ck_assert(saved_program_put(p, *key, &b));
	buffer_free(&b);
}

/* Returns a program that has executed random trees; keys: in the order of execution. */
static struct saved_program random_program(uint64_t keys[TREES])
{
	struct saved_program p = { 0 };

	for (unsigned i = 0; i < MODULES; i++) {
		struct module_identity identity = identity_of(i);

		ck_assert_uint_eq(saved_program_add_module(&p, &identity), i);
		ck_assert_uint_eq(saved_program_add_module(&p, &identity), i);
	}
	for (unsigned i = 0; i < TREES; i++)
		put_tree(&p, &keys[i]);
	for (unsigned i = 0; i < RETURNS; i++)
		ck_assert(saved_program_put_return(&p, saved_key(i % MODULES, i)));
	return p;
}

static void write_and_read(struct saved_program *p, struct saved_program *back)
{
	struct buffer b = { 0 };

	saved_program_write(p, &b);
	*back = (struct saved_program){ 0 };
	ck_assert(saved_program_parse(back, b.data, b.size));
	buffer_free(&b);
}

static void assert_same_tree(const struct saved_program *a, const struct saved_program *b,
			     uint64_t key)
{
	struct span x = saved_program_tree(a, saved_program_find(a, key));
	struct span y = saved_program_tree(b, saved_program_find(b, key));

	ck_assert_uint_eq(span_left(&x), span_left(&y));
	ck_assert_mem_eq(x.at, y.at, span_left(&x));
}

START_TEST(superblocks_return)
{
	state = 1;
	for (unsigned i = 0; i < 1000; i++) {
		struct saved_superblock s = random_superblock(i % SAVED_TREE), back;
		struct buffer b = { 0 };
		struct span span;

		saved_superblock_put(&b, &s, i % SAVED_TREE == 0);
		span = span_of(b.data, b.size);
		saved_superblock_take(&span, i % SAVED_TREE, MODULES, &back);
		ck_assert(!span.bad && !span_left(&span));
		ck_assert_uint_eq(back.parent, s.parent);
		ck_assert_uint_eq(back.exit, s.exit);
		ck_assert_uint_eq(back.entered, s.entered);
		ck_assert_uint_eq(back.generation, s.generation);
		ck_assert_uint_eq(back.n_blocks, s.n_blocks);
		for (unsigned k = 0; k < s.n_blocks; k++) {
			ck_assert_uint_eq(back.blocks[k].module, s.blocks[k].module);
			ck_assert_uint_eq(back.blocks[k].offset, s.blocks[k].offset);
		}
		buffer_free(&b);
	}
}
END_TEST

START_TEST(trees_stay_in_order)
{
	struct saved_program p, back, third;
	uint64_t keys[TREES], key;

	state = 2;
	p = random_program(keys);
	write_and_read(&p, &back);
	ck_assert_uint_eq(back.modules.count, MODULES);
	ck_assert_uint_eq(back.trees.count, TREES);
	for (unsigned i = 0; i < TREES; i++) {
		ck_assert_uint_eq(back.trees.at[i].key, keys[i]);
		assert_same_tree(&p, &back, keys[i]);
	}
	ck_assert_uint_eq(back.returns.count, RETURNS);
	for (unsigned i = 0; i < RETURNS; i++)
		ck_assert_uint_eq(back.returns.at[i].key, saved_key(i % MODULES, i));
	/* what is executed next time stands first, and the rest is kept for a while */
	put_tree(&back, &key);
	ck_assert_uint_eq(back.n_new, 1);
	write_and_read(&back, &third);
	ck_assert_uint_eq(third.trees.count, TREES + 1);
	ck_assert_uint_eq(third.trees.at[0].key, key);
	ck_assert_uint_eq(third.trees.at[1].key, keys[0]);
	for (unsigned i = 0; i < 8; i++) {
		saved_program_free(&back);
		back = third;
		write_and_read(&back, &third);
	}
	ck_assert_uint_eq(third.trees.count, 0);
	saved_program_free(&p);
	saved_program_free(&back);
	saved_program_free(&third);
}
END_TEST

START_TEST(known_trees_are_not_new)
{
	struct saved_program p, back;
	uint64_t keys[TREES], again[TREES];

	state = 3;
	p = random_program(keys);
	write_and_read(&p, &back);
	state = 3;
	for (unsigned i = 0; i < TREES; i++)
		put_tree(&back, &again[i]);
	ck_assert(saved_program_put_return(&back, saved_key(0, 0)));
	ck_assert_uint_eq(back.n_new, 0);
	ck_assert_uint_eq(back.order.count, TREES);
	/* another tree with the same first block replaces the known one */
	{
		struct saved_superblock s = { .n_blocks = 1 };
		struct buffer b = { 0 };

		s.blocks[0].module = (uint32_t)(keys[7] >> SAVED_OFFSET_BITS);
		s.blocks[0].offset = keys[7] & ((UINT64_C(1) << SAVED_OFFSET_BITS) - 1);
		put_varint(&b, 0);
		saved_superblock_put(&b, &s, true);
		ck_assert(saved_program_put(&back, keys[7], &b));
		ck_assert_uint_eq(back.n_new, 1);
		ck_assert_uint_eq(back.trees.count, TREES);
		ck_assert_uint_eq(back.trees.at[saved_program_find(&back, keys[7])].size, b.size);
		buffer_free(&b);
	}
	saved_program_free(&p);
	saved_program_free(&back);
}
END_TEST

/* Takes everything of a program that was accepted, which must be within its limits. */
static void use(const struct saved_program *p)
{
	for (uint32_t i = 0; i < p->trees.count; i++) {
		struct span span = saved_program_tree(p, i);
		unsigned n = (unsigned)take_varint(&span) + 1;

		ck_assert_uint_le(n, SAVED_TREE);
		for (unsigned k = 0; k < n; k++) {
			struct saved_superblock s;

			saved_superblock_take(&span, k, (uint32_t)p->modules.count, &s);
			ck_assert(!k || s.parent < k);
			ck_assert_uint_lt(s.exit, SAVED_EXITS);
			ck_assert(s.n_blocks >= 1 && s.n_blocks <= SAVED_BLOCKS);
			for (unsigned b = 0; b < s.n_blocks; b++)
				ck_assert_uint_lt(s.blocks[b].module, p->modules.count);
		}
		ck_assert(!span.bad && !span_left(&span));
	}
}

START_TEST(forged_programs_are_harmless)
{
	unsigned accepted = 0, rounds = is_quick() ? 5000 : 500000;
	struct buffer b = { 0 };
	uint64_t keys[TREES];
	struct saved_program p;
	uint8_t *copy;

	state = 4;
	p = random_program(keys);
	saved_program_write(&p, &b);
	copy = malloc(b.size);
	for (unsigned i = 0; i < rounds; i++) {
		struct saved_program forged = { 0 };
		size_t size = random_chance(&state, 30) ? random_below(&state, (unsigned)b.size)
							: b.size;

		memcpy(copy, b.data, b.size);
		for (unsigned k = random_below(&state, 4); k > 0; k--)
			copy[random_below(&state, (unsigned)b.size)] = (uint8_t)random_u64(&state);
		if (saved_program_parse(&forged, copy, size)) {
			accepted++;
			use(&forged);
		}
		saved_program_free(&forged);
	}
	ck_assert_uint_gt(accepted, 0);
	ck_assert_uint_lt(accepted, rounds);
	free(copy);
	buffer_free(&b);
	saved_program_free(&p);
}
END_TEST

/* ---- folders ---- */

static scratch_path folder_path;
static int folder;

static void begin(void)
{
	const char *why = "";

	scratch_folder(folder_path, "store");
	folder = store_folder_open(folder_path, &why);
	ck_assert_msg(folder >= 0, "%s", why);
}

static void end(void)
{
	DIR *stream = opendir(folder_path);

	for (struct dirent *e; (e = readdir(stream));)
		unlinkat(folder, e->d_name, 0);
	closedir(stream);
	close(folder);
	rmdir(folder_path);
}

static struct store_key key_of(unsigned number)
{
	struct store_key key = { { (uint8_t)number } };

	return key;
}

static void write_file(unsigned number, size_t size)
{
	struct store_key key = key_of(number);
	struct buffer b = { 0 };

	for (size_t i = 0; i < size; i++)
		put_u8(&b, (uint8_t)(i * number));
	ck_assert(store_folder_write(folder, &key, &b));
	buffer_free(&b);
}

static enum store_status read_file(unsigned number, size_t *size)
{
	struct store_key key = key_of(number);
	struct buffer b = { 0 };
	enum store_status status = store_folder_read(folder, &key, &b);

	for (size_t i = 0; status == STORE_FOUND && i < b.size; i++)
		ck_assert_uint_eq(b.data[i], (uint8_t)(i * number));
	*size = b.size;
	buffer_free(&b);
	return status;
}

static void path_of(unsigned number, scratch_path path)
{
	snprintf(path, sizeof(scratch_path), "%.*s/%02x%030d.code", PATH_MAX - 64, folder_path,
		 number, 0);
}

START_TEST(files_return)
{
	struct stat st;
	scratch_path path;
	size_t size;

	ck_assert_int_eq(read_file(3, &size), STORE_MISSING);
	write_file(3, 1000);
	write_file(4, 0);
	ck_assert_int_eq(read_file(3, &size), STORE_FOUND);
	ck_assert_uint_eq(size, 1000);
	ck_assert_int_eq(read_file(4, &size), STORE_FOUND);
	ck_assert_uint_eq(size, 0);
	write_file(3, 2000);
	ck_assert_int_eq(read_file(3, &size), STORE_FOUND);
	ck_assert_uint_eq(size, 2000);
	path_of(3, path);
	ck_assert_int_eq(stat(path, &st), 0);
	ck_assert_uint_eq(st.st_mode & 07777, 0600);
}
END_TEST

START_TEST(damage_is_noticed)
{
	scratch_path path, other;
	uint8_t bytes[256];
	ssize_t n;
	size_t size;
	int fd;

	write_file(3, 100);
	path_of(3, path);
	fd = open(path, O_RDWR);
	n = read(fd, bytes, sizeof(bytes));
	ck_assert_int_gt(n, 100);
	for (ssize_t i = 0; i < n; i++) {
		uint8_t wrong = bytes[i] ^ 0x10;

		ck_assert_int_eq(pwrite(fd, &wrong, 1, i), 1);
		ck_assert_int_eq(read_file(3, &size), STORE_DAMAGED);
		ck_assert_int_eq(pwrite(fd, &bytes[i], 1, i), 1);
	}
	ck_assert_int_eq(read_file(3, &size), STORE_FOUND);
	for (ssize_t i = 0; i < n; i++) {
		ck_assert_int_eq(ftruncate(fd, i), 0);
		ck_assert_int_eq(read_file(3, &size), STORE_DAMAGED);
	}
	close(fd);
	/* the file of another key, a link, a pipe */
	write_file(3, 100);
	path_of(5, other);
	ck_assert_int_eq(rename(path, other), 0);
	ck_assert_int_eq(read_file(5, &size), STORE_DAMAGED);
	ck_assert_int_eq(symlink(other, path), 0);
	ck_assert_int_eq(read_file(3, &size), STORE_DAMAGED);
	unlink(path);
	ck_assert_int_eq(mkfifo(path, 0600), 0);
	ck_assert_int_eq(read_file(3, &size), STORE_DAMAGED);
	write_file(3, 100);
	ck_assert_int_eq(read_file(3, &size), STORE_FOUND);
}
END_TEST

START_TEST(least_recently_used_go_first)
{
	scratch_path path;
	size_t size;

	for (unsigned i = 1; i <= 4; i++) {
		struct timespec used[2] = { { .tv_sec = 1000 + i }, { .tv_sec = 1000 + i } };

		write_file(i, 10000);
		path_of(i, path);
		ck_assert_int_eq(utimensat(AT_FDCWD, path, used, 0), 0);
	}
	ck_assert_int_eq(read_file(1, &size), STORE_FOUND); /* which uses it */
	store_folder_trim(folder, 25000);
	ck_assert_int_eq(read_file(2, &size), STORE_MISSING);
	ck_assert_int_eq(read_file(3, &size), STORE_MISSING);
	ck_assert_int_eq(read_file(4, &size), STORE_FOUND);
	ck_assert_int_eq(read_file(1, &size), STORE_FOUND);
}
END_TEST

/* Makes a file of a megabyte that was last used long ago. */
static void make_old_file(const char *name)
{
	const struct timespec used[2] = { { .tv_sec = 1000 }, { .tv_sec = 1000 } };
	int fd = openat(folder, name, O_CREAT | O_WRONLY, 0600);

	ck_assert_int_eq(ftruncate(fd, 1 << 20), 0);
	ck_assert_int_eq(futimens(fd, used), 0);
	close(fd);
}

START_TEST(others_files_stay)
{
	static const char *const names[] = {
		"notes",       "letter.new", "9.code.new.txt",
		"x9.code.new", "a.code",     "tttttttttttttttttttttttttttttttt.code"
	};
	enum { NAMES = sizeof(names) / sizeof(*names) };

	for (unsigned i = 0; i < NAMES; i++)
		make_old_file(names[i]);
	make_old_file("17.23.code.new");
	store_folder_trim(folder, 0);
	for (unsigned i = 0; i < NAMES; i++)
		ck_assert_msg(faccessat(folder, names[i], F_OK, 0) == 0, "%s", names[i]);
	ck_assert_int_lt(faccessat(folder, "17.23.code.new", F_OK, 0), 0);
}
END_TEST

START_TEST(open_folders_are_refused)
{
	scratch_path below;
	const char *why = NULL;
	struct stat st;
	int fd;

	snprintf(below, sizeof(below), "%.*s/a/b", PATH_MAX - 8, folder_path);
	fd = store_folder_open(below, &why);
	ck_assert_int_ge(fd, 0);
	ck_assert_int_eq(fstat(fd, &st), 0);
	ck_assert_uint_eq(st.st_mode & 07777, 0700);
	close(fd);
	ck_assert_int_eq(chmod(below, 0770), 0);
	ck_assert_int_eq(store_folder_open(below, &why), -1);
	ck_assert_str_eq(why, "other users may write to it");
	if (geteuid() == 0) {
		ck_assert_int_eq(chmod(below, 0700), 0);
		ck_assert_int_eq(chown(below, 12345, 12345), 0);
		ck_assert_int_eq(store_folder_open(below, &why), -1);
		ck_assert_str_eq(why, "it belongs to another user");
	}
	rmdir(below);
	snprintf(below, sizeof(below), "%.*s/a", PATH_MAX - 8, folder_path);
	rmdir(below);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("code_store");
	TCase *programs = tcase_create("programs"), *files = tcase_create("files");

	tcase_add_test(programs, superblocks_return);
	tcase_add_test(programs, trees_stay_in_order);
	tcase_add_test(programs, known_trees_are_not_new);
	tcase_add_test(programs, forged_programs_are_harmless);
	suite_add_tcase(suite, programs);
	tcase_add_checked_fixture(files, begin, end);
	tcase_add_test(files, files_return);
	tcase_add_test(files, damage_is_noticed);
	tcase_add_test(files, least_recently_used_go_first);
	tcase_add_test(files, others_files_stay);
	tcase_add_test(files, open_folders_are_refused);
	suite_add_tcase(suite, files);
	return run_suite(suite);
}
