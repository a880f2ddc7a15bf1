/* Charts by Chart.js in the look of the page: light or dark, on screen and on paper. */

const drawings = new Set();	/* {canvas, describe, chart}, where no chart is one that nobody has seen */
const NEAR = '300px';	/* from the window: charts are drawn before their readers see them */
const SMALLEST_FONT = 12;

/* Draws a vertical line with a name at a place of the x axis; `row` keeps names apart. */
function draw_mark(chart, x, name, row) {
	const { ctx: context, chartArea: area } = chart;
	const right = x > (area.left + area.right) / 2;

	if (x < area.left || x > area.right)
		return;
	context.save();
	context.strokeStyle = context.fillStyle = style_colour('soft');
	context.setLineDash([4, 3]);
	context.beginPath();
	context.moveTo(x, area.top);
	context.lineTo(x, area.bottom);
	context.stroke();
	context.font = '11px ' + Chart.defaults.font.family;
	context.textAlign = right ? 'right' : 'left';
	context.fillText(name, x + (right ? -5 : 5), area.top + 11 + 14 * row);
	context.restore();
}

/* Marks of the x axis, such as the sizes of caches. */
const marks = {
	id: 'marks',
	afterDatasetsDraw: (chart, _, options) => (options.at || []).forEach((mark, i) =>
		draw_mark(chart, chart.scales.x.getPixelForValue(mark.x), mark.name, i % 3)),
};

function set_defaults() {
	const defaults = Chart.defaults;

	defaults.animation = false;
	defaults.maintainAspectRatio = false;
	defaults.color = style_colour('soft');
	defaults.borderColor = style_colour('line');
	defaults.font.family = getComputedStyle(document.body).fontFamily;
	defaults.font.size = SMALLEST_FONT;
	defaults.plugins.legend.labels.boxWidth = 12;
	defaults.plugins.legend.labels.boxHeight = 12;
	defaults.plugins.legend.labels.color = style_colour('ink');
	defaults.plugins.legend.align = 'start';
	defaults.plugins.tooltip.backgroundColor = style_colour('ink');
	defaults.plugins.tooltip.titleColor = style_colour('paper');
	defaults.plugins.tooltip.bodyColor = style_colour('paper');
	defaults.plugins.tooltip.cornerRadius = 4;
	defaults.plugins.tooltip.padding = 8;
	defaults.plugins.tooltip.boxPadding = 4;
	defaults.interaction.mode = 'index';
	defaults.interaction.intersect = false;
	defaults.elements.line.borderWidth = 2;
	defaults.elements.point.radius = 0;
	defaults.elements.point.hoverRadius = 4;
}

/*
 * Returns an axis. `format` makes the text of a tick from its value; `more` overrides options of
 * Chart.js.
 */
function axis(title, format, more) {
	return {
		title: { display: !!title, text: title, color: style_colour('soft') },
		border: { display: false },
		grid: { color: style_colour('line'), drawBorder: false, tickLength: 4 },
		ticks: { callback: (value) => format(value), maxRotation: 0, autoSkipPadding: 12 },
		...more,
	};
}

/* An axis whose values are logarithms of base 2; the ticks show the numbers. */
function log2_axis(title, format, more) {
	const base = axis(title, (value) => format(2 ** value), more);

	return { ...base, type: 'linear', ticks: { ...base.ticks, precision: 0 } };
}

/* An axis of bytes, with ticks at round numbers of KiB, MiB, ... */
function size_axis(title, largest) {
	const step = 2 ** Math.max(0, Math.ceil(Math.log2((largest || 1) / 6)));

	return axis(title, size, { min: 0, ticks: { callback: (value) => size(value), stepSize: step } });
}

function without_grid(scale) {
	return { ...scale, grid: { ...scale.grid, display: false } };
}

const watched = new WeakMap();	/* drawings, by canvas */
const watcher = new IntersectionObserver((entries) => {
	for (const { isIntersecting, target } of entries)
		if (isIntersecting)
			draw_once(watched.get(target));
}, { rootMargin: NEAR });

/*
 * Makes a canvas in `plot`, on which a chart is drawn when the canvas comes near the window. describe()
 * returns the configuration of Chart.js, anew for each look; `label` is the sentence that a screen reader
 * speaks.
 */
function draw_chart(plot, label, describe) {
	const canvas = node('canvas', { role: 'img', 'aria-label': label, tabindex: 0 });
	const drawing = { canvas, describe, chart: null };

	plot.append(canvas);
	drawings.add(drawing);
	watched.set(canvas, drawing);
	watcher.observe(canvas);
	canvas.addEventListener('focus', () => draw_once(drawing));
	canvas.addEventListener('keydown', (event) => walk_points(drawing.chart, event));
	canvas.addEventListener('blur', () => point_at(drawing.chart, -1));
	return drawing;
}

function draw(drawing) {
	const configuration = drawing.describe();

	if (drawing.chart)
		drawing.chart.destroy();
	drawing.chart = new Chart(drawing.canvas,
		{ ...configuration, plugins: [marks, ...configuration.plugins || []] });
}

function draw_once(drawing) {
	watcher.unobserve(drawing.canvas);
	if (!drawing.chart)
		draw(drawing);
}

/* Draws the charts that are seen anew, in the colours of today's look. */
function redraw_charts() {
	set_defaults();
	for (const drawing of drawings)
		if (drawing.chart)
			draw(drawing);
}

/* Sizes of charts on paper, in pixels of the style sheet. */
const PAPER_WIDTH = 660, PAPER_HALF = 320;
const PAPER_HEIGHTS = { low: 120, middle: 200, high: 280 };

/* Paper has another width than the window, and is always white. */
function print_charts() {
	const { dataset } = document.documentElement;
	let theme;

	addEventListener('beforeprint', () => {
		theme = dataset.theme;
		dataset.theme = 'light';
		set_defaults();
		drawings.forEach(draw);
		for (const { chart, canvas } of drawings)
			if (canvas.offsetParent)
				chart.resize(canvas.closest('.half') ? PAPER_HALF : PAPER_WIDTH,
					PAPER_HEIGHTS[canvas.parentElement.dataset.height]);
	});
	addEventListener('afterprint', () => {
		if (theme)
			dataset.theme = theme;
		else
			delete dataset.theme;
		redraw_charts();
	});
}
