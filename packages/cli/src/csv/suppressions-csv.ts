import type { Readable } from 'node:stream';
import { itemOfFields } from '@outdial/core';
import type { NewSuppression } from '@outdial/db';
import { suppressionOf } from '@outdial/engine';
import { type FieldsArgs, readFields } from './read-rows.ts';
import { readPhone } from './read-phone.ts';

export type SuppressionRow = NewSuppression & { line: number };

/** Reads numbers, and of the fields of a suppression those that are asked for. In chunks, because lists are long. A number may occur again. */
export async function* readSuppressionsCsv(
  source: Readable,
  args: FieldsArgs & { chunkLength: number },
): AsyncGenerator<SuppressionRow[]> {
  let chunk: SuppressionRow[] = [];
  for await (const { line, fields } of readFields(source, args)) {
    const phone = readPhone(fields.get('phone_number') ?? '', args.options);
    const details = suppressionOf(itemOfFields(fields));
    if (phone.kind === 'fault' || 'fault' in details) {
      const message = phone.kind === 'fault' ? phone.message : 'fault' in details ? details.fault : '';
      args.report({ line, message });
      continue;
    }
    chunk.push({ line, ...details, phoneNumber: phone.e164 });
    if (chunk.length < args.chunkLength) continue;
    yield chunk;
    chunk = [];
  }
  if (chunk.length > 0) yield chunk;
}
