import type { Readable } from 'node:stream';
import type { NewSuppression } from '@outdial/db';
import type { FileFault } from '../cli-error.ts';
import type { ListOptions } from '../options.ts';
import { readFields } from './read-rows.ts';
import { readPhone } from './read-phone.ts';

/** Reads numbers to suppress: a column `phone`, and optionally `reason`. In chunks, because lists are long. A number may occur again. */
export async function* readSuppressionsCsv(
  source: Readable,
  args: { options: ListOptions; report: (fault: FileFault) => void; chunkLength: number },
): AsyncGenerator<NewSuppression[]> {
  let chunk: NewSuppression[] = [];
  const { options, report } = args;
  for await (const { line, fields } of readFields(source, { ...options, report })) {
    const phone = readPhone(fields.get('phone_number') ?? '', options);
    if (phone.kind === 'fault') {
      report({ line, message: phone.message });
      continue;
    }
    chunk.push({ phoneNumber: phone.e164, reason: fields.get('reason') || null });
    if (chunk.length < args.chunkLength) continue;
    yield chunk;
    chunk = [];
  }
  if (chunk.length > 0) yield chunk;
}
