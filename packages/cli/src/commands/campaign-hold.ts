import { holdCampaigns } from '@outdial/engine';
import type { Command } from 'commander';
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
