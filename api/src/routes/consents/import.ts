import { createHash } from 'node:crypto';
import {
  consentImport,
  consentsAtMost,
  created,
  envelope,
  importConsentsBody,
  rolesFrom,
} from '@outdial/contracts';
import { addConsents, engineNow, noteChange } from '@outdial/db';
import { consentOfCells, judgeConsents, type ConsentItem, type RefusedConsent } from '@outdial/engine';
import { readRows, TableError } from '@outdial/sheets';
import { defineRoute } from '../../http/define-route.ts';
import { ValidationError } from '../../http/errors.ts';
import { idempotencyHeader, once } from '../../http/idempotency.ts';
import { inPieces } from '../../http/in-pieces.ts';

const answer = envelope(consentImport);

export const importConsents = defineRoute(
  {
    method: 'post',
    path: '/api/v1/consents/import',
    operationId: 'importConsents',
    summary: 'Record many consents',
    description:
      'Takes a form with a file, or JSON with `items`, each a body of `POST /consents`. The first line of a file names its columns: phone (or phone_number, to, number), basis, source and given_at, and scope, text_shown, evidence_hash and expires_at where they are there; others are left alone. Purposes in scope are apart by semicolons. ' +
      'Invalid rows (such as a malformed number or an expired consent) are skipped and listed in `refused`; the rest are added, all or none.',
    tag: 'consents',
    roles: rolesFrom('manager'),
    upload: {
      field: 'file',
      description: 'CSV in UTF-8, with commas, semicolons or tabs; or XLSX, of which the first sheet is read',
      inMemory: true,
      orJson: true,
    },
    body: importConsentsBody,
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
        const judged = judgeConsents(rows.items, await engineNow(tx));
        await addConsents(tx, { organizationId, createdBy: userId, consents: judged.consents });
        const added = judged.consents.length;
        const refused = [...rows.faults, ...judged.refused].toSorted((one, other) => one.line - other.line);
        noteChange({ type: 'consent', id: 'import', after: { added, refused: refused.length } });
        return { kept: created({ added, refused }) };
      },
    );
  },
);

/** The rows of a CSV or XLSX file. @throws ValidationError */
async function readFile(
  bytes: Buffer,
  country: string | undefined,
): Promise<{ items: ConsentItem[]; faults: RefusedConsent[] }> {
  const items: ConsentItem[] = [];
  const faults: RefusedConsent[] = [];
  const report = ({ line, message }: { line: number; message: string }) =>
    void faults.push({ line, field: null, reason: message });
  try {
    for await (const { line, cells } of readRows(inPieces(bytes), report)) {
      if (items.length >= consentsAtMost) throw fault(`The file has more than ${consentsAtMost} rows`);
      items.push({ line, item: consentOfCells(cells, country) });
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
