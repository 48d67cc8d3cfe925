import { baseLine, colourOf, field, heights, legend, line, place, svg, text } from './frame.ts';
import type { LinePlot } from './plot.ts';
import { formatTick, linearScale, logScale, type Scale } from './scale.ts';

/** Draws lines between two axes, each linear or logarithmic. */
export function drawLines(plot: LinePlot): string {
  const points = plot.series.flatMap((one) => one.points);
  const marked = plot.mark ? [plot.mark.y] : [];
  const x = scaleOf(
    plot.x.scale,
    points.map((point) => point.x),
    { from: field.left, to: field.right },
  );
  const y = scaleOf(plot.y.scale, [...points.map((point) => point.y), ...marked], {
    from: field.bottom,
    to: field.top + 8,
  });
  return svg(plot.title, [
    ...heights(y, plot.y.label),
    ...widths(x, plot.x.label),
    ...legend(plot.series.map((one) => one.name)),
    ...(plot.mark ? drawMark(plot.mark.name, y.at(plot.mark.y)) : []),
    ...plot.series.flatMap((series, at) => {
      const places = series.points.map((point) => [place(x.at(point.x)), place(y.at(point.y))] as const);
      const path = places.map(([left, top]) => `${left},${top}`).join(' ');
      const dots = places.map(
        ([left, top]) => `<circle cx="${left}" cy="${top}" r="4" fill="${colourOf(at)}"/>`,
      );
      return [
        `<polyline points="${path}" fill="none" stroke="${colourOf(at)}" stroke-width="2" stroke-linejoin="round"/>`,
        ...(series.dots === true ? dots : []),
      ];
    }),
    baseLine(),
  ]);
}

function scaleOf(
  kind: 'linear' | 'log',
  values: readonly number[],
  pixels: { from: number; to: number },
): Scale {
  const greatest = Math.max(...values);
  return kind === 'log' ? logScale([Math.min(...values), greatest], pixels) : linearScale(greatest, pixels);
}

function widths(scale: Scale, label: string): string[] {
  const ticks = scale.ticks.flatMap((tick) => [
    line([scale.at(tick), field.bottom], [scale.at(tick), field.bottom + 5], 'stroke="#222222"'),
    text({
      x: scale.at(tick),
      y: field.bottom + 20,
      words: formatTick(tick),
      attributes: 'text-anchor="middle"',
    }),
  ]);
  const middle = (field.left + field.right) / 2;
  return [
    ...ticks,
    text({ x: middle, y: field.bottom + 44, words: label, attributes: 'text-anchor="middle"' }),
  ];
}

function drawMark(name: string, y: number): string[] {
  return [
    line([field.left, y], [field.right, y], 'stroke="#b00020" stroke-dasharray="6 4"'),
    text({ x: field.right - 4, y: y - 5, words: name, attributes: 'text-anchor="end" font-size="11"' }),
  ];
}
