import type { PageAnnotation, PageItem, PdfPage } from './page-item.ts';

const defaultSize = 10;

/** What a person filled in: the values of fields and the free text on a page, as runs at their places, so that labels stand beside them. */
export async function formItems(page: PdfPage): Promise<PageItem[]> {
  const annotations = await page.getAnnotations({ intent: 'display' });
  return annotations.flatMap((annotation) => {
    const { rect, hidden, noView } = annotation;
    const [x1 = 0, y1 = 0, x2 = 0, y2 = 0] = rect ?? [];
    const lines = hidden === true || noView === true ? [] : linesOf(annotation);
    const height = Math.abs(y2 - y1);
    const size = Math.min(
      defaultSize,
      lines.length === 0 ? defaultSize : height / lines.length || defaultSize,
    );
    const top = Math.max(y1, y2);
    // A single line stands in the middle of its field, further lines below the first.
    const first = lines.length === 1 ? top - height / 2 - size * 0.35 : top - size;
    return lines.map((str, at) => ({
      str,
      transform: [size, 0, 0, size, Math.min(x1, x2), first - at * size * 1.2],
      width: Math.min(Math.abs(x2 - x1), str.length * size * 0.5),
      height: size,
      hasEOL: true,
    }));
  });
}

/** More are put at the end of the page, so that a page with very many takes no longer. */
const placedAtMost = 1_000;

/** The runs of a page in order, each form item after the run to its left. */
export function withFormItems(runs: readonly PageItem[], items: readonly PageItem[]): PageItem[] {
  if (items.length === 0) return [...runs];
  const after = new Map<PageItem, PageItem[]>();
  const atEnd: PageItem[] = [];
  for (const [at, item] of items.entries()) {
    const left = at < placedAtMost ? runToTheLeft(runs, item) : undefined;
    if (left === undefined) atEnd.push(item);
    else after.set(left, [...(after.get(left) ?? []), item]);
  }
  return [...runs.flatMap((run) => [run, ...(after.get(run) ?? [])]), ...atEnd];
}

function runToTheLeft(runs: readonly PageItem[], item: PageItem): PageItem | undefined {
  const [, , , size = 0, x = 0, y = 0] = item.transform;
  let nearest: PageItem | undefined;
  for (const run of runs) {
    const [, , , , runX = 0, runY = 0] = run.transform;
    if (runX > x || Math.abs(runY - y) > size * 0.7) continue;
    if (nearest === undefined || (nearest.transform[4] ?? 0) <= runX) nearest = run;
  }
  return nearest;
}

function linesOf(annotation: PageAnnotation): string[] {
  const text = annotation.subtype === 'FreeText' ? annotation.contentsObj?.str : valueOf(annotation);
  return (text ?? '').split(/\r\n?|\n/).filter((line) => line.trim() !== '');
}

function valueOf({ subtype, fieldType, fieldValue, ...field }: PageAnnotation): string | undefined {
  if (subtype !== 'Widget' || field.password === true) return undefined;
  if (fieldType === 'Btn') {
    const own = field.checkBox === true ? field.exportValue : field.buttonValue;
    const isOn = typeof own === 'string' && own === fieldValue && own !== 'Off';
    return isOn ? '☒' : undefined;
  }
  if (fieldType !== 'Tx' && fieldType !== 'Ch') return undefined;
  const values = Array.isArray(fieldValue) ? fieldValue : [fieldValue];
  return values.filter((value) => typeof value === 'string').join(', ');
}
