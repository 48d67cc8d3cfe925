import { formatTick, type Scale } from './scale.ts';

/** The size of every picture, and of its plot area. */
export const size = { width: 760, height: 380 };
export const field = { left: 78, right: 716, top: 64, bottom: 318 };

/** The palette of Okabe and Ito, which people with colour blindness can distinguish. */
const colours = ['#0072b2', '#e69f00', '#009e73', '#cc79a7', '#56b4e9', '#d55e00'];

export function colourOf(series: number): string {
  return colours[series % colours.length] ?? '#000000';
}

/** The background is white, so that the picture is legible on a page of any colour. */
export function svg(title: string, parts: readonly string[]): string {
  const { width, height } = size;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" font-family="system-ui, sans-serif" font-size="12">`,
    `<title>${escape(title)}</title>`,
    `<rect width="${width}" height="${height}" fill="#ffffff"/>`,
    text({ x: field.left, y: 24, words: title, attributes: 'font-size="15" font-weight="600"' }),
    ...parts,
    '</svg>',
    '',
  ].join('\n');
}

export function text(args: { x: number; y: number; words: string; attributes?: string }): string {
  return `<text x="${place(args.x)}" y="${place(args.y)}" fill="#222222" ${args.attributes ?? ''}>${escape(args.words)}</text>`;
}

export function line(from: [number, number], to: [number, number], attributes: string): string {
  return `<line x1="${place(from[0])}" y1="${place(from[1])}" x2="${place(to[0])}" y2="${place(to[1])}" ${attributes}/>`;
}

/** Horizontal grid lines, labelled on the left. */
export function heights(scale: Scale, label: string): string[] {
  const lines = scale.ticks.flatMap((tick) => [
    line([field.left, scale.at(tick)], [field.right, scale.at(tick)], 'stroke="#dddddd"'),
    text({
      x: field.left - 8,
      y: scale.at(tick) + 4,
      words: formatTick(tick),
      attributes: 'text-anchor="end"',
    }),
  ]);
  const middle = (field.top + field.bottom) / 2;
  const turned = `text-anchor="middle" transform="rotate(-90 16 ${middle})"`;
  return [...lines, text({ x: 16, y: middle, words: label, attributes: turned })];
}

export function baseLine(): string {
  return line([field.left, field.bottom], [field.right, field.bottom], 'stroke="#222222"');
}

/** The names of the series in a row under the title. */
export function legend(names: readonly string[]): string[] {
  let x = field.left;
  return names.flatMap((name, at) => {
    const left = x;
    x += 30 + name.length * 6.6;
    return [
      `<rect x="${place(left)}" y="37" width="12" height="12" fill="${colourOf(at)}"/>`,
      text({ x: left + 17, y: 47, words: name }),
    ];
  });
}

/** A tenth of a pixel is enough. */
export function place(value: number): string {
  return String(Math.round(value * 10) / 10);
}

function escape(words: string): string {
  return words.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
