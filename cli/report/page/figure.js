/* A picture with its definition, its table and the command that prints the numbers. */

/*
 * Returns the figure. `about` is
 *   title, definition   a noun and a sentence
 *   command             the command line that prints the numbers, or nothing
 *   exactness           "exact", "modelled" or "sampled", or nothing
 *   height              of the picture: "low", "middle" or "high"
 *   draw(plot)          draws the picture into an element that is part of the page
 *   table()             returns the table, or nothing
 *   controls            elements above the picture
 */
function figure(about) {
	const tip = node('span', { class: 'tip', role: 'tooltip', id: new_id('tip') },
		about.definition);
	const height = about.height || 'middle';
	const plot = node('div', { class: 'plot ' + height, 'data-height': height });
	const numbers = node('div', { class: 'numbers', hidden: true });
	const switcher = about.table && button('Table', () => show(numbers.hidden),
		{ class: 'switch', 'aria-pressed': 'false', title: 'The numbers of this picture' });
	const element = node('figure', { class: 'card ' + (about.class || '') },
		node('figcaption', {},
			node('h3', {}, about.title),
			about.exactness && node('span', { class: 'exactness ' + about.exactness },
				about.exactness),
			node('span', { class: 'definition' },
				node('button', { type: 'button', class: 'info',
					'aria-label': 'Definition of ' + about.title,
					'aria-describedby': tip.id }, '?'), tip),
			switcher),
		about.controls && node('div', { class: 'controls' }, about.controls),
		plot, numbers,
		about.command && node('p', { class: 'command' },
			node('code', { title: about.command },
				about.command)));

	function show(table_shown) {
		if (!numbers.hasChildNodes())
			numbers.append(about.table());
		numbers.hidden = !table_shown;
		plot.hidden = table_shown;
		switcher.setAttribute('aria-pressed', String(table_shown));
		switcher.textContent = table_shown ? 'Picture' : 'Table';
	}

	if (about.table && !about.keeps_clicks)
		plot.addEventListener('click', () => show(true));
	element.start = () => about.draw(plot);
	return element;
}
