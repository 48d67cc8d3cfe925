import {
  created,
  envelope,
  importSuppressionsBody,
  rolesFrom,
  suppressionImport,
  type ImportSuppressionsBody,
} from '@outdial/contracts';
import { maskPhoneNumber, parsePhoneNumber } from '@outdial/core';
import { noteChange, type NewSuppression } from '@outdial/db';
import { suppressIn } from '@outdial/engine';
import { defineRoute } from '../../http/define-route.ts';
import { idempotencyHeader, once } from '../../http/idempotency.ts';

const answer = envelope(suppressionImport);

export const importSuppressions = defineRoute(
  {
    method: 'post',
    path: '/api/v1/suppressions/import',
    operationId: 'importSuppressions',
    summary: 'Never dial any number of a list again',
    description:
      'Numbers may be written with spaces, dashes and brackets. Rows that name no number are left out and named in `refused`; the rest are added, all or none. A suppression is never shortened by an import.',
    tag: 'suppressions',
    roles: rolesFrom('manager'),
    body: importSuppressionsBody,
    largeBody: true,
    headers: idempotencyHeader,
    response: answer,
    errors: [409],
  },
  async (request, deps) => {
    const { body } = request;
    const { organizationId, userId } = request.principal;
    const { suppressions, refused } = readRows(body);
    return once(
      deps,
      request,
      (kept) => answer.parse(kept),
      async (tx) => {
        const { added, afterCommit } = await suppressIn(tx, deps, {
          organizationId,
          suppressions,
          origin: { source: body.source ?? 'import', createdBy: userId },
          known: 'keep',
        });
        const known = suppressions.length - added;
        noteChange({ type: 'suppression', id: 'import', after: { added, known } });
        return { kept: created({ added, known, refused }), afterCommit };
      },
    );
  },
);

interface RefusedRow {
  line: number;
  phone_number: string;
  reason: string;
}

/** Each number once, at its first row. */
function readRows({ items, country }: ImportSuppressionsBody): {
  suppressions: NewSuppression[];
  refused: RefusedRow[];
} {
  const suppressions = new Map<string, NewSuppression>();
  const refused: RefusedRow[] = [];
  for (const [index, item] of items.entries()) {
    const parsed = parsePhoneNumber(item.phone_number, country ?? undefined);
    if (parsed.kind === 'invalid') {
      refused.push({
        line: index + 1,
        phone_number: maskPhoneNumber(item.phone_number),
        reason: parsed.reason,
      });
    } else if (!suppressions.has(parsed.e164)) {
      suppressions.set(parsed.e164, {
        phoneNumber: parsed.e164,
        reason: item.reason ?? null,
        note: item.note ?? null,
        expiresAt: item.expires_at ?? null,
      });
    }
  }
  return { suppressions: [...suppressions.values()], refused };
}
