import {
  addConsentBody,
  consentImport,
  created,
  envelope,
  importConsentsBody,
  rolesFrom,
} from '@outdial/contracts';
import { addConsents, engineNow, noteChange, type NewConsent } from '@outdial/db';
import { defineRoute } from '../../http/define-route.ts';
import { idempotencyHeader, once } from '../../http/idempotency.ts';
import { judgeConsent } from './judge-consent.ts';

const answer = envelope(consentImport);

interface RefusedRow {
  line: number;
  field: string | null;
  reason: string;
}

export const importConsents = defineRoute(
  {
    method: 'post',
    path: '/api/v1/consents/import',
    operationId: 'importConsents',
    summary: 'Record many consents',
    description:
      'Each item is a body of `POST /consents`. Items that cannot be taken (a number that is none, a consent that has expired) are left out and named in `refused`; the rest are added, all or none.',
    tag: 'consents',
    roles: rolesFrom('manager'),
    body: importConsentsBody,
    headers: idempotencyHeader,
    response: answer,
    errors: [409],
  },
  async (request, deps) => {
    const { organizationId, userId } = request.principal;
    return once(
      deps,
      request,
      (kept) => answer.parse(kept),
      async (tx) => {
        const { consents, refused } = judgeItems(request.body.items, await engineNow(tx));
        await addConsents(tx, { organizationId, createdBy: userId, consents });
        const added = consents.length;
        noteChange({ type: 'consent', id: 'import', after: { added, refused: refused.length } });
        return { kept: created({ added, refused }) };
      },
    );
  },
);

function judgeItems(
  items: ReadonlyArray<Record<string, unknown>>,
  now: Date,
): { consents: NewConsent[]; refused: RefusedRow[] } {
  const consents: NewConsent[] = [];
  const refused: RefusedRow[] = [];
  for (const [index, item] of items.entries()) {
    const line = index + 1;
    const parsed = addConsentBody.safeParse(item);
    if (!parsed.success) {
      const [issue] = parsed.error.issues;
      const field = issue?.path[0];
      refused.push({ line, field: field === undefined ? null : String(field), reason: issue?.message ?? '' });
      continue;
    }
    const judged = judgeConsent(parsed.data, now);
    if ('field' in judged) refused.push({ line, field: judged.field, reason: judged.msg });
    else consents.push(judged);
  }
  return { consents, refused };
}
