import { envelope, got, receipt, rolesFrom } from '@outdial/contracts';
import { readReceipt as readFromEngine } from '@outdial/engine';
import { z } from 'zod';
import { defineRoute } from '../../http/define-route.ts';
import { orNotFound, resourceId } from '../../http/resource-id.ts';
import { receiptView } from './receipt-view.ts';

export const readReceipt = defineRoute(
  {
    method: 'get',
    path: '/api/v1/calls/{call_id}/receipt',
    operationId: 'readReceipt',
    summary: 'Read why a call was allowed',
    description:
      'Returns each condition of the last check before the dial with its verdict, and the facts behind it: the rules of that time with version and citation, the time zones considered, the window, the caps with their counts, and the consent. The receipt is written together with the call and never changes.',
    tag: 'calls',
    roles: rolesFrom('viewer'),
    params: z.object({ call_id: z.string() }),
    response: envelope(receipt),
  },
  async ({ organizationId, params }, { db }) => {
    const callId = resourceId(params.call_id, 'Call');
    const found = orNotFound(await readFromEngine(db, { organizationId, callId }), 'Call');
    return got(receiptView(found));
  },
);
