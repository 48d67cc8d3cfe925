import type { DialingSchedule } from './dialing-schedule.ts';
import type { GateWindow } from './gate-window.ts';
import type { RetryPolicy } from './retry-policy.ts';
import { timeZone } from './time-zone.ts';
import { type CallingKey, resolveKey } from './compliance/calling-key.ts';
import type { CallingPolicy } from './compliance/calling-policy.ts';
import type { CallingRule } from './compliance/calling-rule.ts';
import type { CampaignPurpose } from './compliance/campaign-purpose.ts';
import type { NeededConsent } from './compliance/needed-consent.ts';
import type { ConsentRule } from './compliance/consent.ts';
import { type PersonCaps, withCapsOfRules } from './compliance/person-caps.ts';

/** A rule as a receipt names it, with enough detail to find its text after a change. */
export interface NamedRule {
  jurisdiction: string;
  name: string;
  version: number;
  /** Version of the operator's overlay that it comes from. */
  overlay?: string;
  basis: CallingRule['source']['basis'];
  citation: string;
  as_of: string;
  /** The clocks by which it was applied. */
  zones: string[];
}

interface Span {
  opens_at: string;
  closes_at: string;
}

/** The rules and windows by which gates decide. Stored for years as JSON, so it contains no personal data and is small. */
export interface GateGrounds {
  calling_policy: CallingPolicy;
  calling_key: CallingKey;
  zones: string[];
  rules: NamedRule[];
  /** The campaign's window; null for a direct call. */
  window: Span | null;
  /** Null if the rules of the key allow no call. */
  calling_hours: Span | null;
  /** The campaign's rules at its revision; null for a direct call. */
  campaign: {
    revision: number;
    start_time: string;
    end_time: string;
    call_on_weekend: boolean;
    timezone: string;
    call_back_attempts: number;
    queue_again: boolean;
    max_attempts_per_recipient: number | null;
    retry_on: string[];
    purpose: CampaignPurpose | null;
    require_consent: boolean;
    consent_bases: string[] | null;
    /** Lists that must not have the number; absent if there are none. */
    scrub_lists?: string[];
    /** Absent if it needs no query. */
    reassigned_query_days?: number;
  } | null;
  /** The consent that the rules ask for; absent if they ask for none. */
  consent?: NeededConsent;
  /** The caps per person of the organization and of the rules; absent if it has none, and for a direct call. A call without a check of its person is the first one under them. */
  person_caps?: PersonCaps;
}

/** What the gates of a release have in common, and a later release cannot know. */
export interface GateRelease {
  conditions: Array<{ reason: string; text: string; applies_if: string }>;
  /** The version of the time zone database. */
  time_zones: string;
  /** SHA-256 of the tables that say where a number or a place is. */
  area_codes: string;
}

/** The campaign's part of the grounds. */
export interface CampaignGrounds {
  revision: number;
  schedule: DialingSchedule;
  policy: RetryPolicy;
  purpose: CampaignPurpose | null;
  consent: ConsentRule;
  scrubLists: readonly string[] | null;
  personCaps: PersonCaps | null;
}

export function gateGrounds(of: {
  callingPolicy: CallingPolicy;
  key: CallingKey;
  window: Pick<GateWindow, 'opensAt' | 'closesAt'> | null;
  hours: GateWindow['hours'];
  consent: NeededConsent | null;
  campaign: CampaignGrounds | null;
}): GateGrounds {
  const { window, hours, consent, campaign } = of;
  return {
    calling_policy: of.callingPolicy,
    calling_key: of.key,
    zones: resolveKey(of.key).zones.map(({ name }) => name),
    rules: namedRules(of.key),
    window:
      window === null
        ? null
        : { opens_at: window.opensAt.toISOString(), closes_at: window.closesAt.toISOString() },
    calling_hours:
      hours === null
        ? null
        : { opens_at: hours.openAt.toISOString(), closes_at: hours.closeAt.toISOString() },
    campaign: campaign === null ? null : rulesOfCampaign(campaign),
    ...(consent !== null && { consent }),
    ...(campaign?.personCaps && {
      person_caps: withCapsOfRules(campaign.personCaps, resolveKey(of.key).caps),
    }),
  };
}

function rulesOfCampaign(campaign: CampaignGrounds): NonNullable<GateGrounds['campaign']> {
  const { revision, schedule, policy, purpose, consent, scrubLists } = campaign;
  return {
    revision,
    start_time: schedule.startTime,
    end_time: schedule.endTime,
    call_on_weekend: schedule.callOnWeekend,
    timezone: schedule.timezone,
    call_back_attempts: policy.callBackAttempts,
    queue_again: policy.queueAgain,
    max_attempts_per_recipient: policy.maxAttemptsPerRecipient,
    retry_on: [...policy.retryOn],
    purpose,
    require_consent: consent.isRequired,
    consent_bases: consent.bases === null ? null : [...consent.bases],
    ...(scrubLists !== null && { scrub_lists: [...scrubLists] }),
    ...(consent.queryDays != null && { reassigned_query_days: consent.queryDays }),
  };
}

/** The rules of a key, each once, with the clocks by which it was applied. */
function namedRules(key: CallingKey): NamedRule[] {
  const named = new Map<string, NamedRule>();
  for (const { rule, zone } of resolveKey(key).rules) {
    const { basis, citation, asOf } = rule.source;
    const known = named.get(rule.jurisdiction);
    if (known) known.zones.push(zone.name);
    else {
      const { jurisdiction, name, version, overlay } = rule;
      named.set(jurisdiction, {
        jurisdiction,
        name,
        version,
        ...(overlay !== undefined && { overlay }),
        basis,
        citation,
        as_of: asOf,
        zones: [zone.name],
      });
    }
  }
  return [...named.values()];
}

/** The local time of a zone at an instant, as `yyyy-MM-ddTHH:mm:ss`. */
export function localTimeIn(zone: string, at: Date): string {
  return new Date(timeZone(zone).localMs(at.getTime())).toISOString().slice(0, 19);
}
