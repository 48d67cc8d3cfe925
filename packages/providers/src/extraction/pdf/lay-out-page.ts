import type { PageItem } from './page-item.ts';
export function layOutPage(items: readonly PageItem[]): string {
  let text = '';
  for (const item of items) text += item.str + (item.hasEOL ? '\n' : '');
  return text;
}
