/* The sections of the page: each shows a result of the report, or says how to get the result. */

/* Returns a section with a heading and a sentence about its contents. */
function section(id, title, lead, ...children) {
	return node('section', { id, 'aria-labelledby': id + '-title' },
		node('h2', { id: id + '-title' }, title),
		lead && node('p', { class: 'lead' }, lead), ...children);
}

/* Returns the place of a picture without numbers: the reason, and the command to get them. */
function empty(title, reason, command) {
	return node('div', { class: 'card empty' }, node('h3', {}, title), node('p', {}, reason),
		command && node('p', { class: 'command' }, node('code', {}, command)));
}

/*
 * Returns draw(result) if the result has the numbers that a picture needs. Otherwise the reason stands
 * there: `missing` is a sentence about a trace without the numbers, and `how` the command to get them.
 */
function contents(title, found, has_data, missing, how, draw) {
	if (!found.data && found.reason)
		return empty(title, found.reason, how);
	return found.data && has_data(found.data) ? draw(found) : empty(title, missing, how);
}

function has_rows(rows) {
	return Array.isArray(rows) && rows.length > 0;
}
