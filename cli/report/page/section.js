/* The sections of the page: each shows a result of the report, or says how to get the result. */

/* Returns a section with a heading and a sentence about its contents. */
function section(id, title, lead, ...children) {
	return node('section', { id, 'aria-labelledby': id + '-title' },
		node('h2', { id: id + '-title' }, title),
		lead && node('p', { class: 'lead' }, lead), ...children);
}

/* Returns the contents of a section without numbers: the reason, and what to do. */
function empty(reason, command) {
	return node('div', { class: 'card empty' }, node('p', {}, reason),
		command && node('p', { class: 'command' }, node('code', {}, command)));
}

/*
 * Returns the contents of a section: what draw(result) returns, if the result has what it needs.
 * `missing` is a sentence about a trace without it, and `how` the command that records it.
 */
function contents(found, has_data, missing, how, draw) {
	if (!found.data && found.reason)
		return empty(found.reason, how);
	return found.data && has_data(found.data) ? draw(found) : empty(missing, how);
}

function has_rows(rows) {
	return Array.isArray(rows) && rows.length > 0;
}
