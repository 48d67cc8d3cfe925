import { listBlockedCampaigns, listFailingRecipients } from '@outdial/db';
import type { Command } from 'commander';
import type { CliContext } from '../cli-context.ts';
import { withDatabase } from '../open-database.ts';
import { leaf } from '../options.ts';
import { say, table } from '../output.ts';

const linesAtMost = 200;

/** `outdial campaign blocked`: the campaigns and recipients of all organizations that need an operator. */
export function addCampaignBlocked(campaign: Command, context: CliContext): void {
  leaf(
    campaign,
    'blocked',
    'list the running campaigns that dial nothing, and recipients whose calls fail in the service, with the last error',
  ).action(async (options: { json?: boolean }) => {
    const { campaigns, recipients } = await withDatabase(context, async (db) => ({
      campaigns: await listBlockedCampaigns(db, { limit: linesAtMost }),
      recipients: await listFailingRecipients(db, { limit: linesAtMost }),
    }));
    const rows = [
      ...campaigns.map((one) => [one.campaignId, one.since.toISOString(), one.reason, one.lastError ?? '']),
      ...recipients.map((one) => [
        one.campaignId,
        one.since.toISOString(),
        `${one.recipients} recipients`,
        one.lastError,
      ]),
    ];
    const lines =
      rows.length === 0
        ? ['No campaign is blocked.']
        : table(['CAMPAIGN', 'SINCE', 'CAUSE', 'LAST ERROR'], rows);
    say(context, options, { campaigns, recipients }, lines);
  });
}
