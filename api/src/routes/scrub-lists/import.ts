import { createHash } from 'node:crypto';
import {
  created,
  envelope,
  importScrubListBody,
  rolesFrom,
  scrubbedNumbersAtMost,
  scrubListImport,
} from '@outdial/contracts';
import { parsePhoneNumber } from '@outdial/core';
import { addToScrubList, engineNow, noteChange } from '@outdial/db';
import { faultOfOlder, faultOfScrub } from '@outdial/engine';
import { readRows, TableError } from '@outdial/sheets';
import { defineRoute } from '../../http/define-route.ts';
import { ValidationError } from '../../http/errors.ts';
import { idempotencyHeader, once } from '../../http/idempotency.ts';
import { inPieces } from '../../http/in-pieces.ts';
import { scrubListView } from './scrub-list-view.ts';

const answer = envelope(scrubListImport);

export const importScrubList = defineRoute(
  {
    method: 'post',
    path: '/api/v1/scrub-lists/import',
    operationId: 'importScrubList',
    summary: 'Import a scrub list',
    description:
      'Numbers that a registry says are not to be called: a form with a file, or JSON with `numbers`. The list is made where there is none of this name. A version of more than 10,000 numbers comes in parts with the same `scrubbed_at`, all but the last with `complete: false`. ' +
      'Once this is answered, no campaign that needs the list dials a number on it. The first line of a file names its columns, of which phone (or phone_number, to, number) is read.',
    tag: 'scrub lists',
    roles: rolesFrom('manager'),
    upload: {
      field: 'file',
      description: 'CSV in UTF-8, with commas, semicolons or tabs; or XLSX, of which the first sheet is read',
      inMemory: true,
      orJson: true,
    },
    body: importScrubListBody,
    headers: idempotencyHeader,
    response: answer,
    errors: [409],
  },
  async (request, deps) => {
    const { body, bytes, req } = request;
    const { organizationId } = request.principal;
    const isForm = /^\s*multipart\//i.test(req.headers['content-type'] ?? '');
    if (!isForm && body.numbers === undefined) {
      throw new ValidationError([{ loc: ['body', 'numbers'], msg: 'Field required', type: 'missing' }]);
    }
    const read = isForm
      ? await readFile(bytes)
      : { refused: [], numbers: (body.numbers ?? []).map((text, index) => ({ text, line: index + 1 })) };
    const phoneNumbers: string[] = [];
    const refused = [...read.refused];
    for (const { text, line } of read.numbers) {
      const parsed = parsePhoneNumber(text, body.country ?? undefined);
      if (parsed.kind === 'invalid') refused.push({ line, reason: parsed.reason });
      else phoneNumbers.push(parsed.e164);
    }
    refused.sort((one, other) => one.line - other.line);
    const sha256 = createHash('sha256').update(bytes).digest('hex');
    return once(
      deps,
      { ...request, body: { ...body, file: sha256 } },
      (kept) => answer.parse(kept),
      async (tx) => {
        const { name, source, scrubbed_at: scrubbedAt, complete: isComplete } = body;
        const account = body.account ?? null;
        const fault = faultOfScrub(scrubbedAt, await engineNow(tx));
        if (fault !== null) throw faultOf('scrubbed_at', fault);
        const part = { organizationId, name, source, account, scrubbedAt, phoneNumbers, isComplete };
        const taken = await addToScrubList(tx, part);
        if ('newestAt' in taken) throw faultOf('scrubbed_at', faultOfOlder(taken.newestAt));
        const { added, list } = taken;
        const after = {
          source,
          account,
          scrubbed_at: scrubbedAt,
          added,
          refused: refused.length,
          complete: isComplete,
        };
        noteChange({ type: 'scrub_list', id: name, after });
        return { kept: created({ list: scrubListView(list), added, refused }) };
      },
    );
  },
);

const phoneColumns = ['phone', 'phone_number', 'to', 'to_phone', 'number'];

/** The numbers of a CSV or XLSX file. @throws ValidationError */
async function readFile(bytes: Buffer): Promise<{
  numbers: Array<{ text: string; line: number }>;
  refused: Array<{ line: number; reason: string }>;
}> {
  const numbers: Array<{ text: string; line: number }> = [];
  const refused: Array<{ line: number; reason: string }> = [];
  try {
    const report = ({ line, message }: { line: number; message: string }) =>
      void refused.push({ line, reason: message });
    for await (const { line, cells } of readRows(inPieces(bytes), report)) {
      if (numbers.length + refused.length >= scrubbedNumbersAtMost) {
        throw faultOf('file', `The file has more than ${scrubbedNumbersAtMost} rows`);
      }
      const column = [...cells.keys()].find((name) => phoneColumns.includes(name.trim().toLowerCase()));
      if (column === undefined) {
        throw faultOf('file', `The first line names no column ${phoneColumns.join(', ')}`);
      }
      numbers.push({ line, text: (cells.get(column) ?? '').slice(0, 100) });
    }
  } catch (error) {
    if (error instanceof TableError) throw faultOf('file', error.message);
    throw error;
  }
  return { numbers, refused };
}

function faultOf(field: string, msg: string): ValidationError {
  return new ValidationError([{ loc: ['body', field], msg, type: 'value_error' }]);
}
