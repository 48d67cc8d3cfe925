import { createReadStream, statSync } from 'node:fs';
import { basename } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { RecipientsCsv } from '@outdial/cli';
import { parseRecipientsCsv } from '@outdial/cli';
import type { DemoChoice } from '../options/parse-options.ts';
import { StartError } from '../start-error.ts';

export interface DemoList extends RecipientsCsv {
  fileName: string;
}

const shippedList = fileURLToPath(new URL('../../demo/recipients.csv', import.meta.url));

/**
 * Reads the list that the demo dials.
 * @returns null without a demo
 * @throws StartError if the list has no number to dial
 */
export async function readList(choice: DemoChoice): Promise<DemoList | null> {
  if (choice.kind === 'none') return null;
  const path = choice.kind === 'own' ? choice.csv : shippedList;
  const stats = statSync(path, { throwIfNoEntry: false });
  if (stats === undefined) throw new StartError('list_not_found', `There is no file ${path}.`);
  if (!stats.isFile()) throw new StartError('list_unusable', `${path} is not a file.`);
  let list: RecipientsCsv;
  try {
    list = await parseRecipientsCsv(createReadStream(path));
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new StartError('list_unusable', `${path} cannot be used: ${reason}.`, { cause });
  }
  if (list.recipients.size === 0) {
    const [first] = list.faults;
    const why = first === undefined ? 'it has no rows' : `line ${first.line} ${first.message}`;
    throw new StartError('list_empty', `${path} has no number to call: ${why}.`);
  }
  return { ...list, fileName: basename(path) };
}
