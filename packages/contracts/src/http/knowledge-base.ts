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
