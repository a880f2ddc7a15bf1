/* Tables that can be sorted by each column. */

const MOST_ROWS = 400;

/*
 * Returns a table. Columns are {key, title, format}; a column with a format has numbers, and one
 * without has names. Rows are objects, in the order of the analyzer.
 */
function table(caption, columns, rows) {
	const body = node('tbody');
	const heads = columns.map((column) => head(column, (descending) => {
		fill(body, columns, sorted(rows, column.key, descending));
	}));

	fill(body, columns, rows);
	return node('div', { class: 'scroll', tabindex: 0, role: 'region', 'aria-label': caption },
		node('table', {}, node('caption', {}, caption),
			node('thead', {}, node('tr', {}, heads)), body));
}

function head(column, on_sort) {
	const cell = node('th', { scope: 'col', class: column.format ? 'number' : 'name',
		'aria-sort': 'none' }, button(column.title, () => {
		const descending = cell.getAttribute('aria-sort') === 'none' ? !!column.format :
			cell.getAttribute('aria-sort') === 'ascending';

		for (const other of cell.parentElement.children)
			other.setAttribute('aria-sort', 'none');
		cell.setAttribute('aria-sort', descending ? 'descending' : 'ascending');
		on_sort(descending);
	}, { class: 'sort' }));

	return cell;
}

function fill(body, columns, rows) {
	body.replaceChildren(...rows.slice(0, MOST_ROWS).map((row) => node('tr', {},
		columns.map((column, i) => cell(column, row[column.key], i)))));
	if (rows.length > MOST_ROWS)
		body.append(node('tr', {}, node('td', { colspan: columns.length },
			'… and ' + count(rows.length - MOST_ROWS) + ' more')));
}

function cell(column, value, index) {
	const text = column.format ? column.format(value) : value === undefined || value === null ?
		MISSING : String(value);
	const brief = brief_text(text), style = { class: column.format ? 'number' : 'name',
		...brief !== text && { title: text } };

	return index ? node('td', style, brief) : node('th', { scope: 'row', ...style }, brief);
}

function sorted(rows, key, descending) {
	const sign = descending ? -1 : 1;

	return rows.slice().sort((a, b) => sign * (is_number(a[key]) && is_number(b[key]) ?
		a[key] - b[key] : String(a[key]).localeCompare(String(b[key]))));
}
