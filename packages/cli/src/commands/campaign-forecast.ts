import type { ForecastAnswer } from '@outdial/contracts';
import { forecastCampaign, forecastView } from '@outdial/engine';
import type { Command } from 'commander';
import { CliError } from '../cli-error.ts';
import type { CliContext } from '../cli-context.ts';
import { inOrganization, isId } from '../in-organization.ts';
import { leaf, orgOption } from '../options.ts';
import { say, table } from '../output.ts';

const daysShown = 60;

/** `outdial campaign forecast ID`: the same forecast as `POST /campaigns/{id}/forecast`. */
export function addCampaignForecast(campaign: Command, context: CliContext): void {
  leaf(campaign, 'forecast', 'forecast a campaign: its dials by day, its end, and its longest hold-ups')
    .argument('<id>')
    .option(...orgOption)
    .option('--seed <number>', 'the same number gives the same forecast', '1')
    .action(async (id: string, options: { json?: boolean; org?: string; seed?: string }) => {
      const seed = Number(options.seed);
      if (!Number.isInteger(seed) || seed < 0 || seed > 2_147_483_647) {
        throw new CliError('invalid_seed', '--seed must be a whole number of 0 or more');
      }
      await inOrganization(context, options, async (db, organizationId) => {
        const campaignId = id.toLowerCase();
        const found = isId(campaignId)
          ? await forecastCampaign(db, { organizationId, campaignId, seed })
          : null;
        if (found === null) {
          throw new CliError('campaign_not_found', `the organization has no campaign ${id}`);
        }
        if (found === 'final') {
          throw new CliError('campaign_over', 'the campaign is over: there is nothing to forecast');
        }
        const view = forecastView(found);
        say(context, options, view, linesOf(view));
      });
    });
}

function linesOf(view: ForecastAnswer): string[] {
  const { end, bottleneck, with_twice_the_lines: twice, assumptions } = view;
  const never = 'not within 400 days';
  const skipped = view.skipped
    .map(({ reason, rules, count }) =>
      [`${count} ${reason}`, rules.join(' and ')].filter(Boolean).join(' by '),
    )
    .join(', ');
  const rates =
    assumptions.rates_from === 'organization'
      ? `the organization's last ${assumptions.calls_looked_at} calls`
      : 'defaults, since the organization has made fewer than 50 calls';
  return [
    `People     ${view.people}${skipped === '' ? '' : ` (skipped: ${skipped})`}`,
    `Dials      ${view.dials}, reached ${view.reached}`,
    `End        ${end.p50 ?? never} (between ${end.p10 ?? never} and ${end.p90 ?? never} in eight of ten cases)`,
    `Bottleneck ${bottleneck === null ? 'none' : `${bottleneck.limit}, for ${bottleneck.seconds} s`}`,
    `Lines      ${assumptions.lines}; with twice as many ${twice.p50 ?? never}`,
    `Rates      from ${rates}`,
    ...table(
      ['DATE', 'ZONE', 'PEOPLE', 'DIALS'],
      view.days.slice(0, daysShown).map((day) => [day.date, day.zone, String(day.people), String(day.dials)]),
    ),
    ...(view.days.length > daysShown ? [`… and ${view.days.length - daysShown} more; --json has all`] : []),
  ];
}
