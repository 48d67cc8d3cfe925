import {
  created,
  envelope,
  importNumberChangesBody,
  numberChangeImport,
  numberChangesAtMost,
  rolesFrom,
} from '@outdial/contracts';
import { addNumberChanges, engineNow, noteChange } from '@outdial/db';
import { judgeNumberChanges, numberChangeOfCells } from '@outdial/engine';
import { defineRoute } from '../../http/define-route.ts';
import { idempotencyHeader, once } from '../../http/idempotency.ts';
import { bringsFile, inOrder, readTable, tableUpload, withDigest } from '../../http/table-upload.ts';

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
    upload: tableUpload,
    body: importNumberChangesBody,
    headers: idempotencyHeader,
    response: answer,
    errors: [409],
  },
  async (request, deps) => {
    const { body, bytes } = request;
    const { organizationId, userId } = request.principal;
    const country = body.country ?? undefined;
    const read = bringsFile(request, 'items')
      ? await readTable(bytes, numberChangesAtMost, (cells, line) => ({
          line,
          item: numberChangeOfCells(cells, country),
        }))
      : { faults: [], items: (body.items ?? []).map((item, index) => ({ item, line: index + 1 })) };
    return once(
      deps,
      withDigest(request),
      (kept) => answer.parse(kept),
      async (tx) => {
        const judged = judgeNumberChanges(read.items, await engineNow(tx));
        const { changes } = judged;
        const added = await addNumberChanges(tx, { organizationId, createdBy: userId, changes });
        const refused = inOrder([...read.faults.map((one) => ({ ...one, field: null })), ...judged.refused]);
        noteChange({ type: 'number_change', id: 'import', after: { added, refused: refused.length } });
        return { kept: created({ added, known: changes.length - added, refused }) };
      },
    );
  },
);
