import { callingHours } from './compliance/calling-hours.ts';
import { type CallingKey, policyOfKey, resolveKey } from './compliance/calling-key.ts';
import type { CallingPolicy } from './compliance/calling-policy.ts';
import type { CampaignPurpose } from './compliance/campaign-purpose.ts';
import { neededConsent, type NeededConsent } from './compliance/needed-consent.ts';
import type { CallCap } from './compliance/person-caps.ts';
import { type DialingSchedule, ownWindow } from './dialing-window.ts';

/** The times that a gate compares its instant with: the campaign's own window, and the calling hours. */
export interface GateWindow {
  opensAt: Date;
  closesAt: Date;
  /** Null if the rules forbid a call, or if the key was made under an earlier policy: the gate stays shut. */
  hours: { openAt: Date; closeAt: Date } | null;
  /** The caps per person of the rules of the key; null for none. */
  caps: readonly CallCap[] | null;
  /** The consent that the rules of the key ask for; null for none. */
  consent: NeededConsent | null;
}

/** Null if the campaign's own window is closed. */
export function gateWindow(
  of: { schedule: DialingSchedule; callingPolicy: CallingPolicy; purpose: CampaignPurpose | null },
  key: CallingKey,
  now: Date,
): GateWindow | null {
  const window = ownWindow(of.schedule, key, now);
  if (window === null) return null;
  return {
    opensAt: new Date(window.fromMs),
    closesAt: new Date(window.toMs),
    hours: policyOfKey(key) === of.callingPolicy ? gateHours(key, now) : null,
    caps: resolveKey(key).caps,
    consent: neededConsent(key, of),
  };
}

export function gateHours(key: CallingKey, now: Date): GateWindow['hours'] {
  const hours = callingHours(key, now);
  return hours.kind === 'open' ? { openAt: hours.opensAt, closeAt: hours.closesAt } : null;
}
