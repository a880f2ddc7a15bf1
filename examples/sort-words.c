/* SPDX-License-Identifier: MIT */
/*
 * sort-words - a program worth tracing: it reads words from standard input, counts them in a hash
 * table, sorts them by count, and prints the most frequent ones.
 *
 * Its phases look different in a trace: reading is string code (SSE or AVX in libc), counting
 * chases pointers through the heap, sorting is branches that are hard to predict.
 *
 *	sort-words [N] <FILE		N: how many words to print, default 10
 */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BUCKETS = 4096, MAX_WORD = 64 };

struct word {
	struct word *next; /* in its bucket */
	unsigned count;
	char text[];
};

struct words {
	struct word *buckets[BUCKETS];
	size_t n_words;
};

static unsigned hash(const char *text)
{
	unsigned h = 2166136261u; /* FNV-1a */

	while (*text)
		h = (h ^ (unsigned char)*text++) * 16777619u;
	return h % BUCKETS;
}

static int count_word(struct words *words, const char *text)
{
	struct word **bucket = &words->buckets[hash(text)];
	struct word *word = *bucket;

	while (word && strcmp(word->text, text))
		word = word->next;
	if (!word) {
		word = malloc(sizeof(*word) + strlen(text) + 1);
		if (!word)
			return -1;
		word->next = *bucket;
		word->count = 0;
		strcpy(word->text, text);
		*bucket = word;
		words->n_words++;
	}
	word->count++;
	return 0;
}

static int read_words(struct words *words, FILE *in)
{
	char line[4096], word[MAX_WORD];
	size_t length = 0;

	while (fgets(line, sizeof(line), in))
		for (const char *p = line; *p; p++)
			if (isalpha((unsigned char)*p) && length < MAX_WORD - 1) {
				word[length++] = (char)tolower((unsigned char)*p);
			} else if (length) {
				word[length] = '\0';
				length = 0;
				if (count_word(words, word) < 0)
					return -1;
			}
	return 0;
}

static int by_count(const void *a, const void *b)
{
	const struct word *x = *(struct word *const *)a, *y = *(struct word *const *)b;

	if (x->count != y->count)
		return x->count > y->count ? -1 : 1;
	return strcmp(x->text, y->text);
}

static struct word **sort_words(const struct words *words)
{
	struct word **sorted = malloc((words->n_words + 1) * sizeof(struct word *));
	size_t n = 0;

	if (!sorted)
		return NULL;
	for (size_t i = 0; i < BUCKETS; i++)
		for (struct word *word = words->buckets[i]; word; word = word->next)
			sorted[n++] = word;
	qsort(sorted, n, sizeof(struct word *), by_count);
	return sorted;
}

int main(int argc, char **argv)
{
	static struct words words;
	size_t wanted = argc > 1 ? strtoul(argv[1], NULL, 10) : 10;
	struct word **sorted = read_words(&words, stdin) < 0 ? NULL : sort_words(&words);

	if (!sorted) {
		fputs("sort-words: out of memory\n", stderr);
		return 1;
	}
	for (size_t i = 0; i < wanted && i < words.n_words; i++)
		printf("%7u %s\n", sorted[i]->count, sorted[i]->text);
	return 0;
}
