/* SPDX-License-Identifier: MIT */
/*
 * Small kernels of all sorts, the same result in each run: compiled several ways by kernels_*.c, so
 * that code of every style is there. Prints one line a kernel.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define KERNEL static __attribute__((noinline)) uint64_t

static uint64_t random_state = 1;

static uint64_t next_random(void)
{
	random_state ^= random_state << 13;
	random_state ^= random_state >> 7;
	return random_state ^= random_state << 17;
}

KERNEL matrix(void)
{
	enum { N = 5 };
	static double a[N][N], b[N][N], c[N][N];
	double trace = 0;

	for (int i = 0; i < N; i++)
		for (int k = 0; k < N; k++)
			a[i][k] = i + 0.5 * k, b[i][k] = i - 0.25 * k;
	for (int i = 0; i < N; i++)
		for (int j = 0; j < N; j++)
			for (int k = 0; k < N; k++)
				c[i][j] += a[i][k] * b[k][j];
	for (int i = 0; i < N; i++)
		trace += c[i][i];
	return (uint64_t)(int64_t)trace;
}

static int compare_numbers(const void *a, const void *b)
{
	const uint32_t *x = a, *y = b;

	return *x < *y ? -1 : *x > *y;
}

KERNEL sorting(void)
{
	enum { N = 60 };
	uint32_t numbers[N];
	uint64_t sum = 0;

	for (int i = 0; i < N; i++)
		numbers[i] = (uint32_t)next_random();
	qsort(numbers, N, sizeof(numbers[0]), compare_numbers);
	for (int i = 0; i < N; i++)
		sum = sum * 31 + numbers[i];
	return sum;
}

struct node {
	struct node *left, *right;
	unsigned key : 20, depth : 12;
};

static struct node *insert(struct node *n, unsigned key, unsigned depth)
{
	if (!n) {
		n = calloc(1, sizeof(*n));
		n->key = key;
		n->depth = depth;
	} else if (key < n->key) {
		n->left = insert(n->left, key, depth + 1);
	} else {
		n->right = insert(n->right, key, depth + 1);
	}
	return n;
}

static uint64_t fold_tree(struct node *n)
{
	uint64_t sum;

	if (!n)
		return 1;
	sum = fold_tree(n->left) * 3 + n->key + n->depth;
	sum = sum * 5 + fold_tree(n->right);
	free(n);
	return sum;
}

KERNEL tree(void)
{
	struct node *root = NULL;

	for (int i = 0; i < 40; i++)
		root = insert(root, next_random() & 0xfffff, 0);
	return fold_tree(root);
}

KERNEL strings(void)
{
	char text[200] = "", copy[200];
	uint64_t sum = 0;

	for (int i = 0; i < 12; i++) {
		char word[16];

		snprintf(word, sizeof(word), "%c%d,", 'a' + i, i * i * 37);
		strcat(text, word);
	}
	memcpy(copy, text, sizeof(copy));
	memmove(copy + 3, copy, 60);
	for (char *p = strtok(text, ","); p; p = strtok(NULL, ","))
		sum = sum * 7 + strlen(p) + (unsigned char)*p + (uint64_t)atoi(p + 1);
	sum += (uint64_t)(strchr(copy, 'k') - copy) + (uint64_t)(memchr(copy, 'z', 200) != NULL);
	return sum * 11 + (uint64_t)(strstr(copy, "j29") - copy) + (uint64_t)(strcmp(text, copy) > 0);
}

/* Has a switch of many cases: a jump table. */
KERNEL interpreter(void)
{
	static const char program[] = "+*s-+d*r+sn+*-dxr+*+s";
	uint64_t a = 3, b = 5;

	for (int round = 0; round < 3; round++)
		for (const char *p = program; *p; p++)
			switch (*p) {
			case '+': a += b; break;
			case '*': a *= b | 1; break;
			case '-': a -= b >> 3; break;
			case 'd': b += a / 7; break;
			case 'n': a = ~a; break;
			case 'o': a |= 1; break;
			case 'p': b |= 2; break;
			case 'q': b ^= 9; break;
			case 'r': a = a << 5 | a >> 59; break;
			case 's': { uint64_t t = a; a = b; b = t; break; }
			case 'x': a ^= b; break;
			}
	return a ^ b;
}

static jmp_buf back;

static void __attribute__((noinline)) leave(int depth)
{
	volatile char room[64] = { (char)depth };

	if (depth == 0)
		longjmp(back, room[0] + 42);
	leave(depth - 1);
	room[1] = room[0];
}

KERNEL jumps(void)
{
	int value = setjmp(back);

	if (value == 0)
		leave(5);
	return (uint64_t)value;
}

struct wide {
	long a[5];
	double d;
};

static struct wide __attribute__((noinline)) by_value(struct wide w, double x, long double y)
{
	w.a[2] += (long)(w.d * x) + (long)y;
	w.d += x;
	return w;
}

static long __attribute__((noinline)) variadic(int n, ...)
{
	va_list list;
	long sum = 0;

	va_start(list, n);
	for (int i = 0; i < n; i++)
		sum = sum * 3 + (i % 3 == 2 ? (long)va_arg(list, double) : va_arg(list, long));
	va_end(list);
	return sum;
}

KERNEL calls(void)
{
	struct wide w = { { 1, 2, 3, 4, 5 }, 1.5 };
	uint64_t (*const table[])(void) = { interpreter, jumps };
	unsigned room = (unsigned)(next_random() & 63) + 1;
	char *local = __builtin_alloca(room);
	uint64_t sum = 0;

	memset(local, 3, room);
	for (int i = 0; i < 6; i++) {
		w = by_value(w, i * 0.75, i * 1.25L);
		sum += table[i & 1]() + (uint64_t)local[room - 1];
	}
	return sum + (uint64_t)w.a[2] + (uint64_t)variadic(8, 1L, 2L, 3.0, 4L, 5L, 6.0, 7L, 8L);
}

KERNEL floats(void)
{
	double x = 0;
	float f = 1;
	long double l = 1;

	for (int i = 1; i < 15; i++) {
		x += sqrt(i) / (x + 1) - (double)(i % 4 == 0);
		f = f * 1.25f + (float)i;
		l = l / 3 + i;
		if (x < 0 || isnan(x))
			x = -x;
	}
	return (uint64_t)(x * 1e9) + (uint64_t)f + (uint64_t)(l * 1000) + (uint64_t)llrint(x * 7);
}

/* Has loops that vectorise, with odd ends. */
KERNEL vectors(void)
{
	enum { N = 75 };
	static int16_t a[N];
	static int32_t b[N];
	static uint8_t c[N];
	uint64_t sum = 0;

	for (int i = 0; i < N; i++)
		a[i] = (int16_t)(i * 770), c[i] = (uint8_t)(i * 3);
	for (int i = 0; i < N; i++)
		b[i] = a[i] > 0 ? a[i] * c[i] : b[i] - a[N - 1 - i];
	for (int i = 0; i < N / 2; i++)
		b[i] += b[a[i] & 63] ^ c[i * 2];
	for (int i = 0; i < N; i++)
		if (c[i] & 1)
			a[i] = (int16_t)b[i];
	for (int i = 0; i < N; i++)
		sum += (uint64_t)b[i] * c[i] + (uint64_t)a[i];
	return sum;
}

KERNEL wide_numbers(void)
{
	unsigned __int128 n = 1;
	uint64_t sum = 0;

	for (int i = 0; i < 12; i++) {
		n = n * 0x123456789abcdef1 + (uint64_t)i;
		sum += (uint64_t)(n / (next_random() | 1)) + (uint64_t)__builtin_popcountll((uint64_t)n);
		sum ^= (uint64_t)__builtin_ctzll((uint64_t)n | 256) << __builtin_clzll((uint64_t)n | 1);
		sum = __builtin_bswap64(sum);
	}
	return sum;
}

static __thread unsigned long per_thread = 3;

KERNEL thread_local(void)
{
	for (int i = 0; i < 10; i++)
		per_thread = per_thread * 5 + (unsigned long)i;
	return per_thread;
}

int main(void)
{
	static const struct { const char *name; uint64_t (*run)(void); } kernels[] = {
		{ "matrix", matrix }, { "sorting", sorting }, { "tree", tree }, { "strings", strings },
		{ "interpreter", interpreter }, { "calls", calls }, { "floats", floats },
		{ "vectors", vectors }, { "wide_numbers", wide_numbers }, { "thread_local", thread_local },
	};

	for (size_t i = 0; i < sizeof(kernels) / sizeof(kernels[0]); i++)
		printf("%-12s %016lx %.6g\n", kernels[i].name, kernels[i].run(), (double)i / 7);
	return 0;
}
