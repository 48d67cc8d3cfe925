import { z } from 'zod';
import { exampleIds } from './example-values.ts';
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
  .meta({
    id: 'KnowledgeBase',
    examples: [
      {
        id: exampleIds.knowledgeBase,
        name: 'Deliveries',
        description: 'What customers ask about deliveries',
        created_at: '2026-03-01T09:00:00.000Z',
        updated_at: '2026-03-01T09:00:00.000Z',
        organization_id: exampleIds.organization,
      },
    ],
  });

const exampleItem = {
  id: exampleIds.item,
  name: 'returns.pdf',
  file_type: 'PDF' as const,
  status: 'ready' as const,
  created_at: '2026-03-01T09:05:00.000Z',
  updated_at: '2026-03-01T09:05:02.000Z',
  knowledge_base_id: exampleIds.knowledgeBase,
  notes: null,
  error: null,
};

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
  error: z.string().nullable().describe('Why the item has the status `failed`.'),
});

export const knowledgeBaseItem = itemFields.meta({ id: 'KnowledgeBaseItem', examples: [exampleItem] });

/** As in the answer for a single item. */
export const knowledgeBaseItemWithContent = itemFields
  .extend({
    content: z.string().nullable().describe('The text of the item. Null until the item is `ready`.'),
  })
  .meta({
    id: 'KnowledgeBaseItemWithContent',
    examples: [{ ...exampleItem, content: 'Goods may be returned within 30 days.' }],
  });

/** A result of a search. */
export const passage = z
  .object({
    item_id: z.string(),
    item_name: z.string(),
    page: z.int().describe('The page on which the passage begins, counted from 1.'),
    position: z.int().describe('The position of the passage within its item, counted from 0.'),
    score: z
      .number()
      .describe(
        'How well the passage matches. Higher is better. Scores are only comparable within one response.',
      ),
    text: z.string(),
    highlight: z.string().describe('The text as HTML, with matches in `<mark>`.'),
  })
  .meta({
    id: 'Passage',
    examples: [
      {
        item_id: exampleIds.item,
        item_name: 'returns.pdf',
        page: 2,
        position: 4,
        score: 0.83,
        text: 'Goods may be returned within 30 days.',
        highlight: 'Goods may be <mark>returned</mark> within 30 days.',
      },
    ],
  });

export type PassageView = z.output<typeof passage>;
