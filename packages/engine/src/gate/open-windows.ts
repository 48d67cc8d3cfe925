import { gateWindow, rulesVersion } from '@outdial/core';
import type { CampaignDefinition, OpenWindow } from '@outdial/db';
import { writtenGrounds } from './gate-grounds.ts';

/**
 * The windows that are open at an instant, of campaigns of one organization in their order, by calling key, with calling hours and grounds.
 * @throws UnwrittenGroundsError handled by `inGate`
 */
export function openWindows(
  campaigns: ReadonlyArray<{ definition: CampaignDefinition; keys: Iterable<string> }>,
  now: Date,
): OpenWindow[][] {
  return writtenGrounds(
    campaigns.map(({ definition, keys }) => ({ definition, windows: windowsAt(definition, keys, now) })),
  );
}

/** The same windows, for a decision without a receipt. None if this process does not apply the rules in force. */
export function windowsAt(definition: CampaignDefinition, keys: Iterable<string>, now: Date): OpenWindow[] {
  if (definition.rulesVersion !== rulesVersion()) return [];
  return [...keys].flatMap((zone) => {
    const window = gateWindow(definition, zone, now);
    return window === null ? [] : [{ zone, ...window, groundsId: null }];
  });
}
