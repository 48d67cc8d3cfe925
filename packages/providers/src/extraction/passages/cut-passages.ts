import type { Passage } from '@outdial/core';
export function cutPassages(pages: readonly string[]): Passage[] {
  return pages.map((text, i) => ({ page: i + 1, text, searchConfig: 'simple', searchText: null }));
}
