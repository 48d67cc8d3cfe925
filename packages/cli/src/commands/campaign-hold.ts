import { holdCampaigns } from '@outdial/engine';
import type { Command } from 'commander';
import { listBlockedCampaigns, listFailingRecipients } from '@outdial/db';
import { withEngine } from '../campaign/with-engine.ts';
import type { CliContext } from '../cli-context.ts';
import { CliError } from '../cli-error.ts';
import { withDatabase } from '../open-database.ts';
import { leaf } from '../options.ts';
import { say, table } from '../output.ts';

/** `outdial campaign hold`: pauses all campaigns, after a restore or in an emergency. */
export function addCampaignHold(campaign: Command, context: CliContext): void {
  leaf(
    campaign,
    'hold',
    'pause the running campaigns of every organization; calls in progress continue',
  ).action(async (options: { json?: boolean }) => {
    const { held, failed, lookedUp } = await withDatabase(context, (db) =>
      withEngine(context, db, holdCampaigns),
    );
    say(context, options, { held, failed, calls_looked_up: lookedUp }, [
      `campaigns held: ${held.length}`,
      ...(held.length === 0
        ? []
        : table(
            ['CAMPAIGN', 'ORGANIZATION', 'NAME'],
            held.map(({ campaignId, organizationId, name }) => [campaignId, organizationId, name]),
          )),
      ...(lookedUp === 0 ? [] : [`calls in progress, which the scheduler looks up now: ${lookedUp}`]),
      ...failed.map(({ campaignId, reason }) => `still running: ${campaignId} (${reason})`),
    ]);
    if (failed.length === 0) return;
    throw new CliError(
      'campaigns_not_held',
      `campaigns that could not be paused: ${failed.length}; run the command again`,
    );
  });
}

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
