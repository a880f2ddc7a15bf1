/* flags: -nostdlib -nostartfiles -static -ffreestanding -fno-stack-protector -fcf-protection=none -fno-tree-loop-distribute-patterns */
/* SPDX-License-Identifier: MIT */
/*
 * compresses BLOCKS EFFORT: writes blocks of 1000 bytes of text, of numbers, of noise or of repetitions, and compresses
 * each: finds matches in hash chains of at most EFFORT steps, counts the symbols, sorts them, and packs their codes.
 * There is no libc and the stack is the program's own, so that every computer executes the same instructions, and the
 * behavior changes from block to block as that of a real compressor does.
 */
#include <stdint.h>

#define APART __attribute__((noinline, noclone))

enum { BLOCK = 1000, HASHES = 1024, LONGEST = 60, SHORTEST = 3, SYMBOLS = 256 + LONGEST };

static unsigned char text[BLOCK + LONGEST];
static short heads[HASHES], links[BLOCK], symbols[BLOCK];
static int counts[SYMBOLS], order[SYMBOLS], ranks[SYMBOLS];
static unsigned char packed[4 * BLOCK];
static unsigned checksum, state = 1;
char own_stack[16384] __attribute__((aligned(64)));

static unsigned draw(unsigned below)
{
	state = state * 1103515245 + 12345;
	return (state >> 16) % below;
}

APART static int write_words(int at)
{
	unsigned word = draw(50), length = 2 + word % 7;

	for (unsigned i = 0; i < length && at < BLOCK; i++)
		text[at++] = 'a' + (word * 7 + i * i) % 26;
	return at;
}

APART static int write_number(int at)
{
	unsigned number = draw(30000);

	do
		text[at++] = '0' + number % 10;
	while ((number /= 10) && at < BLOCK);
	return at;
}

APART static void write_block(unsigned kind)
{
	for (int at = 0; at < BLOCK;) {
		if (kind == 0)
			at = write_words(at);
		else if (kind == 1)
			at = write_number(at);
		else if (kind == 2)
			text[at++] = draw(256);
		else
			text[at] = at % 50 ? text[at - 1] : draw(256), at++;
		if (kind < 2 && at < BLOCK)
			text[at++] = ' ';
	}
}

static unsigned hash(int at)
{
	return (text[at] * 961 + text[at + 1] * 31 + text[at + 2]) % HASHES;
}

APART static int match_length(int at, int before)
{
	int length = 0;

	while (length < LONGEST && at + length < BLOCK && text[at + length] == text[before + length])
		length++;
	return length;
}

APART static int longest_match(int at, int effort)
{
	int best = 0;

	for (int before = heads[hash(at)] - 1; before >= 0 && effort--; before = links[before] - 1) {
		int length = match_length(at, before);

		if (length > best)
			best = length;
	}
	return best;
}

APART static void insert(int at)
{
	unsigned place = hash(at);

	links[at] = heads[place];
	heads[place] = at + 1;
}

APART static int find_matches(int effort)
{
	int n = 0;

	for (int i = 0; i < HASHES; i++)
		heads[i] = 0;
	for (int at = 0; at < BLOCK; n++) {
		int length = longest_match(at, effort), end;

		symbols[n] = length >= SHORTEST ? 255 + length : text[at];
		end = at + (length >= SHORTEST ? length : 1);
		while (at < end)
			insert(at++);
	}
	return n;
}

APART static void sort_symbols(int n)
{
	for (int i = 0; i < SYMBOLS; i++)
		counts[i] = 0;
	for (int i = 0; i < n; i++)
		counts[symbols[i]]++;
	for (int i = 0; i < SYMBOLS; i++) {
		int j = i;

		for (; j > 0 && counts[order[j - 1]] < counts[i]; j--)
			order[j] = order[j - 1];
		order[j] = i;
	}
	for (int i = 0; i < SYMBOLS; i++)
		ranks[order[i]] = i;
}

/* Frequent symbols have short codes: a rank r takes about 2 log2(r) bits. */
APART static int pack(int n)
{
	uint64_t bits = 0;
	int n_bits = 0, size = 0;

	for (int i = 0; i < n; i++) {
		int rank = ranks[symbols[i]] + 1, width = 32 - __builtin_clz(rank);

		bits |= (uint64_t)rank << n_bits;
		for (n_bits += 2 * width - 1; n_bits >= 8; n_bits -= 8, bits >>= 8)
			packed[size++] = bits;
	}
	return size;
}

APART static void add_up(int size)
{
	for (int i = 0; i < size; i++) {
		checksum ^= packed[i];
		for (int k = 0; k < 8; k++)
			checksum = checksum & 1 ? checksum >> 1 ^ 0xedb88320 : checksum >> 1;
	}
}

static int number(const char *word)
{
	int value = 0;

	while (*word)
		value = value * 10 + *word++ - '0';
	return value;
}

__attribute__((used)) static void run(const long *start)
{
	const char *const *arguments = (const char *const *)(start + 1);
	int blocks = number(arguments[1]), effort = number(arguments[2]);

	for (int i = 0; i < blocks; i++) {
		write_block(i / 3 % 4);
		int n = find_matches(effort);
		sort_symbols(n);
		add_up(pack(n));
	}
	__asm__ volatile("syscall" : : "a"(60), "D"(0));
	__builtin_unreachable();
}

__asm__(".globl _start\n"
	"_start: mov %rsp, %rdi\n"
	"lea own_stack+16384(%rip), %rsp\n"
	"call run\n");
