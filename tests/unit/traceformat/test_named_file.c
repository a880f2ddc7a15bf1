/* SPDX-License-Identifier: MIT */
/* Files that a received file names: which of them are opened, and under which resolved paths. */
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/scratch.h"
#include "tests/unit/run_suite.h"
#include "traceformat/common/named_file.h"

static char folder[PATH_MAX], file[PATH_MAX + 8], other[PATH_MAX + 8];

static void set_up(void)
{
	scratch_path name;

	scratch_folder(name, "named");
	ck_assert_ptr_nonnull(realpath(name, folder));
	snprintf(file, sizeof(file), "%s/file", folder);
	snprintf(other, sizeof(other), "%s/other", folder);
	close(open(file, O_WRONLY | O_CREAT, 0600));
}

static void tear_down(void)
{
	unlink(file);
	unlink(other);
	rmdir(folder);
}

/* Checks that a path is refused, and that the resolved path is then unchanged. */
static void check_refused(const char *path)
{
	char resolved[PATH_MAX] = "unchanged";
	const char *why = NULL;

	ck_assert_int_lt(named_file_open(path, resolved, &why), 0);
	ck_assert_ptr_nonnull(why);
	ck_assert_str_eq(resolved, "unchanged");
	ck_assert_int_lt(named_file_open(path, NULL, &why), 0);
}

static void check_opened(const char *path, const char *expected)
{
	char resolved[PATH_MAX] = "";
	const char *why = "";
	struct stat opened, wanted;
	int fd = named_file_open(path, resolved, &why);

	ck_assert_int_ge(fd, 0);
	ck_assert_ptr_null(why);
	ck_assert_str_eq(resolved, expected);
	ck_assert_int_eq(fstat(fd, &opened), 0);
	ck_assert_int_eq(stat(expected, &wanted), 0);
	ck_assert_uint_eq(opened.st_ino, wanted.st_ino);
	close(fd);
	fd = named_file_open(path, NULL, &why);
	ck_assert_int_ge(fd, 0);
	close(fd);
}

START_TEST(regular_files)
{
	check_opened(file, file);
	ck_assert_int_eq(symlink("file", other), 0);
	check_opened(other, file);
	unlink(other);
	ck_assert_int_eq(symlink(file, other), 0);
	check_opened(other, file);
}
END_TEST

/* A link may also stand for a folder on the way. */
START_TEST(links_on_the_way)
{
	char path[2 * PATH_MAX];

	snprintf(path, sizeof(path), "%s/file", other);
	ck_assert_int_eq(symlink(folder, other), 0);
	check_opened(path, file);
	unlink(other);
	ck_assert_int_eq(symlink(".", other), 0);
	check_opened(path, file);
}
END_TEST

START_TEST(all_else_is_refused)
{
	check_refused(folder);
	check_refused(other);
	check_refused("named");
	check_refused("/proc/self/maps");
	check_refused("/dev/null");
	ck_assert_int_eq(mkfifo(other, 0600), 0);
	check_refused(other);
	unlink(other);
	ck_assert_int_eq(symlink("/proc/self/maps", other), 0);
	check_refused(other);
	unlink(other);
	ck_assert_int_eq(symlink("other", other), 0);
	check_refused(other);
}
END_TEST

START_TEST(folders)
{
	char resolved[PATH_MAX] = "unchanged";
	const char *why = NULL;
	int fd;

	ck_assert_int_lt(named_folder_open(file, resolved, &why), 0);
	ck_assert_str_eq(why, "is not a folder");
	ck_assert_str_eq(resolved, "unchanged");
	ck_assert_int_eq(symlink(folder, other), 0);
	fd = named_folder_open(other, resolved, &why);
	ck_assert_int_ge(fd, 0);
	ck_assert_ptr_null(why);
	ck_assert_str_eq(resolved, folder);
	close(fd);
	fd = named_folder_open(folder, NULL, &why);
	ck_assert_int_ge(fd, 0);
	close(fd);
	close(STDIN_FILENO); /* the folder's descriptor is 0 */
	ck_assert_int_lt(named_folder_open(file, resolved, &why), 0);
	ck_assert(is_below(file, folder) && is_below(folder, folder));
	ck_assert(!is_below(folder, file) && !is_below("/a/bc", "/a/b"));
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("named_file");
	TCase *tests = tcase_create("named files");

	tcase_add_checked_fixture(tests, set_up, tear_down);
	tcase_add_test(tests, regular_files);
	tcase_add_test(tests, links_on_the_way);
	tcase_add_test(tests, all_else_is_refused);
	tcase_add_test(tests, folders);
	suite_add_tcase(suite, tests);
	return run_suite(suite);
}
