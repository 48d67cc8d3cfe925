import {
  callingKeyOf,
  countryOf,
  gateHours,
  lawOf,
  neededConsent,
  placesOf,
  resolveKey,
  rulesVersion,
} from '@outdial/core';
import {
  loadCampaignDefinition,
  zoneOfDirectCalls,
  type CallAtGate,
  type CallTerms,
  type CampaignDefinition,
  type GroundRules,
  type OpenWindow,
  type TermsOwner,
  type Tx,
} from '@outdial/db';
import { isAllowedDestination } from './destinations.ts';
import { directGrounds } from './gate-grounds.ts';
import { openWindows, windowsAt } from './open-windows.ts';

/**
 * What decides about a call whose terms are locked. No calling hours are open if this process does not apply the rules in force.
 * @param options.isSent whether the call is sent if it passes, so that its receipt names the grounds; only within `inGate`
 */
export async function readCallTerms(
  tx: Tx,
  call: CallAtGate,
  { isSent }: { isSent: boolean },
): Promise<CallTerms> {
  const { campaignId, callingKey, phoneNumber, settings, now } = call;
  const refusedNumbers = refusedBy(settings, [phoneNumber]);
  if (campaignId === null) return { ...directTerms(call, isSent), refusedNumbers };
  const definition = await loadCampaignDefinition(tx, campaignId);
  if (!definition) throw new Error(`call ${call.id} has no campaign`);
  const keys = callingKey === null ? [] : [callingKey];
  const [windows = []] = isSent
    ? openWindows([{ definition, keys }], now)
    : [windowsAt(definition, keys, now)];
  return { ...campaignTerms(definition, windows), refusedNumbers };
}

/** The same for calls that wait at their provider. Those of direct calls lack what depends on the number. Null if the campaign is gone. */
export async function readQueuedTerms(
  tx: Tx,
  { campaignId }: TermsOwner,
  { settings, now }: GroundRules,
  phoneNumbers: readonly string[],
): Promise<CallTerms | null> {
  const refusedNumbers = refusedBy(settings, phoneNumbers);
  if (campaignId === null) return { windows: [], campaign: null, places: null, refusedNumbers };
  const definition = await loadCampaignDefinition(tx, campaignId);
  if (!definition) return null;
  const windows = windowsAt(definition, definition.callingKeys, now);
  return { ...campaignTerms(definition, windows), refusedNumbers };
}

/** Whether this process applies the operator's rules in force: they may not fit its release. */
export const isUnderRules = (of: Pick<GroundRules, 'rulesVersion'>) => of.rulesVersion === rulesVersion();

const refusedBy = (settings: GroundRules['settings'], phoneNumbers: readonly string[]) =>
  phoneNumbers.filter((number) => !isAllowedDestination(number, settings));

type Terms = Omit<CallTerms, 'refusedNumbers'>;

function campaignTerms(
  { policy, purpose, consent, scrubLists }: CampaignDefinition,
  windows: readonly OpenWindow[],
): Terms {
  return { windows, campaign: { policy, purpose, consent, scrubLists }, places: null };
}

/** With the policy `none`, a direct call may be made at any time, else in the calling hours of its number. */
function directTerms(
  { organizationId, phoneNumber, purpose, settings, now, ...call }: CallAtGate,
  isSent: boolean,
): Terms {
  const { calling_policy: callingPolicy } = settings;
  const key = callingKeyOf(callingPolicy, { phoneNumber }, 'UTC');
  const hours = isUnderRules(call) ? gateHours(key, now) : null;
  const consent = neededConsent(key, { callingPolicy, purpose });
  const groundsId = isSent ? directGrounds(organizationId, { callingPolicy, key, hours, consent }) : null;
  const window = { zone: zoneOfDirectCalls, opensAt: now, closesAt: now, hours, consent, groundsId };
  return {
    windows: [{ ...window, caps: resolveKey(key).caps }],
    campaign: null,
    places: callingPolicy === 'none' ? null : jurisdictionsOf(phoneNumber),
  };
}

/** The regions of a number, their countries, and the countries whose laws are used there. */
function jurisdictionsOf(phoneNumber: string): string[] {
  const regions = placesOf({ phoneNumber }).map(({ jurisdiction }) => jurisdiction);
  const countries = regions.map(countryOf);
  return [...new Set([...regions, ...countries, ...countries.map(lawOf)])];
}
