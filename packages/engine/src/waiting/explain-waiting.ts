import type { WaitingDetail } from '@outdial/contracts';
import { dialingWindow, rulesRemedy, zoneOfKey, slowedLines, type WaitingReason } from '@outdial/core';
import type { LineHolder, WaitingView } from '@outdial/db';

/** Why a running campaign does not dial now. Both are null if it dials or does not run. */
export interface Waiting {
  waitingFor: WaitingReason | null;
  detail: WaitingDetail | null;
}

/** @param holders needed only if the campaign waits for a shared cap (`needsLineHolders`) */
export function explainWaiting(view: WaitingView, holders: readonly LineHolder[] = []): Waiting {
  const { waiting_for: waitingFor } = view;
  if (waitingFor === null) return { waitingFor, detail: null };
  const blocked_since = view.blocked_since?.toISOString() ?? null;
  const detail = { ...nothingKnown, blocked_since, ...explain[waitingFor](view, holders) };
  return { waitingFor, detail };
}

export function needsLineHolders(view: WaitingView): boolean {
  return view.waiting_for === 'organization_line' || view.waiting_for === 'provider_line';
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
  rules: ({ rulesFault, next_dial_at: nextDialAt }) => ({
    message: `No calls are made: ${rulesFault ?? "the operator's rules of law do not fit the release of the workers"}.`,
    remedy: rulesRemedy,
    until: nextDialAt?.toISOString() ?? null,
  }),
  window: explainWindow,
  calling_hours: ({ definition, next_dial_at: nextDialAt }) => {
    if (nextDialAt === null) {
      return {
        message: "The calling hours of the remaining recipients never meet the campaign's window.",
        remedy: 'Pause the campaign and change start_time or end_time, or withdraw these recipients.',
      };
    }
    const until = nextDialAt.toISOString();
    return {
      message: `The campaign's window is open, but the calling hours of its recipients do not allow a call until ${until}.`,
      remedy:
        'Wait. If you know where recipients are more exactly than their numbers tell, set their timezone, region or postal_code.',
      until,
      timezone: zoneOpenAt(definition, nextDialAt),
    };
  },
  retry: ({ next_dial_at: nextDialAt }) => ({
    message:
      'All remaining recipients are due later: they have been called and wait for the retry delay, or a call to them could not begin and is tried again.',
    remedy:
      "Wait. To retry sooner in future, lower retry_delay_seconds or retry_delays_seconds in the campaign's config.",
    until: nextDialAt?.toISOString() ?? null,
  }),
  person_cap: ({ next_dial_at: nextDialAt }) => ({
    message:
      "All remaining recipients have been called as often as the organization's caps per person allow, across all of its campaigns.",
    remedy: 'Wait until the caps allow calls again. The operator can change the caps with `outdial org set`.',
    until: nextDialAt?.toISOString() ?? null,
  }),
  caller_id: ({ next_dial_at: nextDialAt }) => ({
    message:
      "None of the organization's caller ids can call the remaining recipients: the caller ids of their country have reached their limits or are resting, or there are none.",
    remedy:
      'Wait until the hourly and daily limits allow calls again, add caller ids of that country, or end the rest of one.',
    until: nextDialAt?.toISOString() ?? null,
  }),
  number_query: ({ next_dial_at: nextDialAt }) => ({
    message:
      'No remaining recipient has a query of reassigned numbers that is recent enough (reassigned_query_days) and says no.',
    remedy:
      'Query the registry, and import its answers (POST /api/v1/number-queries/import). Numbers that it reports as given up stay undialed: withdraw them.',
    until: nextDialAt?.toISOString() ?? null,
  }),
  scrub_list: ({ definition, next_dial_at: nextDialAt }) => ({
    message: `A scrub list that the campaign needs (${definition.scrubLists?.join(', ') ?? ''}) is missing, or older than the days for which it is good.`,
    remedy:
      'Import the newest version of each list (POST /api/v1/scrub-lists/import, or `outdial scrub-list import`); the campaign then continues immediately. Or change scrub_lists in its config.',
    until: nextDialAt?.toISOString() ?? null,
  }),
  campaign_line: ({ definition, lines_in_use: linesInUse }) => ({
    message: `All ${definition.maxConcurrentCalls} lines of this campaign are in use.`,
    remedy: "Raise max_concurrent_calls in the campaign's config, or wait for calls to end.",
    limit: definition.maxConcurrentCalls,
    in_use: linesInUse,
  }),
  abandonment: ({ definition, lines_in_use: linesInUse, abandonment }) => {
    const lines = slowedLines(definition.maxConcurrentCalls, abandonment);
    const share = ((abandonment?.share ?? 0) * 100).toFixed(1);
    return {
      message: `On ${share} % of the ${abandonment?.calls ?? 0} calls answered in the last 30 days, people heard no voice within two seconds. Above 3 %, the campaign slows down, at the moment to at most ${lines} concurrent calls.`,
      remedy:
        'Give the voice runtime more capacity, or lower max_concurrent_calls to what it can handle. The percentage falls as calls are connected in time.',
      limit: lines,
      in_use: linesInUse,
    };
  },
  organization_line: (view, holders) => ({
    message: `All ${view.organization_max_lines ?? 0} lines of the organization are in use.`,
    remedy: "Pause a campaign that uses them, or ask the operator to raise the organization's cap.",
    limit: view.organization_max_lines,
    in_use: view.organization_lines_in_use,
    held_by: [...holders],
  }),
  provider_line: ({ provider, ...view }, holders) => ({
    message: `All ${view.provider_max_lines ?? 0} lines of the provider ${provider} are in use.`,
    remedy: "Pause a campaign that uses them, or ask the operator to raise the provider's cap.",
    limit: view.provider_max_lines,
    in_use: view.provider_lines_in_use,
    held_by: [...holders],
    provider,
  }),
  calls_per_second: explainPace,
  provider: (view) => ({
    ...explainProvider(view),
    until: view.closed_until?.toISOString() ?? null,
    provider: view.provider,
    last_error: view.provider_error,
  }),
  calls_in_progress: ({ lines_in_use: linesInUse }) => ({
    message: `No recipients are left to dial. The outcomes of the ${linesInUse} calls in progress decide what happens next.`,
    remedy: 'None needed. The campaign continues or finishes when the calls have ended.',
    in_use: linesInUse,
  }),
  no_worker: () => ({
    message: 'No worker is running, so no calls are placed.',
    remedy: 'Ask the operator to start a worker.',
  }),
  no_adapter: ({ provider, ...view }) => ({
    message: `No worker has an adapter for the provider ${provider}: the adapter or one of its settings is missing.`,
    remedy:
      "Ask the operator to complete the provider's settings (`outdial provider set`), or to start a worker that has its adapter.",
    until: view.closed_until?.toISOString() ?? null,
    provider,
    last_error: view.provider_error,
  }),
  voice_not_allowed: () => ({
    message:
      "The operator of the installation does not allow what the agent's config.telephony.voice has the carrier do with answered calls, or its from_phone is the number of another organization.",
    remedy:
      "Remove telephony.voice or telephony.from_phone from the agent's config, or ask the operator to allow the host (`outdial org set --voice-hosts`) or TwiML of your own (`--own-twiml on`).",
  }),
  media_runtime: ({ next_dial_at: nextDialAt }) => ({
    message:
      'No voice process can take a call for this agent at the moment: none is running, or all are at their capacity.',
    remedy:
      "Ask the operator to start a voice process or raise VOICE_CAPACITY. If voice processes are running and have capacity, check the agent's config.voice and the endpoints in it.",
    until: nextDialAt?.toISOString() ?? null,
  }),
  quota: ({ next_dial_at: nextDialAt }) => ({
    message: 'The organization has reached its daily quota of calls or spend.',
    remedy:
      'Wait until the next day begins (UTC), or ask the operator to raise the quota (`outdial org set`).',
    until: nextDialAt?.toISOString() ?? null,
  }),
  error: explainError,
};

/** A reason `code: remedy` says that the account, the configuration or the address is wrong. */
function explainProvider({
  provider: name,
  provider_error: lastError,
}: WaitingView): Pick<WaitingDetail, 'message' | 'remedy'> {
  const [, code, remedy] = /^([^:]+): (.+)$/s.exec(lastError ?? '') ?? [];
  if (code === undefined || remedy === undefined) {
    return {
      message: `The provider ${name} is not accepting calls at the moment.`,
      remedy:
        'Check last_error, and ask the operator to check the provider. Calls are retried automatically.',
    };
  }
  return {
    message: `The provider ${name} does not accept calls (${code}), and the numbers are not the reason. No attempts are used.`,
    remedy: `${remedy.charAt(0).toUpperCase()}${remedy.slice(1)}. Calls go on once one is accepted.`,
  };
}

function explainError({
  next_dial_at: nextDialAt,
  failures,
  is_read_only: isReadOnly,
}: WaitingView): Explanation {
  if (isReadOnly) {
    return {
      message: 'The database accepts no writes: it is a standby, or a primary that was demoted.',
      remedy:
        'Ask the operator to promote it, or to lead DATABASE_URL to the primary. The campaign continues when writes are accepted; no attempt is used.',
    };
  }
  if (failures === 0) {
    return {
      message: `The campaign has been due since ${nextDialAt?.toISOString() ?? 'some time'}, but no worker has been told: the queue or the scheduler does not work, or is far behind.`,
      remedy:
        'Ask the operator to check /readyz of the scheduler and the workers. The campaign continues when they work again; no attempt is used.',
    };
  }
  return {
    message: `The campaign could not continue ${failures === 1 ? 'once' : `${failures} times in a row`} because of an error in the service.`,
    remedy:
      'The service retries with increasing delays. Ask the operator to check `outdial campaign blocked`.',
    until: nextDialAt?.toISOString() ?? null,
  };
}

function explainWindow({ definition, next_dial_at: nextDialAt, now }: WaitingView): Explanation {
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
        ? `The campaign has not started yet. Its window (${hours}) first opens at ${until} in ${opening}.`
        : `The campaign's window (${hours}) is closed. It opens next at ${until} in ${opening}.`,
    remedy:
      'Wait, or pause the campaign and change start_date, start_time or end_time, or set call_on_weekend in its config.',
    until,
    timezone: opening,
  };
}

/** A time zone of the recipients whose window is open at an instant. */
function zoneOpenAt({ schedule, callingKeys: zones }: WaitingView['definition'], at: Date): string {
  const key = zones.find((one) => dialingWindow(schedule, one, at).kind === 'open');
  return key === undefined ? schedule.timezone : zoneOfKey(key);
}

function explainPace({ definition, provider, next_dial_at: nextDialAt, ...view }: WaitingView): Explanation {
  const ofCampaign = definition.callsPerSecond ?? Number.POSITIVE_INFINITY;
  const ofProvider = view.provider_calls_per_second ?? Number.POSITIVE_INFINITY;
  const isCampaigns = ofCampaign <= ofProvider;
  const limit = Math.min(ofCampaign, ofProvider);
  return {
    message: `Calls are paced: ${isCampaigns ? 'this campaign' : `the provider ${provider}`} places at most ${limit} per second.`,
    remedy: isCampaigns
      ? "None needed. To dial faster, raise calls_per_second in the campaign's config."
      : "None needed. To dial faster, ask the operator to raise the provider's calls per second.",
    until: nextDialAt?.toISOString() ?? null,
    limit,
    provider: isCampaigns ? null : provider,
  };
}
