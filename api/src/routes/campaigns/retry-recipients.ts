import { envelope, retriedRecipients, retryRecipientsBody, rolesFrom, updated } from '@outdial/contracts';
import { enqueueAdvance, retryRecipientsInTransaction } from '@outdial/engine';
import { z } from 'zod';
import { defineRoute } from '../../http/define-route.ts';
import { idempotencyHeader, once } from '../../http/idempotency.ts';
import { resourceId } from '../../http/resource-id.ts';

const answer = envelope(retriedRecipients);

export const retryRecipients = defineRoute(
  {
    method: 'post',
    path: '/api/v1/campaigns/{campaign_id}/recipients/retry',
    operationId: 'retryRecipients',
    updates: true,
    summary: 'Retry the recipients that were not reached',
    description:
      'Gives another round to the `unreached` recipients whose last call had one of the outcomes. A finished campaign becomes `paused`. Returns 409 if the campaign was canceled.',
    tag: 'campaigns',
    roles: rolesFrom('manager'),
    params: z.object({ campaign_id: z.string() }),
    body: retryRecipientsBody,
    headers: idempotencyHeader,
    response: answer,
  },
  async (request, deps) => {
    const { organizationId, params, body } = request;
    const campaignId = resourceId(params.campaign_id, 'Campaign');
    const key = { organizationId, campaignId };
    return once(deps, request, answer, async (tx) => {
      const { retried, status, dialsNow } = await retryRecipientsInTransaction(tx, {
        ...key,
        outcomes: body.outcomes,
      });
      return {
        kept: updated({ retried, status }),
        afterCommit: async () => {
          if (dialsNow) await enqueueAdvance(deps, [campaignId]);
        },
      };
    });
  },
);
