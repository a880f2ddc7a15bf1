(function () {
'use strict';
const data = JSON.parse(document.getElementById('data').textContent);
const plot = document.getElementById('plot'), legend = document.getElementById('legend');
const bins = data.all.length;
const choice = { scale: 'absolute', form: 'plain', by: 'refactoring' };
let selected = 0;	/* a rank */

function element(name, attributes, parent, text) {
	const is_html = /^(li|a|i|span)$/.test(name);
	const e = is_html ? document.createElement(name) :
		document.createElementNS('http://www.w3.org/2000/svg', name);

	for (const key in attributes)
		e.setAttribute(key, attributes[key]);
	if (text !== undefined)
		e.textContent = text;
	parent.appendChild(e);
	return e;
}

/* ---- what is drawn ---- */

function refactorings() {
	const other = data.all.slice();
	const series = data.refactorings.slice(0, data.colours).map(function (r, i) {
		r.bins.forEach(function (n, bin) { other[bin] -= n; });
		return { name: i + 1 + ' ' + data.kinds[r.kind].name + ': ' + r.advice,
			class: 'c' + (i + 1), bins: r.bins, rank: i + 1 };
	});

	if (other.some(function (n) { return n > 0; }))
		series.push({ name: 'other', class: 'c0', bins: other, rank: 0 });
	return series;
}

/* A kind leads to its first refactoring. */
function kinds() {
	return data.kinds.map(function (kind, i) {
		const first = data.refactorings.findIndex(function (r) {
			return r.kind === i;
		});

		return { name: kind.name, class: 'k' + i, bins: kind.bins, rank: first + 1 };
	}).filter(function (s) { return s.bins.some(function (n) { return n > 0; }); });
}

function summed(numbers) {
	const sums = numbers.slice();

	for (let i = sums.length - 1; i > 0; i--)
		sums[i - 1] += sums[i];
	return sums;
}

/* From the first distance that there is to the last one, and to the caches. */
function range() {
	const caches = data.caches.map(Math.log2);
	let from = data.all.findIndex(function (n) { return n > 0; }), to = bins;

	while (to > 0 && !data.all[to - 1])
		to--;
	if (from < 0)
		from = to = 0;
	return { from: Math.floor(Math.min(from, ...caches)),
		to: Math.ceil(Math.max(to, from + 1, ...caches) + .01) };
}

function size(bytes) {
	const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB', 'PiB', 'EiB'];
	let unit = 0;

	for (; bytes >= 1024 && unit + 1 < units.length; unit++)
		bytes /= 1024;
	return +bytes.toPrecision(4) + ' ' + units[unit];
}

function count(n) {
	return String(Math.round(n)).replace(/\B(?=(\d{3})+$)/g, ',');
}

/* A round number near a fifth of the largest one. */
function tick(largest) {
	const power = Math.pow(10, Math.floor(Math.log10(largest / 5)));
	const steps = largest / 5 / power;

	return Math.max(power * (steps > 5 ? 10 : steps > 2 ? 5 : steps > 1 ? 2 : 1),
		choice.scale === 'relative' ? 0 : 1);
}

/* ---- drawing ---- */

function draw() {
	const series = choice.by === 'kind' ? kinds() : refactorings();
	const form = choice.form === 'reverse' ? summed : function (n) { return n; };
	const all = form(data.all), x = range(), relative = choice.scale === 'relative';
	const largest = relative ? 100 : Math.max(1, ...all);
	const width = plot.clientWidth || 1000, height = plot.clientHeight || 384;
	const left = 90, right = width - 20, top = 34, bottom = height - 52;
	const column = (right - left) / (x.to - x.from);
	const at = function (log2) { return left + (log2 - x.from) * column; };
	const up = function (value) { return bottom - (bottom - top) * value / largest; };
	const under = new Array(bins).fill(0);

	plot.textContent = '';
	plot.setAttribute('viewBox', '0 0 ' + width + ' ' + height);
	for (let value = 0; value <= largest; value += tick(largest)) {
		element('line', { class: 'grid', x1: left, x2: right, y1: up(value),
			y2: up(value) }, plot);
		element('text', { x: left - 8, y: up(value) + 4, 'text-anchor': 'end' }, plot,
			relative ? value + ' %' : count(value));
	}
	for (const s of series) {
		const numbers = form(s.bins);

		for (let bin = Math.max(0, x.from); bin < Math.min(bins, x.to); bin++) {
			const value = relative ? all[bin] && 100 * numbers[bin] / all[bin] :
				numbers[bin];
			const place = { x: at(bin), y: up(under[bin] + value), width: column,
				height: up(under[bin]) - up(under[bin] + value) };

			if (numbers[bin] > 0)
				bar(s, bin, place, numbers[bin], all[bin]);
			under[bin] += value;
		}
	}
	axis(x, at, column, bottom, top);
	describe();
	list(series);
}

function bar(s, bin, place, number, all) {
	const pale = choice.by !== 'kind' && selected && s.rank !== selected;
	const rect = element('rect', place, plot);
	const from = bin ? Math.pow(2, bin) : 0;
	const distance = count(from) + (choice.form === 'reverse' ? ' blocks and more' :
		' to ' + count(Math.pow(2, bin + 1) - 1) + ' blocks');

	rect.setAttribute('class', s.class + (s.rank ? ' to' : '') + (pale ? ' pale' : ''));
	element('title', {}, rect, s.name + '\n' + distance + ' (' + size(from * data.block) +
		')\n' + count(number) + ' reuses, ' + (100 * number / all).toFixed(1) + ' %');
	if (s.rank)
		rect.addEventListener('click', function () { jump(s.rank); });
}

function axis(x, at, column, bottom, top) {
	const step = Math.max(1, Math.ceil(64 / column));

	for (let log2 = x.from; log2 <= x.to; log2++) {
		element('line', { class: 'grid', x1: at(log2), x2: at(log2), y1: bottom,
			y2: bottom + 4 }, plot);
		if ((log2 - x.from) % step)
			continue;
		const label = element('text', { x: at(log2), y: bottom + 18,
			'text-anchor': 'middle' }, plot, '2');

		element('tspan', { dy: -5, 'font-size': 9 }, label, log2);
		element('text', { class: 'soft', x: at(log2), y: bottom + 33,
			'text-anchor': 'middle' }, plot, size(Math.pow(2, log2) * data.block));
	}
	element('text', { class: 'soft', x: at((x.from + x.to) / 2), y: bottom + 49,
		'text-anchor': 'middle' }, plot, 'reuse distance [blocks, and as bytes]');
	data.caches.forEach(function (blocks, i) {
		const place = at(Math.log2(blocks));

		element('line', { class: 'cache', x1: place, x2: place, y1: top - 14,
			y2: bottom }, plot);
		element('text', { x: place + (i ? -4 : 4), y: top - 6 - 12 * (i % 2),
			'text-anchor': i ? 'end' : 'start' }, plot,
			'cache of ' + size(blocks * data.block));
	});
}

function describe() {
	const most = data.all.indexOf(Math.max(...data.all));

	plot.setAttribute('aria-label', 'Histogram of reuse distances, ' + choice.scale + ', ' +
		(choice.form === 'reverse' ? 'reverse cumulative' : 'plain') + ', by ' +
		choice.by + '. ' + count(summed(data.all)[0]) + ' reuses; most are at ' +
		count(Math.pow(2, most)) + ' blocks and more. The numbers are in a table.');
}

function list(series) {
	legend.textContent = '';
	for (const s of series) {
		const its = choice.by !== 'kind' && s.rank && s.rank === selected;
		const item = element('li', { class: s.class + (its ? ' selected' : ''),
			title: s.name }, legend);

		element('i', {}, item);
		if (s.rank)
			element('a', { href: '#r' + s.rank }, item, s.name);
		else
			element('span', {}, item, s.name);
	}
}

/* ---- a selected refactoring ---- */

function colour(rank) {
	return 'var(--c' + (rank <= data.colours ? rank : 0) + ')';
}

function row(rank) {
	return document.getElementById('r' + rank);
}

function select(rank) {
	if (selected)
		row(selected).classList.remove('selected');
	for (const line of document.querySelectorAll('.code .h'))
		line.classList.remove('h');
	selected = rank;
	if (rank) {
		row(rank).classList.add('selected');
		const marked = document.querySelectorAll('.code tr[data-r~="' + rank + '"]');

		for (const line of marked) {
			line.classList.add('h');
			line.style.setProperty('--h', colour(rank));
		}
	}
	point();
	draw();
}

function unfold(rank) {
	const details = row(rank).querySelector('details');

	select(rank);
	details.open = true;
}

function jump(rank) {
	unfold(rank);
	row(rank).scrollIntoView({ block: 'center' });
}

/* ---- arrows, of the selected one ---- */

function point() {
	for (const old of document.querySelectorAll('.arrows'))
		old.remove();
	if (!selected)
		return;
	const arrows = data.refactorings[selected - 1].arrows;
	const largest = Math.max(...arrows.map(function (a) { return a[3]; }));

	arrows.forEach(function (a, i) {
		const use = document.getElementById('f' + a[0] + '-' + a[1]);
		const reuse = document.getElementById('f' + a[0] + '-' + a[2]);

		if (use && reuse)
			arrow(use, reuse, 1.5 + 2 * a[3] / largest, i);
	});
}

/* One drawing for all arrows of a file. */
function sheet(pane) {
	const old = pane.querySelector('.arrows');
	const table = pane.querySelector('table');

	return old || element('svg', { class: 'arrows', 'aria-hidden': 'true',
		width: table.offsetWidth, height: table.offsetHeight }, pane);
}

function middle(line) {
	return line.offsetTop + line.offsetHeight / 2;
}

function arrow(use, reuse, width, number) {
	const svg = sheet(use.closest('.pane')), cell = use.querySelector('.ar');
	const right = cell.offsetLeft + cell.offsetWidth - 3;
	const same = use === reuse, from = middle(use) - (same ? 5 : 0);
	const to = middle(reuse) + (same ? 4 : 0);
	const bulge = right - 4 / 3 * Math.min(40, (same ? 18 : 22) + 5 * (number % 4));
	const line = ['M', right, from, 'C', bulge, from, bulge, to, right - 5, to].join(' ');
	const head = ['M', right, to, 'l-8 -4v8z'].join(' '), its = colour(selected);

	element('path', { d: line, 'stroke-width': width,
		style: 'fill: none; stroke: ' + its }, svg);
	element('path', { d: head, style: 'fill: ' + its }, svg);
}

/* ---- what the reader does ---- */

document.addEventListener('click', function (event) {
	const link = event.target.closest('a[href^="#r"]');
	const its = event.target.closest('.list > tbody > tr');

	if (link)
		unfold(+link.hash.slice(2));
	else if (its && !event.target.closest('a, dl, table table')) {
		const rank = +its.id.slice(1), details = its.querySelector('details');

		/* A summary folds and unfolds by itself. */
		if (!event.target.closest('summary'))
			details.open = selected !== rank || !details.open;
		select(selected === rank ? 0 : rank);
	}
});
document.addEventListener('keydown', function (event) {
	if (event.key === 'Escape')
		select(0);
});
document.querySelector('.controls').addEventListener('change', function (event) {
	choice[event.target.name] = event.target.value;
	draw();
});
window.addEventListener('resize', function () {
	point();
	draw();
});

/* On paper nothing can be unfolded. */
let folded = [];

window.addEventListener('beforeprint', function () {
	folded = Array.from(document.querySelectorAll('details:not([open])'));
	for (const details of folded)
		details.open = true;
});
window.addEventListener('afterprint', function () {
	for (const details of folded)
		details.open = false;
});

document.documentElement.classList.add('scripted');
document.querySelector('.controls').reset();
if (/^#r\d+$/.test(location.hash) && row(+location.hash.slice(2)))
	jump(+location.hash.slice(2));
else
	draw();
})();
