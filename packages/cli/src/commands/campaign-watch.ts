import { setTimeout as delay } from 'node:timers/promises';
import { type CampaignKey, findCampaignProgress, type CampaignProgress, type Db } from '@outdial/db';
import type { Command } from 'commander';
import { openProgressDisplay } from '../campaign/progress-display.ts';
import { isOver } from '../campaign/progress-line.ts';
import { CliError } from '../cli-error.ts';
import { inOrganization, isId } from '../in-organization.ts';
import { leaf, orgOption } from '../options.ts';
import type { CliContext } from '../cli-context.ts';

const pollMs = 500;

/** `outdial campaign watch ID`: until the campaign is over or Ctrl-C. */
export function addCampaignWatch(campaign: Command, context: CliContext): void {
  leaf(campaign, 'watch', 'show a campaign’s progress until it is over; with --json one document per line')
    .argument('<id>')
    .option(...orgOption)
    .action(async (id: string, options: { json?: boolean; org?: string }) => {
      await inOrganization(context, options, async (db, organizationId) => {
        const stop = new AbortController();
        const forget = context.interrupted(() => stop.abort());
        const display = openProgressDisplay(context, options);
        try {
          for (;;) {
            const progress = await readProgress(db, { organizationId, campaignId: id });
            display.show(progress);
            if (isOver(progress) || stop.signal.aborted) return;
            await delay(pollMs, undefined, { signal: stop.signal }).catch(() => undefined);
          }
        } finally {
          display.close();
          forget();
        }
      });
    });
}

async function readProgress(db: Db, key: CampaignKey): Promise<CampaignProgress> {
  const progress = isId(key.campaignId) ? await findCampaignProgress(db, key) : null;
  if (progress === null) {
    throw new CliError('campaign_not_found', `the organization has no campaign ${key.campaignId}`);
  }
  return progress;
}
