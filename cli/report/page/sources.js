/*
 * Source files with the marks of refactorings: shares of the reuses, bars for the loops and calls,
 * and arcs from uses to reuses of the chosen refactoring.
 */

const LANE = 7;			/* px: width of a bar's column */
const ARC_SPACE = 64;		/* px: width of the arcs' column */
const MOST_LINES = 38;		/* that a file shows at a time */

/* Returns what is known about each line: its reuses as use and as reuse, and its ranks. */
function marked_lines(file) {
	const lines = new Map();

	for (const [line, rank, role, reuses] of file.touches) {
		const one = lines.get(line) || { use: 0, reuse: 0, ranks: new Map() };

		one[role] += reuses;
		if (rank)
			one.ranks.set(rank, one.ranks.has(rank) && one.ranks.get(rank) !== role ? 'both' :
				role);
		lines.set(line, one);
	}
	return lines;
}

function share_cell(reuses, all) {
	const cell = node('td', { class: 'number share' }, reuses ? percent(100 * reuses / all) : '');

	if (reuses)
		cell.style.setProperty('--share', 100 * reuses / all + '%');
	return cell;
}

function bars_cell(bars, line) {
	const lanes = 1 + Math.max(-1, ...bars.map(([, , , , lane]) => lane));
	const cell = node('td', { class: 'lanes' });

	cell.style.setProperty('min-width', lanes * LANE + 6 + 'px');
	for (const [rank, first, last, , lane] of bars) {
		if (line < first || line > last)
			continue;
		const bar = node('i', { title: rank + ': lines ' + first + '–' + last });

		bar.dataset.series = Math.min(rank, SERIES);
		bar.style.setProperty('left', 3 + lane * LANE + 'px');
		cell.append(bar);
	}
	return cell;
}

function marks_cell(ranks, selection) {
	return node('td', { class: 'marks' }, [...ranks].map(([rank, role]) => {
		const mark = button(rank + ' ' + role, () => selection.choose(rank), { class: 'mark' });

		mark.dataset.series = Math.min(rank, SERIES);
		return mark;
	}));
}

function source_row(file, [number, text], known, all, selection) {
	const { use = 0, reuse = 0, ranks = new Map() } = known || {};
	const row = node('tr', { id: 'f' + file.file + '-' + number },
		share_cell(use, all), share_cell(reuse, all), bars_cell(file.bars, number),
		node('th', { scope: 'row', class: 'number' }, String(number)),
		marks_cell(ranks, selection), node('td', { class: 'arcs' }),
		node('td', { class: 'code' }, text));

	row.ranks = ranks;
	if (ranks.size)
		row.dataset.ranks = [...ranks.keys()].join(' ');
	return row;
}

function source_rows(file, slo, selection) {
	const lines = marked_lines(file), rows = [];
	let before = 0;

	for (const line of file.lines) {
		if (line[0] !== before + 1)
			rows.push(node('tr', { class: 'gap' }, node('td', { colspan: 7 }, '…')));
		rows.push(source_row(file, line, lines.get(line[0]), slo.reuses, selection));
		[before] = line;
	}
	return rows;
}

function source_card(file, slo, selection) {
	const heads = ['Use', 'Reuse', 'Loops', 'Line', 'Marks', '', 'Source'];
	const body = node('tbody'), ranks = new Set(file.touches.map(([, rank]) => rank));
	const pane = node('div', { class: 'pane', tabindex: 0, role: 'region', 'aria-label': file.path },
		node('table', { class: 'source' }, node('thead', {}, node('tr', {}, heads.map((title) =>
			node('th', { scope: 'col' }, title)))), body));

	pane.style.setProperty('min-height', Math.min(file.lines.length, MOST_LINES) + 'rem');
	when_near(pane, () => {
		pane.style.removeProperty('min-height');
		body.append(...source_rows(file, slo, selection));
	});
	addEventListener('beforeprint', () => do_now(pane));
	selection.listen((rank) => {
		if (ranks.has(rank))
			do_now(pane);
		for (const row of body.rows)
			row.classList.toggle('chosen', !!row.ranks && row.ranks.has(rank));
		draw_arcs(pane, file, slo.refactorings.find((one) => one.rank === rank));
	});
	return node('div', { class: 'card' }, node('h3', {}, node('code', {}, file.path)),
		file.complete === false && node('p', { class: 'warning' },
			'The program was made of another version of this file, which has more lines.'),
		pane);
}

/* Draws the arcs of a refactoring, from the lines of uses to those of reuses. */
function draw_arcs(pane, file, one) {
	const old = pane.querySelector('svg');
	const pairs = one ? one.references.filter((pair) => pair.use_site && pair.reuse_site &&
		pair.use_site[0] === file.file && pair.reuse_site[0] === file.file) : [];

	if (old)
		old.remove();
	if (!pairs.length)
		return;
	const most = Math.max(...pairs.map((pair) => pair.reuses));
	const sheet = vector('svg', { class: 'arc-sheet', 'aria-hidden': 'true',
		width: pane.scrollWidth, height: pane.scrollHeight });

	sheet.dataset.series = Math.min(one.rank, SERIES);
	pane.append(sheet);
	pairs.forEach((pair, i) => draw_arc(sheet, ...[pair.use_site, pair.reuse_site].map((site) =>
		document.getElementById('f' + site[0] + '-' + site[1])), 1.5 + 2 * pair.reuses / most, i));
}

function draw_arc(sheet, use, reuse, width, number) {
	const cell = use.querySelector('.arcs'), right = cell.offsetLeft + ARC_SPACE - 6;
	const same = use === reuse, height = (row) => row.offsetTop + row.offsetHeight / 2;
	const from = height(use) - (same ? 5 : 0), to = height(reuse) + (same ? 4 : 0);
	const bulge = right - Math.min(ARC_SPACE - 10, 24 + 7 * (number % 5));

	sheet.append(vector('path', { class: 'arc', 'stroke-width': width,
		d: ['M', right, from, 'C', bulge, from, bulge, to, right - 5, to].join(' ') }),
	vector('path', { class: 'arrow', d: ['M', right, to, 'l-8 -4v8z'].join(' ') }));
}
