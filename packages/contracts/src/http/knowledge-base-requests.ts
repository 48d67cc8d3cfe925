import { z } from 'zod';
import { uuid } from './fields.ts';
import { itemFileType, itemStatus } from './knowledge-base.ts';
import { integerParameter } from './parameters.ts';

const name = z.string().min(1).max(255);
const description = z.string().max(10_000);

/** Body of `POST /knowledge-base/`. Null counts as a missing field. */
export const createKnowledgeBaseBody = z
  .object({ name, description: description.nullish(), organization_id: uuid.nullish() })
  .meta({
    id: 'CreateKnowledgeBase',
    examples: [{ name: 'Deliveries', description: 'What customers ask about deliveries' }],
  });

/** Body of `PUT /knowledge-base/{kb_id}`: replaces the fields that it names. Null changes nothing. */
export const updateKnowledgeBaseBody = z
  .object({ name: name.nullish(), description: description.nullish(), organization_id: uuid.nullish() })
  .meta({ id: 'UpdateKnowledgeBase', examples: [{ name: 'Deliveries and returns' }] });

/** The text parts of `POST /knowledge-base/{kb_id}/items`. */
export const createItemForm = z.object({
  name: z.string().max(255).optional().describe('The name of the item. By default, the name of the file.'),
  notes: z.string().max(10_000).optional(),
});

/** Body of `PUT /knowledge-base/{kb_id}/items/{item_id}`, as JSON or as text parts of a form: replaces the fields that it names. */
export const updateItemBody = z.object({
  name: z
    .string()
    .max(255)
    .refine((text) => text.trim() !== '', { message: 'Must not be empty', params: { type: 'value_error' } })
    .nullish()
    .describe('The new name. Null leaves the name unchanged.'),
  notes: z.string().max(10_000).nullish().describe('The new notes. Null removes the notes.'),
  organization_id: uuid.nullish(),
});

const lastPage = 1_000_000_000;

/** `page` and `size` of a list that is returned whole without them. */
const optionalPage = {
  page: integerParameter({ minimum: 1, maximum: lastPage }).optional(),
  size: integerParameter({ minimum: 1, maximum: 100 }).optional(),
};

export const listKnowledgeBasesQuery = z.object(optionalPage);

export const listItemsQuery = z.object({
  file_type: itemFileType.optional(),
  status: itemStatus.optional(),
  ...optionalPage,
});

export const searchQuery = z.object({
  q: z
    .string()
    .min(1)
    .max(500)
    .describe('A question or keywords. Put a phrase in "quotes", and a minus before a -word to exclude it.'),
  limit: integerParameter({ minimum: 1, maximum: 50 }).default(5),
});
