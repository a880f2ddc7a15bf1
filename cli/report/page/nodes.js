/*
 * Elements of the page. Text from a trace is untrusted: text only becomes text nodes, and attributes
 * that a browser could run as code are never set from data.
 */

/* Returns an element. Children are elements and strings; a property of a name is an attribute. */
function node(name, properties, ...children) {
	const element = document.createElement(name);

	for (const [key, value] of Object.entries(properties || {})) {
		if (key === 'class')
			element.className = value;
		else if (key.startsWith('on'))
			element.addEventListener(key.slice(2), value);
		else if (value !== undefined && value !== false)
			element.setAttribute(key, value === true ? '' : value);
	}
	element.append(...children.flat().filter((child) => child !== undefined && child !== null && child !== false));
	return element;
}

/* Returns a button of the page's own look. */
function button(text, on_click, properties) {
	return node('button', { type: 'button', onclick: on_click, ...properties }, text);
}

/* Returns a choice with a label; options are [value, text]. */
function choice(label, options, on_change, properties) {
	const select = node('select', { onchange: () => on_change(select.value), ...properties },
		options.map(([value, text]) => node('option', { value }, text)));

	return node('label', { class: 'choice' }, label + ' ', select);
}

/* Returns a list of names and contents, without those that are missing. */
function facts(pairs) {
	return node('dl', { class: 'facts' }, pairs
		.filter(([, content]) => ![undefined, null, false, ''].includes(content))
		.map(([name, content]) => node('div', {}, node('dt', {}, name),
			node('dd', {}, content))));
}

/* Returns an element of a drawing. */
function vector(name, properties) {
	const element = document.createElementNS('http://www.w3.org/2000/svg', name);

	for (const [key, value] of Object.entries(properties))
		element.setAttribute(key, value);
	return element;
}

let last_id = 0;

function new_id(stem) {
	return stem + '-' + ++last_id;
}
