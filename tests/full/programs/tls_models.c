/* flags: -ldl */
/* SPDX-License-Identifier: MIT */
/* Loads and unloads libraries with thread-local variables of each model, in loops and by threads, into the program's
 * namespace and into others (dlmopen). The arguments are the libraries' files. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include "say.h"

typedef int counts(int by);

static __thread int own = 1;
static counts *shared;

static void *use(void *arg)
{
	intptr_t sum = own++;

	for (int i = 0; i < 10; i++)
		sum += shared((int)(intptr_t)arg);
	return (void *)sum;
}

static void by_threads(void)
{
	pthread_t threads[4];
	intptr_t sum = 0;
	void *result;

	for (int i = 0; i < 4; i++)
		pthread_create(&threads[i], NULL, use, (void *)(intptr_t)(i + 1));
	for (int i = 0; i < 4; i++) {
		pthread_join(threads[i], &result);
		sum += (intptr_t)result;
	}
	say(" threads %ld", (long)sum);
}

static void load(const char *name, Lmid_t where)
{
	void *library = dlmopen(where, name, RTLD_NOW | RTLD_LOCAL);
	int first;

	if (!library) {
		say(" %s", dlerror() ? "not loaded" : "");
		return;
	}
	shared = (counts *)(uintptr_t)dlsym(library, "count");
	first = shared(1);
	say(" %d %d", first, shared(2));
	by_threads();
	say(" closed %d", dlclose(library));
}

static void *load_often(void *arg)
{
	intptr_t sum = 0;

	for (int i = 0; i < 3; i++) {
		void *library = dlopen(arg, RTLD_LAZY | RTLD_LOCAL);
		counts *count = library ? (counts *)(uintptr_t)dlsym(library, "count") : NULL;

		sum += count ? count(i) : -1;
		if (library)
			dlclose(library);
	}
	return (void *)sum;
}

int main(int argc, char **argv)
{
	pthread_t threads[8];
	void *result;

	for (int i = 1; i < argc; i++) {
		say("%d:", i);
		load(argv[i], LM_ID_BASE);
		say(" apart");
		load(argv[i], LM_ID_NEWLM);
		say("\n");
	}
	for (int i = 1; i < argc && i < 9; i++)
		pthread_create(&threads[i - 1], NULL, load_often, argv[i]);
	for (int i = 1; i < argc && i < 9; i++) {
		pthread_join(threads[i - 1], &result);
		say("often %ld\n", (long)(intptr_t)result);
	}
	return 0;
}
