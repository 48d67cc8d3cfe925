import {
  created,
  envelope,
  importSuppressionsBody,
  ListNotes,
  numberingOf,
  rolesFrom,
  suppressionImport,
  suppressionsAtMost,
} from '@outdial/contracts';
import { engineNow, noteChange, type NewSuppression } from '@outdial/db';
import { faultOfEnd, suppressIn, keepLongest, suppressionFields, suppressionOf } from '@outdial/engine';
import { metaWithWarnings } from '../../http/answer-warnings.ts';
import { defineRoute } from '../../http/define-route.ts';
import { idempotencyHeader, once } from '../../http/idempotency.ts';
import {
  bringsFile,
  hiddenWereRead,
  inOrder,
  tableUpload,
  withDigest,
  readTable,
} from '../../http/table-upload.ts';
import {
  faultOfNumber,
  itemOfFields,
  maskPhoneNumber,
  type Numbering,
  parsePhoneNumber,
  withPauses,
} from '@outdial/core';

const answer = envelope(suppressionImport);

export const importSuppressions = defineRoute(
  {
    method: 'post',
    path: '/api/v1/suppressions/import',
    operationId: 'importSuppressions',
    summary: 'Import numbers into the suppression list',
    description:
      'Accepts a form with a file, or JSON with `items`. The first line of a file names its columns: phone (or phone_number, to, number), and optionally reason, note and expires_at; `meta.warnings` names other columns. ' +
      'Numbers may contain spaces, dashes and brackets. Invalid rows are skipped and listed in `refused`; the others are added, all or none. An import never shortens a suppression.',
    tag: 'suppressions',
    roles: rolesFrom('manager'),
    upload: tableUpload,
    body: importSuppressionsBody,
    headers: idempotencyHeader,
    response: answer,
  },
  async (request, deps) => {
    const { body, bytes } = request;
    const { organizationId, userId } = request.principal;
    const numbering = numberingOf(body);
    const read = bringsFile(request, 'items')
      ? await readFile({ bytes, organizationId }, { mapping: body.mapping, numbering })
      : { rows: (body.items ?? []).map((item, at) => rowOf(item, at + 1)), notes: new ListNotes('items') };
    const judged = await judgeRows(read.rows, { numbering, now: await engineNow(deps.db) });
    read.notes.repeats.push(...judged.repeats);
    const suppressions = [...judged.suppressions.values()];
    const refused = inOrder(judged.refused);
    return once(deps, withDigest(request), answer, async (tx) => {
      const { added, afterCommit } = await suppressIn(tx, deps, {
        organizationId,
        suppressions,
        origin: { source: body.source ?? 'import', createdBy: userId },
      });
      const known = suppressions.length - added;
      noteChange({ type: 'suppression', id: 'import', after: { added, known } });
      const meta = metaWithWarnings({}, read.notes.warnings(hiddenWereRead));
      const repeated = judged.repeats.length;
      const rows = added + known + repeated + refused.length;
      return { kept: created({ rows, added, known, repeated, refused }, meta), afterCommit };
    });
  },
);

/** A refused row, with its number masked. */
interface RefusedRow {
  line: number;
  phone_number: string;
  reason: string;
}

type Row = NewSuppression & { line: number };

interface Refused {
  refused: RefusedRow;
}

/** The rows of a CSV or XLSX file. @throws ValidationError */
async function readFile(
  file: { bytes: Buffer; organizationId: string },
  args: { mapping: string | null | undefined; numbering: Numbering },
): Promise<{ rows: Array<Row | Refused>; notes: ListNotes }> {
  const table = { ...args, fields: suppressionFields, rowsAtMost: suppressionsAtMost };
  const { items, faults, notes } = await readTable(file, table, (fields, line) =>
    rowOf(itemOfFields(fields), line),
  );
  const malformed = faults.map(({ line, reason }) => ({ refused: { line, phone_number: '•••', reason } }));
  return { rows: [...items, ...malformed], notes };
}

function rowOf(item: Readonly<Record<string, unknown>>, line: number): Row | Refused {
  const row = suppressionOf(item);
  if (!('fault' in row)) return { line, ...row };
  const { phone_number: number } = item;
  const masked = maskPhoneNumber(typeof number === 'string' ? number : '');
  return { refused: { line, phone_number: masked, reason: row.fault } };
}

/** Each number once. Of rows that repeat it, the one counts that protects the person the longest. */
async function judgeRows(
  rows: ReadonlyArray<Row | Refused>,
  { numbering, now }: { numbering: Numbering; now: Date },
): Promise<{ suppressions: Map<string, NewSuppression>; repeats: number[]; refused: RefusedRow[] }> {
  const suppressions = new Map<string, NewSuppression>();
  const refused: RefusedRow[] = [];
  const repeats: number[] = [];
  for await (const row of withPauses(rows)) {
    if ('refused' in row) {
      refused.push(row.refused);
      continue;
    }
    const { line, phoneNumber, ...details } = row;
    const parsed = parsePhoneNumber(phoneNumber, numbering);
    const fault = parsed.kind === 'invalid' ? faultOfNumber(parsed) : faultOfEnd(details.expiresAt, now);
    if (parsed.kind === 'invalid' || fault !== null) {
      refused.push({ line, phone_number: maskPhoneNumber(phoneNumber), reason: fault ?? '' });
    } else if (keepLongest(suppressions, { phoneNumber: parsed.e164, ...details })) {
      repeats.push(line);
    }
  }
  return { suppressions, repeats, refused };
}
