/* SPDX-License-Identifier: MIT */
/* Replaces getopt_long(3): prints the options that a command gives to it, and ends the command. */
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>

static void print_options(const char *letters, const struct option *table)
{
	for (; table->name; table++)
		printf("--%s\n", table->name);
	for (; *letters; letters++)
		if (*letters != ':' && *letters != '+' && *letters != '-')
			printf("-%c\n", *letters);
	exit(0);
}

int getopt_long(int argc, char *const *argv, const char *letters, const struct option *table,
		int *index)
{
	(void)argc;
	(void)argv;
	(void)index;
	print_options(letters, table);
	return -1;
}

int getopt_long_only(int argc, char *const *argv, const char *letters, const struct option *table,
		     int *index)
{
	return getopt_long(argc, argv, letters, table, index);
}
