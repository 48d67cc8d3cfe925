import { consentImport, consentsAtMost, importConsentsBody } from '@outdial/contracts';
import { addConsents } from '@outdial/db';
import { consentFields, consentOfFields, judgeConsents } from '@outdial/engine';
import { defineItemsImport } from '../../http/define-items-import.ts';

export const importConsents = defineItemsImport({
  path: '/api/v1/consents/import',
  operationId: 'importConsents',
  summary: 'Record many consents',
  description:
    'Accepts a form with a file, or JSON with `items`, each like a body of `POST /consents`. The first line of a file names its columns: phone (or phone_number, to, number), basis, source and given_at, and optionally scope, text_shown, evidence_hash and expires_at. `meta.warnings` names other columns. Separate several purposes in scope with semicolons. ' +
    'Invalid rows (such as a malformed number or an expired consent) are skipped and listed in `refused`; the others are added, all or none.',
  tag: 'consents',
  body: importConsentsBody,
  answer: consentImport,
  rowsAtMost: consentsAtMost,
  fields: consentFields,
  itemOf: consentOfFields,
  type: 'consent',
  async add(tx, lines, { organizationId, createdBy, now, numbering }) {
    const { accepted: consents, refused } = await judgeConsents(lines, now, numbering);
    await addConsents(tx, { organizationId, createdBy, consents });
    return { added: consents.length, refused };
  },
});
