import {
  gateGrounds,
  gateHours,
  neededConsent,
  ownWindow,
  policyOfKey,
  resolveKey,
  type GateGrounds,
} from '@outdial/core';
import {
  type CampaignKey,
  explainGate,
  findConsent,
  findFittingCallerId,
  findOrganizationLimits,
  findRecipient,
  findRefusals,
  findSuppression,
} from '@outdial/db';
import type {
  CampaignDefinition,
  ConsentRow,
  Executor,
  GateVerdict,
  RecipientRecord,
  RefusalRecord,
  SuppressionRow,
} from '@outdial/db';
import { isAllowedDestination } from '../gate/destinations.ts';
import { findWaiting, type CampaignWaiting } from '../waiting/find-waiting.ts';
import { judgedConditions, type JudgedCondition } from './read-receipt.ts';

export interface ExplainedRecipient {
  recipient: RecipientRecord;
  waiting: CampaignWaiting;
  verdict: GateVerdict;
  grounds: GateGrounds;
  conditions: JudgedCondition[];
  consent: ConsentRow | null;
  suppression: SuppressionRow | null;
  refusals: RefusalRecord | null;
}

/** Evaluates the gate's conditions for a recipient now. Null if the recipient does not exist. */
export async function explainRecipient(
  db: Executor,
  key: CampaignKey & { recipientId: string },
): Promise<ExplainedRecipient | null> {
  const { organizationId, campaignId, recipientId } = key;
  const waiting = (await findWaiting(db, { organizationId, campaignIds: [campaignId] })).get(campaignId);
  const recipient = await findRecipient(db, { organizationId, campaignId }, recipientId);
  if (waiting === undefined || recipient === null) return null;
  const { definition, now } = waiting.view;
  const { window, grounds } = windowAndGrounds(definition, recipient.calling_key, now);
  const { policy, purpose, consent, scrubLists } = definition;
  const terms = {
    organizationId,
    campaignId,
    windows: [window],
    policy,
    purpose,
    consent,
    scrubLists,
  };
  const limits = await findOrganizationLimits(db, organizationId);
  const { phone_number: phoneNumber } = recipient;
  const hasCallerId = await findFittingCallerId(db, { organizationId, phoneNumber });
  const verdict = await explainGate(db, terms, {
    recipientId,
    hasCallerId,
    isAllowedDestination: isAllowedDestination(phoneNumber, limits),
  });
  if (verdict === null) return null;
  const facts = {
    isOfCampaign: true,
    isDirect: false,
    needsConsent: consent.isRequired || window.consent !== null,
    needsScrub: scrubLists !== null,
    hasCallingHours: grounds.calling_policy !== 'none',
    hasPersonCaps: verdict.person_check !== null,
    hasCallerId: hasCallerId !== null,
  };
  const { consent_id: consentId } = verdict;
  return {
    recipient,
    waiting,
    verdict,
    grounds,
    conditions: judgedConditions(facts, (reason) => verdict.holds[reason]),
    consent: consentId === null ? null : await findConsent(db, { organizationId, consentId }),
    suppression: await findSuppression(db, { organizationId, phoneNumber }),
    refusals: await findRefusals(db, { organizationId, recipientId }),
  };
}

/** Separates the campaign's window from the calling hours, so that each has its own verdict. */
function windowAndGrounds(definition: CampaignDefinition, key: string, now: Date) {
  const { schedule, callingPolicy } = definition;
  const own = ownWindow(schedule, key, now);
  const open = own === null ? null : { opensAt: new Date(own.fromMs), closesAt: new Date(own.toMs) };
  // Represents a closed window.
  const never = { opensAt: new Date(0), closesAt: new Date(0) };
  const hours = policyOfKey(key) === callingPolicy ? gateHours(key, now) : null;
  const consent = neededConsent(key, definition);
  return {
    window: {
      zone: key,
      ...(open ?? never),
      hours,
      caps: resolveKey(key).caps,
      consent,
      groundsId: null,
    },
    grounds: gateGrounds({ callingPolicy, key, window: open, hours, consent, campaign: definition }),
  };
}
