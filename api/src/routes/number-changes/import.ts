import { createHash } from 'node:crypto';
import {
  created,
  envelope,
  importNumberChangesBody,
  numberChangeImport,
  numberChangesAtMost,
  rolesFrom,
} from '@outdial/contracts';
import { addNumberChanges, engineNow, noteChange } from '@outdial/db';
import { judgeNumberChanges, numberChangeOfCells, type NumberChangeLine } from '@outdial/engine';
import { readRows, TableError } from '@outdial/sheets';
import { defineRoute } from '../../http/define-route.ts';
import { ValidationError } from '../../http/errors.ts';
import { idempotencyHeader, once } from '../../http/idempotency.ts';
import { inPieces } from '../../http/in-pieces.ts';

const answer = envelope(numberChangeImport);

export const importNumberChanges = defineRoute(
  {
    method: 'post',
    path: '/api/v1/number-changes/import',
    operationId: 'importNumberChanges',
    summary: 'Import numbers that were ported or reassigned',
    description:
      'Takes a form with a file, or JSON with `items`. The first line of a file names its columns: phone (or phone_number, to, number), kind (`ported` or `reassigned`), changed_at and source; others are left alone. ' +
      'Once this is answered, no dial relies on a consent that was given before the change. Rows that cannot be taken are left out and named in `refused`; the rest are added, all or none.',
    tag: 'consents',
    roles: rolesFrom('manager'),
    upload: {
      field: 'file',
      description: 'CSV in UTF-8, with commas, semicolons or tabs; or XLSX, of which the first sheet is read',
      inMemory: true,
      orJson: true,
    },
    body: importNumberChangesBody,
    headers: idempotencyHeader,
    response: answer,
    errors: [409],
  },
  async (request, deps) => {
    const { body, bytes, req } = request;
    const { organizationId, userId } = request.principal;
    const isForm = /^\s*multipart\//i.test(req.headers['content-type'] ?? '');
    if (!isForm && body.items === undefined) {
      throw new ValidationError([{ loc: ['body', 'items'], msg: 'Field required', type: 'missing' }]);
    }
    const rows = isForm
      ? await readFile(bytes, body.country ?? undefined)
      : { faults: [], items: (body.items ?? []).map((item, index) => ({ item, line: index + 1 })) };
    const sha256 = createHash('sha256').update(bytes).digest('hex');
    return once(
      deps,
      { ...request, body: { ...body, file: sha256 } },
      (kept) => answer.parse(kept),
      async (tx) => {
        const judged = judgeNumberChanges(rows.items, await engineNow(tx));
        const { changes } = judged;
        const added = await addNumberChanges(tx, { organizationId, createdBy: userId, changes });
        const refused = [...rows.faults, ...judged.refused].toSorted((one, other) => one.line - other.line);
        noteChange({ type: 'number_change', id: 'import', after: { added, refused: refused.length } });
        return { kept: created({ added, known: changes.length - added, refused }) };
      },
    );
  },
);

type Refused = ReturnType<typeof judgeNumberChanges>['refused'][number];

/** The rows of a CSV or XLSX file. @throws ValidationError */
async function readFile(
  bytes: Buffer,
  country: string | undefined,
): Promise<{ items: NumberChangeLine[]; faults: Refused[] }> {
  const items: NumberChangeLine[] = [];
  const faults: Refused[] = [];
  const report = ({ line, message }: { line: number; message: string }) =>
    void faults.push({ line, field: null, reason: message });
  try {
    for await (const { line, cells } of readRows(inPieces(bytes), report)) {
      if (items.length >= numberChangesAtMost) {
        throw fault(`The file has more than ${numberChangesAtMost} rows`);
      }
      items.push({ line, item: numberChangeOfCells(cells, country) });
    }
  } catch (error) {
    if (error instanceof TableError) throw fault(error.message);
    throw error;
  }
  return { items, faults };
}

function fault(msg: string): ValidationError {
  return new ValidationError([{ loc: ['body', 'file'], msg, type: 'value_error' }]);
}
