import { setImmediate as nextTurn } from 'node:timers/promises';
import {
  defaultRates,
  estimateCampaignEnd,
  forecastCampaign as simulate,
  isFinalCampaignStatus,
  resolveKey,
  type CampaignForecast,
  type ForecastCase,
  type ForecastGroup,
  type OutcomeRates,
  type SkipReason,
} from '@outdial/core';
import {
  type CampaignKey,
  findForecastLimits,
  findOutcomeRates,
  groupForForecast,
  type CampaignDefinition,
  type Executor,
  type ForecastLimits,
} from '@outdial/db';
import { findWaiting } from '../waiting/find-waiting.ts';

export interface Forecast extends CampaignForecast {
  definition: CampaignDefinition;
  now: Date;
  seed: number;
  /** Recipients left to dial, including those that will be skipped. */
  people: number;
  skipped: Array<{ reason: SkipReason; rules: string[]; count: number }>;
  limits: ForecastLimits;
  rates: OutcomeRates;
}

/** Simulates a campaign from now on with the rules of the engine. Null if the campaign does not exist; `final` if it is over. */
export async function forecastCampaign(
  db: Executor,
  args: CampaignKey & { seed: number; maxConcurrentCalls?: number | undefined },
): Promise<Forecast | 'final' | null> {
  const { organizationId, campaignId, seed } = args;
  const found = (await findWaiting(db, { organizationId, campaignIds: [campaignId] })).get(campaignId);
  if (found === undefined) return null;
  const { now } = found.view;
  const { maxConcurrentCalls = found.view.definition.maxConcurrentCalls } = args;
  const definition = { ...found.view.definition, maxConcurrentCalls };
  if (isFinalCampaignStatus(definition.status)) return 'final';
  const { recipients, limits, nowhere, forecastCase } = await readCase(db, definition, now);
  const rates = await outcomeRatesReader(db)(organizationId);
  const forecast = await simulate(forecastCase, rates, seed, () => nextTurn());
  const { neverDialed } = forecast.median;
  const isEndless = definition.schedule.endAt === null;
  const skipped = [
    ...recipients.skipped,
    { reason: 'no_calling_hours' as const, rules: [], count: nowhere + (isEndless ? neverDialed : 0) },
    { reason: 'campaign_over' as const, rules: [], count: isEndless ? 0 : neverDialed },
  ];
  return {
    ...forecast,
    definition,
    now,
    seed,
    people:
      recipients.groups.reduce((sum, { count }) => sum + count, 0) +
      recipients.skipped.reduce((sum, { count }) => sum + count, 0),
    skipped: skipped.filter(({ count }) => count > 0),
    limits,
    rates,
  };
}

/** Bounds the CPU time of an estimate. A million recipients in one zone that were never called form one group. */
const groupsOfEstimate = 5_000;

/**
 * Like `forecastCampaign` with fewer runs. Null if the end is unknown or too expensive to estimate.
 * @param ratesOf shared by several estimates
 */
export async function estimateEnd(
  db: Executor,
  { organizationId, campaignId }: CampaignKey,
  ratesOf = outcomeRatesReader(db),
): Promise<{ at: Date; leftMs: number } | null> {
  const found = (await findWaiting(db, { organizationId, campaignIds: [campaignId] })).get(campaignId);
  if (found === undefined || isFinalCampaignStatus(found.view.definition.status)) return null;
  const { definition, now } = found.view;
  const { recipients, forecastCase } = await readCase(db, definition, now, groupsOfEstimate);
  if (recipients.isCut) return null;
  const at = await estimateCampaignEnd(forecastCase, await ratesOf(organizationId), 1, () => nextTurn());
  return at && { at, leftMs: at.getTime() - now.getTime() };
}

export type ReadOutcomeRates = (organizationId: string) => Promise<OutcomeRates>;

/** Reads the rates of each organization once. */
export function outcomeRatesReader(db: Executor): ReadOutcomeRates {
  const known = new Map<string, OutcomeRates>();
  return async (organizationId) => {
    const found = known.get(organizationId);
    if (found !== undefined) return found;
    const own = await findOutcomeRates(db, organizationId);
    const rates: OutcomeRates =
      own === null ? defaultRates : { from: 'organization', callsLookedAt: own.calls, rates: own.rates };
    known.set(organizationId, rates);
    return rates;
  };
}

async function readCase(db: Executor, definition: CampaignDefinition, now: Date, groupsAtMost?: number) {
  const recipients = await groupForForecast(db, definition, now, groupsAtMost);
  const limits = await findForecastLimits(db, definition);
  const { there, nowhere } = apart(recipients.groups);
  const { schedule, policy, purpose } = definition;
  const forecastCase: ForecastCase = {
    schedule,
    policy,
    isDebtCollection: purpose === 'debt_collection',
    ...limits,
    nowMs: now.getTime(),
    groups: there,
    othersWait: nowhere > 0 || recipients.skipped.some(({ reason }) => reason === 'number_unchecked'),
  };
  return { recipients, limits, nowhere, forecastCase };
}

/** Separates recipients in places where no rule ever allows a call. */
function apart(groups: readonly ForecastGroup[]): { there: ForecastGroup[]; nowhere: number } {
  const there = groups.filter(({ key }) => !resolveKey(key).isNowhere);
  const all = groups.reduce((sum, { count }) => sum + count, 0);
  return { there, nowhere: all - there.reduce((sum, { count }) => sum + count, 0) };
}
