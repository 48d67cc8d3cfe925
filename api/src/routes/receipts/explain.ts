import {
  envelope,
  got,
  type RecipientExplanation,
  recipientExplanation,
  rolesFrom,
} from '@outdial/contracts';
import { callingHours } from '@outdial/core';
import { explainRecipient as explainInEngine, recipientWaiting } from '@outdial/engine';
import { z } from 'zod';
import { defineRoute } from '../../http/define-route.ts';
import { notFound, resourceId } from '../../http/resource-id.ts';
import { evidenceView } from './evidence-view.ts';

export const explainRecipient = defineRoute(
  {
    method: 'get',
    path: '/api/v1/campaigns/{campaign_id}/recipients/{recipient_id}/explain',
    operationId: 'explainRecipient',
    summary: 'Explain whether a recipient could be dialed now',
    description:
      'Runs the last check before a dial for one recipient, as if the recipient were due and a line were free, and changes nothing. Also returns earlier refusals: their number by condition, and the last one in full.',
    tag: 'campaigns',
    roles: rolesFrom('viewer'),
    params: z.object({ campaign_id: z.string(), recipient_id: z.string() }),
    response: envelope(recipientExplanation),
  },
  async ({ organizationId, params }, { db }) => {
    const campaignId = resourceId(params.campaign_id, 'Campaign');
    const recipientId = resourceId(params.recipient_id, 'Recipient');
    const found = await explainInEngine(db, { organizationId, campaignId, recipientId });
    if (found === null) throw notFound('Recipient');
    const { recipient, verdict } = found;
    const { now } = verdict;
    const { nextAttemptAt, waitingFor } = recipientWaiting(recipient, found.waiting);
    const hours = callingHours(recipient.calling_key, now);
    const decision: RecipientExplanation['decision'] =
      verdict.refusal === null ? 'would_dial' : 'would_refuse';
    return got({
      campaign_id: campaignId,
      recipient_id: recipientId,
      phone_number: recipient.phone_number,
      state: recipient.state,
      decision,
      refused_by: verdict.refusal,
      next_attempt_at: nextAttemptAt?.toISOString() ?? null,
      waiting_for: waitingFor,
      next_calling_hours_at: hours.kind === 'open' ? null : (hours.opensAt?.toISOString() ?? null),
      person_free_at: verdict.person_free_at?.toISOString() ?? null,
      quota_left: verdict.calls_left,
      last_call_id: recipient.last_call_id,
      ...evidenceView({ ...verdict, ...found, at: now }),
      as_of: now.toISOString(),
    });
  },
);
