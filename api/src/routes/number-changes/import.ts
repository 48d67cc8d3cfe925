import { importNumberChangesBody, numberChangeImport, numberChangesAtMost } from '@outdial/contracts';
import { addNumberChanges } from '@outdial/db';
import { itemOfFields } from '@outdial/core';
import { judgeNumberChanges, numberChangeFields } from '@outdial/engine';
import { defineItemsImport } from '../../http/define-items-import.ts';

export const importNumberChanges = defineItemsImport({
  path: '/api/v1/number-changes/import',
  operationId: 'importNumberChanges',
  summary: 'Import numbers that were ported or reassigned',
  description:
    'Accepts a form with a file, or JSON with `items`. The first line of a file names its columns: phone (or phone_number, to, number), kind (`ported` or `reassigned`), changed_at and source. `meta.warnings` names other columns. ' +
    'Once this returns, no call is based on a consent that was given before the change. Invalid rows are skipped and listed in `refused`; the others are added, all or none.',
  tag: 'consents',
  body: importNumberChangesBody,
  answer: numberChangeImport,
  rowsAtMost: numberChangesAtMost,
  fields: numberChangeFields,
  itemOf: itemOfFields,
  type: 'number_change',
  async add(tx, lines, { organizationId, createdBy, now, numbering }) {
    const { accepted: changes, refused } = await judgeNumberChanges(lines, now, numbering);
    const added = await addNumberChanges(tx, { organizationId, createdBy, changes });
    return { added, known: changes.length - added, refused };
  },
});
