import { z } from 'zod';
import { dateTime } from './fields.ts';

export const knowledgeBase = z
  .object({
    id: z.string(),
    name: z.string(),
    description: z.string(),
    created_at: dateTime,
    updated_at: dateTime,
    organization_id: z.string(),
  })
  .meta({ id: 'KnowledgeBase' });

export const itemFileType = z.enum(['PDF', 'TXT']);
export const itemStatus = z.enum(['pending', 'processing', 'ready', 'failed']);

const itemFields = z.object({
  id: z.string(),
  name: z.string(),
  file_type: itemFileType,
  status: itemStatus,
  created_at: dateTime,
  updated_at: dateTime,
  knowledge_base_id: z.string(),
  notes: z.string().nullable(),
  error: z.string().nullable().describe('Why an item is `failed`'),
});

export const knowledgeBaseItem = itemFields.meta({ id: 'KnowledgeBaseItem' });

/** As the read of a single item answers it. */
export const knowledgeBaseItemWithContent = itemFields
  .extend({ content: z.string().nullable().describe('Null until the item is `ready`') })
  .meta({ id: 'KnowledgeBaseItemWithContent' });

export type KnowledgeBase = z.output<typeof knowledgeBase>;
export type KnowledgeBaseItem = z.output<typeof knowledgeBaseItem>;
export type KnowledgeBaseItemWithContent = z.output<typeof knowledgeBaseItemWithContent>;

/** One answer of a search. */
export const passage = z
  .object({
    item_id: z.string(),
    item_name: z.string(),
    page: z.int().describe('The page on which it begins, from 1'),
    position: z.int().describe('Its place among the passages of its item, from 0'),
    score: z.number().describe('Higher is better; compares within one answer only'),
    text: z.string(),
    highlight: z.string().describe('The text as HTML, what was found within `<mark>`'),
  })
  .meta({ id: 'Passage' });

export type PassageView = z.output<typeof passage>;
