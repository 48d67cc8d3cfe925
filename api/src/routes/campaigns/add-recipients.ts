import {
  addedRecipients,
  addRecipientsBody,
  created,
  envelope,
  reversedOffsetWarnings,
  rolesFrom,
} from '@outdial/contracts';
import { addRecipientsInTransaction, enqueueAdvance, findRefusedNumbers } from '@outdial/engine';
import { z } from 'zod';
import { metaWithWarnings } from '../../http/answer-warnings.ts';
import { defineRoute } from '../../http/define-route.ts';
import { idempotencyHeader, once } from '../../http/idempotency.ts';
import { resourceId } from '../../http/resource-id.ts';
import { refuseNumbers, sortRecipients } from './sort-recipients.ts';

const answer = envelope(addedRecipients);

export const addRecipients = defineRoute(
  {
    method: 'post',
    path: '/api/v1/campaigns/{campaign_id}/recipients',
    operationId: 'addRecipients',
    summary: 'Add recipients to a campaign',
    description:
      'Adds up to 10,000 recipients, in any status that is not final, even while the campaign is running. Invalid recipients are refused; the others are added. ' +
      'A number that was withdrawn returns to the list; a number that is already on the list is not changed.',
    tag: 'campaigns',
    roles: rolesFrom('manager'),
    params: z.object({ campaign_id: z.string() }),
    body: addRecipientsBody,
    largeBody: true,
    headers: idempotencyHeader,
    response: answer,
  },
  async (request, deps) => {
    const { organizationId, params, body } = request;
    const campaignId = resourceId(params.campaign_id, 'Campaign');
    const key = { organizationId, campaignId };
    const sorted = await sortRecipients(body);
    const notAllowed = await findRefusedNumbers(deps.db, key.organizationId, [...sorted.recipients.keys()]);
    refuseNumbers(sorted, notAllowed);
    const { recipients, refused, repeated } = sorted;
    const zones = Array.from(recipients.values(), ({ timezone }) => timezone);
    const warnings = reversedOffsetWarnings(zones, ['body', 'timezone']);
    return once(deps, request, answer, async (tx) => {
      const { added, alreadyThere, dialsNow } = await addRecipientsInTransaction(tx, { ...key, recipients });
      return {
        kept: created(
          { added, already_there: alreadyThere + repeated, refused },
          metaWithWarnings({}, warnings),
        ),
        afterCommit: async () => {
          if (dialsNow) await enqueueAdvance(deps, [campaignId]);
        },
      };
    });
  },
);
