import type { WaitingDetail, WaitingReason } from '@outdial/contracts';
import { waitingReason } from '@outdial/contracts';
import { dialingWindow, zoneOfKey, slowedLines } from '@outdial/core';
import type { LineHolder, WaitingView } from '@outdial/db';

/** Why a running campaign does not dial now. Both are null if it dials or does not run. */
export interface Waiting {
  waitingFor: WaitingReason | null;
  detail: WaitingDetail | null;
}

/** @param holders needed only if the campaign waits for a shared cap (`needsLineHolders`) */
export function explainWaiting(view: WaitingView, holders: readonly LineHolder[] = []): Waiting {
  const parsed = waitingReason.safeParse(view.waitingFor);
  if (!parsed.success) return { waitingFor: null, detail: null };
  const blocked_since = view.blockedSince?.toISOString() ?? null;
  const detail = { ...nothingKnown, blocked_since, ...explain[parsed.data](view, holders) };
  return { waitingFor: parsed.data, detail };
}

export function needsLineHolders(view: WaitingView): boolean {
  return view.waitingFor === 'organization_line' || view.waitingFor === 'provider_line';
}

type Explanation = Partial<WaitingDetail> & Pick<WaitingDetail, 'message' | 'remedy'>;

const nothingKnown = {
  until: null,
  timezone: null,
  limit: null,
  in_use: null,
  held_by: null,
  provider: null,
  last_error: null,
};

const explain: Record<WaitingReason, (view: WaitingView, holders: readonly LineHolder[]) => Explanation> = {
  window: explainWindow,
  calling_hours: ({ definition, nextDialAt }) => {
    const until = nextDialAt?.toISOString() ?? null;
    return {
      message: `The window of the campaign is open, but the calling hours of its recipients do not allow a call${until === null ? '' : ` until ${until}`}.`,
      remedy:
        'Wait, or set timezone, region or postal_code of recipients if their location is known more exactly than by the number.',
      until,
      timezone: nextDialAt === null ? null : zoneOpenAt(definition, nextDialAt),
    };
  },
  retry: ({ nextDialAt }) => ({
    message: 'All remaining recipients have been called, and will be called again after the retry delay.',
    remedy:
      'For later calls, lower retry_delay_seconds or retry_delays_seconds in the config of the campaign.',
    until: nextDialAt?.toISOString() ?? null,
  }),
  person_cap: ({ nextDialAt }) => ({
    message:
      'All remaining recipients have been called as often as the caps per person allow, over all campaigns of the organization.',
    remedy:
      'Wait: the caps allow calls again after some time. The operator sets them with `outdial org set`.',
    until: nextDialAt?.toISOString() ?? null,
  }),
  caller_id: ({ nextDialAt }) => ({
    message:
      'No caller id of the organization may call the remaining recipients: those of their country are used up or rest, or there are none.',
    remedy:
      'Wait until the limits per hour and per day allow calls again, add caller ids of that country, or end the rest of one.',
    until: nextDialAt?.toISOString() ?? null,
  }),
  scrub_list: ({ definition, nextDialAt }) => ({
    message: `A scrub list that the campaign needs (${definition.scrubLists?.join(', ') ?? ''}) is missing, or was scrubbed more than 31 days ago.`,
    remedy:
      'Import the newest version of each (POST /api/v1/scrub-lists/import, or `outdial scrub-list import`), after which the campaign continues at once, or change scrub_lists in its config.',
    until: nextDialAt?.toISOString() ?? null,
  }),
  campaign_line: ({ definition, linesInUse }) => ({
    message: `All ${definition.maxConcurrentCalls} lines of this campaign are in use.`,
    remedy: 'Raise max_concurrent_calls in the config of the campaign, or wait for calls to end.',
    limit: definition.maxConcurrentCalls,
    in_use: linesInUse,
  }),
  abandonment: ({ definition, linesInUse, abandonment }) => {
    const lines = slowedLines(definition.maxConcurrentCalls, abandonment);
    const share = ((abandonment?.share ?? 0) * 100).toFixed(1);
    return {
      message: `Of the ${abandonment?.calls ?? 0} calls that people answered within 30 days, ${share} % had no voice within two seconds. Above 3 % the campaign slows down, now to at most ${lines} concurrent calls.`,
      remedy:
        'Give the voice runtime more capacity, or lower max_concurrent_calls to what it can serve. The share falls when calls are connected in time.',
      limit: lines,
      in_use: linesInUse,
    };
  },
  organization_line: ({ organization }, holders) => ({
    message: `All ${organization.maxLines ?? 0} lines of the organization are in use.`,
    remedy: 'Pause a campaign that holds them, or have the operator raise the cap of the organization.',
    limit: organization.maxLines,
    in_use: organization.linesInUse,
    held_by: holdersOf(holders),
  }),
  provider_line: ({ provider }, holders) => ({
    message: `All ${provider.maxLines ?? 0} lines of the provider ${provider.name} are in use.`,
    remedy: 'Pause a campaign that holds them, or have the operator raise the cap of the provider.',
    limit: provider.maxLines,
    in_use: provider.linesInUse,
    held_by: holdersOf(holders),
    provider: provider.name,
  }),
  calls_per_second: explainPace,
  provider: ({ provider }) => ({
    message: `The provider ${provider.name} accepts no calls at the moment.`,
    remedy:
      'Calls are retried automatically. Check the last error, and ask the operator to check the provider.',
    until: provider.closedUntil?.toISOString() ?? null,
    provider: provider.name,
    last_error: provider.lastError,
  }),
  calls_in_progress: ({ linesInUse }) => ({
    message: `No recipient is left to dial. ${linesInUse} calls are in progress, whose outcomes decide the next step.`,
    remedy: 'None needed: the campaign continues or finishes when they have ended.',
    in_use: linesInUse,
  }),
  no_worker: () => ({
    message: 'No worker is running, so no calls are placed.',
    remedy: 'Have the operator start a worker.',
  }),
  no_adapter: ({ provider }) => ({
    message: `No worker has an adapter for the provider ${provider.name}: the adapter or one of its settings is missing.`,
    remedy:
      'Have the operator complete the settings of the provider (outdial provider set), or start a worker that has its adapter.',
    until: provider.closedUntil?.toISOString() ?? null,
    provider: provider.name,
    last_error: provider.lastError,
  }),
  media_runtime: ({ nextDialAt }) => ({
    message: 'No voice process can take a call of this agent at the moment: none runs, or all are full.',
    remedy:
      'Have the operator start a voice process, or raise VOICE_CAPACITY. If some run, check config.voice of the agent and the endpoints that it names.',
    until: nextDialAt?.toISOString() ?? null,
  }),
  quota: ({ nextDialAt }) => ({
    message: 'The organization has reached its quota of calls or spend for the day.',
    remedy: 'Wait until the next day begins (UTC), or have the operator raise the quota (outdial org set).',
    until: nextDialAt?.toISOString() ?? null,
  }),
  error: ({ nextDialAt, failures }) => ({
    message: `The campaign failed to advance ${failures === 1 ? 'once' : `${failures} times in a row`} because of an error in the service.`,
    remedy: 'The service retries with growing delays. Ask the operator to check `outdial campaign blocked`.',
    until: nextDialAt?.toISOString() ?? null,
  }),
};

function explainWindow({ definition, nextDialAt, now }: WaitingView): Explanation {
  const { schedule } = definition;
  if (nextDialAt === null) {
    return {
      message: 'No window opens before the campaign ends.',
      remedy: 'Move end_date, or change start_time, end_time or call_on_weekend.',
    };
  }
  const opening = zoneOpenAt(definition, nextDialAt);
  const hours = `${schedule.startTime} to ${schedule.endTime}${schedule.callOnWeekend ? '' : ', not on weekends'}`;
  const until = nextDialAt.toISOString();
  return {
    message:
      schedule.startAt > now
        ? `The campaign has not started yet: its first window (${hours}) opens at ${until} in ${opening}.`
        : `The window of the campaign (${hours}) is closed; the next one opens at ${until} in ${opening}.`,
    remedy:
      'Pause the campaign and change start_date, start_time or end_time, or set call_on_weekend in its config.',
    until,
    timezone: opening,
  };
}

/** A time zone of the recipients whose window is open at an instant. */
function zoneOpenAt({ schedule, zones }: WaitingView['definition'], at: Date): string {
  const key = zones.find((one) => dialingWindow(schedule, one, at).kind === 'open');
  return key === undefined ? schedule.timezone : zoneOfKey(key);
}

function explainPace({ definition, provider, nextDialAt }: WaitingView): Explanation {
  const ofCampaign = definition.callsPerSecond ?? Number.POSITIVE_INFINITY;
  const ofProvider = provider.callsPerSecond ?? Number.POSITIVE_INFINITY;
  const isCampaigns = ofCampaign <= ofProvider;
  const limit = Math.min(ofCampaign, ofProvider);
  return {
    message: `Calls are paced: ${isCampaigns ? 'this campaign' : `the provider ${provider.name}`} places at most ${limit} per second.`,
    remedy: isCampaigns
      ? 'None needed, or raise calls_per_second in the config of the campaign.'
      : 'None needed, or have the operator raise calls per second of the provider.',
    until: nextDialAt?.toISOString() ?? null,
    limit,
    provider: isCampaigns ? null : provider.name,
  };
}

function holdersOf(holders: readonly LineHolder[]): WaitingDetail['held_by'] {
  return holders.map(({ campaignId, name, lines }) => ({ campaign_id: campaignId, name, lines }));
}
