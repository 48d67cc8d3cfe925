import {
  created,
  envelope,
  importSuppressionsBody,
  ListNotes,
  numberingOf,
  rolesFrom,
  suppressionImport,
} from '@outdial/contracts';
import { noteChange } from '@outdial/db';
import { suppressIn } from '@outdial/engine';
import { metaWithWarnings } from '../../http/answer-warnings.ts';
import { defineRoute } from '../../http/define-route.ts';
import { idempotencyHeader, once } from '../../http/idempotency.ts';
import { bringsFile, hiddenWereRead, inOrder, tableUpload, withDigest } from '../../http/table-upload.ts';
import { judgeRows, readFile, rowOfItem } from './read-import.ts';

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
    const judged = await judgeRows(read.items, numbering);
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
