import { knowledgeBase, knowledgeBaseItem, viewOf } from '@outdial/contracts';
import { z } from 'zod';

export const knowledgeBaseView = viewOf(knowledgeBase);

export const itemView = viewOf(knowledgeBaseItem);

const withContent = z.looseObject({ content: z.unknown() });

/** Without the text, which only a new file changes, and with it `updated_at`. */
export function itemVersion(data: unknown): unknown {
  const { content: _, ...rest } = withContent.partial().parse(data);
  return rest;
}

/** The size limit: a name, and notes or a description of ten thousand characters. */
export const rowBytesAtMost = 64 * 1024;
