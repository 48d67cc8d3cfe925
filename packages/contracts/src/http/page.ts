import { z } from 'zod';

export function page<Item extends z.ZodType>(item: Item) {
  return z.object({
    items: z.array(item),
    page: z.int(),
    size: z.int(),
    total: z.int(),
    pages: z.int(),
    previous_page: z.int().nullable(),
    next_page: z.int().nullable(),
  });
}

export interface Page<Item> {
  items: Item[];
  page: number;
  size: number;
  total: number;
  pages: number;
  previous_page: number | null;
  next_page: number | null;
}

/** The numbers of a page, from the requested page and the number of rows. The neighbours are null at the ends. */
export function pageOf<Item>(
  items: Item[],
  asked: { page: number; size: number },
  total: number,
): Page<Item> {
  const pages = Math.ceil(total / asked.size);
  return {
    items,
    page: asked.page,
    size: asked.size,
    total,
    pages,
    previous_page: asked.page > 1 && pages > 0 ? Math.min(asked.page - 1, pages) : null,
    next_page: asked.page < pages ? asked.page + 1 : null,
  };
}
