import {
  consentImport,
  consentsAtMost,
  created,
  envelope,
  importConsentsBody,
  rolesFrom,
} from '@outdial/contracts';
import { addConsents, engineNow, noteChange } from '@outdial/db';
import { consentOfCells, judgeConsents } from '@outdial/engine';
import { defineRoute } from '../../http/define-route.ts';
import { idempotencyHeader, once } from '../../http/idempotency.ts';
import { bringsFile, inOrder, readTable, tableUpload, withDigest } from '../../http/table-upload.ts';

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
    upload: tableUpload,
    body: importConsentsBody,
    headers: idempotencyHeader,
    response: answer,
    errors: [409],
  },
  async (request, deps) => {
    const { body, bytes } = request;
    const { organizationId, userId } = request.principal;
    const country = body.country ?? undefined;
    const read = bringsFile(request, 'items')
      ? await readTable(bytes, consentsAtMost, (cells, line) => ({
          line,
          item: consentOfCells(cells, country),
        }))
      : { faults: [], items: (body.items ?? []).map((item, index) => ({ item, line: index + 1 })) };
    return once(
      deps,
      withDigest(request),
      (kept) => answer.parse(kept),
      async (tx) => {
        const judged = judgeConsents(read.items, await engineNow(tx));
        await addConsents(tx, { organizationId, createdBy: userId, consents: judged.consents });
        const added = judged.consents.length;
        const refused = inOrder([...read.faults.map((one) => ({ ...one, field: null })), ...judged.refused]);
        noteChange({ type: 'consent', id: 'import', after: { added, refused: refused.length } });
        return { kept: created({ added, refused }) };
      },
    );
  },
);
