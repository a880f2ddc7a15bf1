/* Names of functions, of which those of C++ may have a thousand characters. */

const MOST_OF_ARGUMENTS = 12;	/* characters of arguments that are shown; a longer list becomes "…" */
const LONG_NAME = 60;
const NAME_PARTS = /operator(?:\(\)|[-<>=]+)|->|[<>()]|[^<>()o-]+|./gs;
const CLOSING = { '<': '>', '(': ')' };

/* Returns whether a bracket behind a text begins arguments; not so in Rust's <T as Trait>::name. */
function begins_arguments(text) {
	return /\S$|operator[-<>=]+ $/.test(text);
}

/* Returns what stands for a list of arguments. */
function brief_arguments(inner) {
	return inner.length > MOST_OF_ARGUMENTS && inner !== 'anonymous namespace' ? '…' : inner;
}

/* Returns a text in which long lists of arguments, of templates and of functions, are "…". */
function without_arguments(text) {
	const open = [];
	let brief = '', inner = '';

	for (const [part] of text.matchAll(NAME_PARTS)) {
		if (open.length && part === open[open.length - 1]) {
			open.pop();
			if (!open.length) {
				brief += brief_arguments(inner) + part;
				continue;
			}
		}
		if (open.length)
			inner += part;
		else
			brief += part;
		if (CLOSING[part] && (open.length || begins_arguments(brief.slice(-16, -1)))) {
			inner = open.length ? inner : '';
			open.push(CLOSING[part]);
		}
	}
	return open.length ? text : brief;
}

/* Returns a long text without long lists of arguments, and a short one as it is. */
function brief_text(text) {
	return text.length > LONG_NAME ? without_arguments(text) : text;
}

/* Returns the last word of a text; spaces in brackets separate no words. */
function last_word(text) {
	let depth = 0, at = text.length - 1;

	for (; at >= 0 && (depth || text[at] !== ' '); at--)
		depth += ')>'.includes(text[at]) - '(<'.includes(text[at]);
	return text.slice(at + 1);
}

/* What a function's name can do without, the least important part first. */
const REDUCTIONS = [
	(name) => name.replace(/ \[clone [^\]]*\]$/, ''),
	(name) => name.replace(/\([^()]*\)( const)?$/, ''),
	(name) => name.replace(/ <[^<>]*>$/, ''),
	last_word,
	(name) => name.replace(/^.*::(?=[^:>)]+(<[^<>]*>)?$)/, '…::'),
];

/* Returns a function's name without as many parts as have no room; other texts as they are. */
function reduced_name(name, most) {
	const is_qualified = /^[^/]*(::|[(<])/.test(name);

	return REDUCTIONS.reduce((short, reduce) => short.length > most && is_qualified ? reduce(short) : short,
		name.length > most ? without_arguments(name) : name);
}

/* Shortens a name, if need be in the middle: both of its ends tell names apart. */
function shortened(name, most) {
	const brief = reduced_name(name, most);
	const head = Math.ceil((most - 1) / 2);

	return brief.length <= most ? brief :
		brief.slice(0, head) + '…' + brief.slice(brief.length - (most - 1 - head));
}
