import { eventTypes } from '@outdial/core';
import { z } from 'zod';
import { cursorParameters, idPosition } from './cursor.ts';
import { uuid } from './fields.ts';

export const eventType = z.enum(eventTypes);

// Both ways in which clients write a list in a query: `types=a,b` and `types=a&types=b`.
const typeList = z
  .union([z.string(), z.array(z.string())])
  .transform((given) => [given].flat().flatMap((text) => text.split(',').map((type) => type.trim())))
  .pipe(z.array(eventType).min(1).max(eventTypes.length));

export const listEventsQuery = cursorParameters(idPosition).extend({
  after: uuid
    .optional()
    .describe('The id of the last event that you read. Omit it to start with the oldest event.'),
  types: typeList
    .optional()
    .describe('Only events of these types. Repeat the parameter, or separate the types with commas.'),
});
