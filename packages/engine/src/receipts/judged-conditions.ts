import { gateConditions, type GateReason, type PersonCheckJson } from '@outdial/db';
import type { GateGrounds } from '@outdial/core';
import { conditionTexts } from './condition-texts.ts';

/** `not_applicable`: the condition could not have refused this call. */
export type Verdict = 'holds' | 'fails' | 'not_applicable';

export interface JudgedCondition {
  condition: GateReason;
  verdict: Verdict;
  text: string;
}

/** Decides which conditions apply. */
export interface Asked {
  isOfCampaign: boolean;
  grounds: GateGrounds | null;
  personCheck: PersonCheckJson | null;
  needsConsent: boolean;
  needsScrub: boolean;
  hasSlot: boolean;
  hasCallerId: boolean;
}

/** Each condition of the gate with its verdict, in the order of evaluation. */
export function judgedConditions(asked: Asked, holds: (reason: GateReason) => boolean): JudgedCondition[] {
  return gateConditions.map(({ reason }) => ({
    condition: reason,
    verdict: holds(reason) ? (concerns(asked, reason) ? 'holds' : 'not_applicable') : 'fails',
    text: conditionTexts[reason],
  }));
}

/** The condition for which a gate refused the call finally. Empty if the call ended for another reason, such as a hang-up. */
export function failedCondition(refusedBy: string | null): JudgedCondition[] {
  const failed = gateConditions.find(({ reason }) => reason === refusedBy);
  if (failed === undefined) return [];
  return [{ condition: failed.reason, verdict: 'fails', text: conditionTexts[failed.reason] }];
}

const ofCampaignsAlone: ReadonlySet<GateReason> = new Set([
  'not_running',
  'withdrawn',
  'changed',
  'not_due',
  'window_closed',
  'lease_expired',
  'quota',
]);

function concerns(asked: Asked, reason: GateReason): boolean {
  switch (reason) {
    case 'no_consent':
      return asked.needsConsent;
    case 'scrub_outdated':
    case 'on_scrub_list':
      return asked.needsScrub;
    case 'calling_hours':
      return asked.grounds?.calling_policy !== 'none';
    case 'person_capped':
      return asked.personCheck !== null;
    case 'no_line_in_time':
      return !asked.isOfCampaign;
    case 'no_caller_id':
      return asked.hasCallerId;
    case 'no_slot':
    case 'slot_to_come':
    case 'slot_missed':
      return asked.hasSlot;
    default:
      return asked.isOfCampaign || !ofCampaignsAlone.has(reason);
  }
}
