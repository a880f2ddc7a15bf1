/* Numbers, sizes and names as a reader sees them. */

const THIN = '\u202f';	/* narrow space that does not break */
const MISSING = '–';

/*
 * Returns the digits of a number in groups: 1,234,567. The text reports of the commands and the
 * sentences of the page have the same form, so that a number can be found in all of them.
 */
function grouped(number) {
	const [whole, fraction] = String(number).split('.');
	const groups = whole.replace(/\B(?=(\d{3})+$)/g, ',');

	return fraction ? groups + '.' + fraction : groups;
}

function is_number(value) {
	return typeof value === 'number' && Number.isFinite(value);
}

/* Returns a count, whole: 220,616,311. */
function count(value) {
	return is_number(value) ? grouped(Math.round(value)) : MISSING;
}

/* Returns three digits and an SI prefix: 221 M. */
function short_count(value) {
	const prefixes = ['', 'k', 'M', 'G', 'T', 'P', 'E'];
	let power = 0;

	if (!is_number(value))
		return MISSING;
	for (; Math.abs(value) >= 999.5 && power + 1 < prefixes.length; power++)
		value /= 1000;
	return three_digits(value) + (power ? THIN + prefixes[power] : '');
}

/* Returns at most three significant digits, and never an exponent for numbers of this page. */
function three_digits(value) {
	if (!is_number(value))
		return MISSING;
	if (Math.abs(value) >= 100)
		return grouped(Math.round(value));
	return String(+value.toPrecision(3));
}

/* Returns bytes with a binary prefix: 32 KiB. */
function size(bytes) {
	const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB', 'PiB', 'EiB'];
	let unit = 0;

	if (!is_number(bytes))
		return MISSING;
	for (; Math.abs(bytes) >= 1024 && unit + 1 < units.length; unit++)
		bytes /= 1024;
	return three_digits(bytes) + THIN + units[unit];
}

function percent(value) {
	if (!is_number(value))
		return MISSING;
	if (value !== 0 && Math.abs(value) < 0.01)
		return '<' + THIN + '0.01' + THIN + '%';
	return three_digits(value) + THIN + '%';
}

function capital(text) {
	return text.charAt(0).toUpperCase() + text.slice(1);
}

function plural(number, one, more) {
	return number === 1 ? one : more;
}

/* Returns the part of a path behind the last slash. */
function base_name(path) {
	return path.slice(path.lastIndexOf('/') + 1);
}
