import { listReceiptSealsQuery, receiptSeal, type ReceiptSeal, rolesFrom } from '@outdial/contracts';
import { byInstant, listSeals, type SealRow } from '@outdial/db';
import { defineList } from '../../http/define-list.ts';

export const listReceiptSeals = defineList(
  {
    path: '/api/v1/receipt-seals',
    operationId: 'listReceiptSeals',
    summary: 'List the seals of receipts, newest first',
    description:
      'A seal is the signed root of a hash tree over the calls and refusals of a day, an hour after its end (UTC). A day with more than 4,096 of them has several seals; calls that ended later are in a later one. Store the answer where nobody can change it: what was sealed before can then be verified without trusting the database.',
    tag: 'calls',
    roles: rolesFrom('viewer'),
    query: listReceiptSealsQuery,
    item: receiptSeal,
    rowBytesAtMost: 4 * 1024,
  },
  async ({ organizationId, page }, { db }) => ({
    rows: await listSeals(db, { organizationId, page }),
    position: byInstant,
    view: sealView,
  }),
);

function sealView({ number, day, statement, signature, created_at: createdAt }: SealRow): ReceiptSeal {
  return {
    number,
    day,
    statement,
    signature: signature.toString('base64'),
    created_at: createdAt.toISOString(),
  };
}
