import { expect, test } from 'vitest';
import { z } from 'zod';
import { faultMessage } from './fault-message.ts';

const phone = z.string().regex(/^\+\d+$/, 'Input should be a phone number');

test.each<[z.ZodType, unknown, string]>([
  [z.string(), 1, 'Input should be a valid string'],
  [z.int(), 1.5, 'Input should be a valid integer'],
  [z.boolean(), 'yes', 'Input should be a valid boolean'],
  [z.array(z.string()), {}, 'Input should be a valid list'],
  [z.record(z.string(), z.string()), [], 'Input should be a valid object'],
  [z.enum(['draft', 'paused', 'running']), 'gone', "Input should be 'draft', 'paused' or 'running'"],
  [z.enum(['draft', 'running']), 'runing', "Input should be 'draft' or 'running'; did you mean 'running'?"],
  [z.string().min(1), '', 'String should have at least 1 character'],
  [z.string().max(2), 'abc', 'String should have at most 2 characters'],
  [z.array(z.string()).min(2), [], 'List should have at least 2 items'],
  [z.int().min(0), -1, 'Input should be greater than or equal to 0'],
  [z.int().lt(10), 10, 'Input should be less than 10'],
  [z.uuid(), 'x', 'Input should be a valid UUID, such as 0195d2ee-5a09-7c0b-9d1e-0f1a2b3c4d5e'],
  [phone, 'x', 'Input should be a phone number'],
])('%# says what %j should have been', (schema, input, message) => {
  const read = schema.safeParse(input, { error: faultMessage });
  expect(read.error?.issues.map((issue) => issue.message)).toEqual([message]);
});
