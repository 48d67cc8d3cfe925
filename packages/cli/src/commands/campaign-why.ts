import { isFinalCampaignStatus, zoneOfKey } from '@outdial/core';
import { type CampaignKey, listRecipients, type Db } from '@outdial/db';
import { findWaiting, recipientWaiting, type CampaignWaiting, type RecipientWaiting } from '@outdial/engine';
import type { Command } from 'commander';
import { CliError } from '../cli-error.ts';
import type { CliContext } from '../cli-context.ts';
import { inOrganization, isId } from '../in-organization.ts';
import { leaf, orgOption } from '../options.ts';
import { say } from '../output.ts';

/** `outdial campaign why ID`: why it does not dial, in the same words as the API. */
export function addCampaignWhy(campaign: Command, context: CliContext): void {
  leaf(campaign, 'why', 'say why a campaign, or one number of it, is not dialed at this moment')
    .argument('<id>')
    .option(...orgOption)
    .option('--number <number>', 'one of its numbers, in E.164')
    .action(async (id: string, options: { json?: boolean; org?: string; number?: string }) => {
      await inOrganization(context, options, async (db, organizationId) => {
        const key = { organizationId, campaignId: id.toLowerCase() };
        const waiting = await waitingOf(db, key);
        const answer =
          options.number === undefined
            ? campaignAnswer(waiting)
            : await numberAnswer(db, key, waiting, options.number);
        const { message, remedy } = answer;
        say(context, options, answer, [message, ...(remedy === null ? [] : [remedy])]);
      });
    });
}

interface Answer {
  status: string;
  waiting_for: string | null;
  next_dial_at: string | null;
  message: string;
  remedy: string | null;
}

async function waitingOf(db: Db, key: CampaignKey): Promise<CampaignWaiting> {
  const { organizationId, campaignId } = key;
  const found = isId(key.campaignId)
    ? await findWaiting(db, { organizationId, campaignIds: [campaignId] })
    : null;
  const waiting = found?.get(campaignId);
  if (waiting === undefined) {
    throw new CliError('campaign_not_found', `the organization has no campaign ${campaignId}`);
  }
  return waiting;
}

function campaignAnswer({ view, waitingFor, detail }: CampaignWaiting): Answer {
  const { status } = view.definition;
  const nextDialAt = view.next_dial_at?.toISOString() ?? null;
  if (isFinalCampaignStatus(status)) {
    const message = `The campaign is ${status}, and nothing more is dialed.`;
    return { status, waiting_for: null, next_dial_at: null, message, remedy: null };
  }
  if (status !== 'running') {
    const message = `The campaign is ${status}, and nothing is dialed until it is running.`;
    return { status, waiting_for: null, next_dial_at: null, message, remedy: 'Set its status to running.' };
  }
  if (detail === null) {
    return {
      status,
      waiting_for: null,
      next_dial_at: nextDialAt,
      message: 'The campaign is dialing.',
      remedy: null,
    };
  }
  const { message, remedy } = detail;
  return { status, waiting_for: waitingFor, next_dial_at: nextDialAt, message, remedy };
}

/** What a number waits for, whatever its campaign does; for places, also what is so if its time never comes. */
const ownReasons: Partial<Record<NonNullable<RecipientWaiting['waitingFor']>, [string, string?]>> = {
  retry: ['its retry delay'],
  window: ['the window', 'which does not open any more'],
  calling_hours: ['the calling hours', "which never meet the campaign's window"],
  person_cap: ["the organization's caps per person"],
  caller_id: ['a caller id that may call it'],
  number_query: ['a query of reassigned numbers that is recent enough and says no'],
};

async function numberAnswer(
  db: Db,
  key: CampaignKey,
  waiting: CampaignWaiting,
  phoneNumber: string,
): Promise<Answer & { state: string }> {
  const [recipient] = await listRecipients(db, key, {
    filters: { phoneNumber },
    page: { limit: 1, after: null },
  });
  if (recipient === undefined) {
    throw new CliError('number_not_found', `the campaign has no number ${phoneNumber}`);
  }
  const { state, last_outcome: lastOutcome } = recipient;
  const ofCampaign = campaignAnswer(waiting);
  const { nextAttemptAt, waitingFor } = recipientWaiting(recipient, waiting);
  const next_dial_at = nextAttemptAt?.toISOString() ?? null;
  if (state === 'in_call') {
    const message = 'The number is in a call, whose outcome decides whether it is called again.';
    return { ...ofCampaign, state, waiting_for: null, next_dial_at: null, message, remedy: null };
  }
  if (state !== 'waiting' && state !== 'retrying') {
    const last = lastOutcome === null ? '' : ` Its last call: ${lastOutcome}.`;
    const message = `The number is ${state}, so no further call is planned.${last}`;
    return { ...ofCampaign, state, waiting_for: null, next_dial_at: null, message, remedy: null };
  }
  const own = waitingFor === null ? undefined : ownReasons[waitingFor];
  if (own === undefined) return { ...ofCampaign, state, waiting_for: waitingFor, next_dial_at };
  const [what, never] = own;
  const where = never === undefined ? '' : ` in ${zoneOfKey(recipient.calling_key)}`;
  const until = next_dial_at === null ? never : `until ${next_dial_at}`;
  return {
    ...ofCampaign,
    state,
    waiting_for: waitingFor,
    next_dial_at,
    message: `The number waits for ${[what + where, until].filter(Boolean).join(', ')}.`,
    remedy: waitingFor === waiting.waitingFor ? ofCampaign.remedy : null,
  };
}
