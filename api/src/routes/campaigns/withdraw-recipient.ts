import { deleted, envelope, recipient, rolesFrom } from '@outdial/contracts';
import { findRecipient } from '@outdial/db';
import { findWaiting, withdrawRecipient as withdrawInEngine } from '@outdial/engine';
import { z } from 'zod';
import { defineRoute } from '../../http/define-route.ts';
import { notFound, resourceId } from '../../http/resource-id.ts';
import { recipientView } from './recipient-view.ts';

export const withdrawRecipient = defineRoute(
  {
    method: 'delete',
    path: '/api/v1/campaigns/{campaign_id}/recipients/{recipient_id}',
    operationId: 'withdrawRecipient',
    summary: 'Withdraw a recipient',
    description:
      "The recipient is not called again. A call in progress continues unless `hang_up` is true, but a call that waits in the carrier's queue is withdrawn. Returns 409 if the recipient is already finished.",
    tag: 'campaigns',
    roles: rolesFrom('manager'),
    params: z.object({ campaign_id: z.string(), recipient_id: z.string() }),
    query: z.object({
      hang_up: z
        .enum(['true', 'false'])
        .transform((text) => text === 'true')
        .default(false)
        .meta({ type: 'boolean' })
        .describe('Whether to end a call in progress as well.'),
    }),
    response: envelope(recipient),
    errors: [409],
  },
  async ({ organizationId, params, query }, deps) => {
    const campaignId = resourceId(params.campaign_id, 'Campaign');
    const recipientId = resourceId(params.recipient_id, 'Recipient');
    const key = { organizationId, campaignId };
    await withdrawInEngine(deps, { ...key, recipientId, hangUp: query.hang_up });
    const waiting = (await findWaiting(deps.db, { organizationId, campaignIds: [campaignId] })).get(
      campaignId,
    );
    const record = await findRecipient(deps.db, key, recipientId);
    if (waiting === undefined || record === null) throw notFound('Recipient');
    return deleted(recipientView(record, waiting));
  },
);
