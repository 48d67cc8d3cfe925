import {
  created,
  envelope,
  importSuppressionsBody,
  ListNotes,
  numberingOf,
  rolesFrom,
  suppressionImport,
  type ImportedSuppression,
  suppressionsAtMost,
} from '@outdial/contracts';
import { engineNow, noteChange, type NewSuppression } from '@outdial/db';
import { faultOfEnd, suppressIn, keepLongest, suppressionFields, suppressionOfFields } from '@outdial/engine';
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
import { faultOfNumber, maskPhoneNumber, type Numbering, parsePhoneNumber, withPauses } from '@outdial/core';

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
    errors: [409],
  },
  async (request, deps) => {
    const { body, bytes } = request;
    const { organizationId, userId } = request.principal;
    const numbering = numberingOf(body);
    const read = bringsFile(request, 'items')
      ? await readFile(bytes, { mapping: body.mapping, numbering })
      : { refused: [], notes: new ListNotes('items'), items: (body.items ?? []).map(rowOfItem) };
    const judged = await judgeRows(read.items, { numbering, now: await engineNow(deps.db) });
    read.notes.repeats.push(...judged.repeats);
    const suppressions = [...judged.suppressions.values()];
    const refused = inOrder([...read.refused, ...judged.refused]);
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

/** The rows of a CSV or XLSX file, their numbers as they are written. @throws ValidationError */
async function readFile(
  bytes: Buffer,
  args: { mapping: string | null | undefined; numbering: Numbering },
): Promise<{ items: Row[]; refused: RefusedRow[]; notes: ListNotes }> {
  const table = { ...args, fields: suppressionFields, rowsAtMost: suppressionsAtMost };
  const { items: read, faults, notes } = await readTable(bytes, table, rowOf);
  return {
    notes,
    items: read.flatMap((row) => ('refused' in row ? [] : [row])),
    refused: [
      ...faults.map(({ line, reason }) => ({ line, phone_number: '•••', reason })),
      ...read.flatMap((row) => ('refused' in row ? [row.refused] : [])),
    ],
  };
}

function rowOf(fields: ReadonlyMap<string, string>, line: number): Row | { refused: RefusedRow } {
  const number = fields.get('phone_number') ?? '';
  const details = suppressionOfFields(fields);
  if ('fault' in details) {
    return { refused: { line, phone_number: maskPhoneNumber(number), reason: details.fault } };
  }
  return { line, phoneNumber: number, ...details };
}

function rowOfItem(item: ImportedSuppression, index: number): Row {
  return {
    line: index + 1,
    phoneNumber: item.phone_number,
    reason: item.reason ?? null,
    note: item.note ?? null,
    expiresAt: item.expires_at ?? null,
  };
}

/** Each number once. Of rows that repeat it, the one counts that protects the person the longest. */
async function judgeRows(
  items: readonly Row[],
  { numbering, now }: { numbering: Numbering; now: Date },
): Promise<{ suppressions: Map<string, NewSuppression>; repeats: number[]; refused: RefusedRow[] }> {
  const suppressions = new Map<string, NewSuppression>();
  const refused: RefusedRow[] = [];
  const repeats: number[] = [];
  for await (const { line, phoneNumber, ...details } of withPauses(items)) {
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
