import { gateWindow } from '@outdial/core';
import type { CampaignDefinition, Db, OpenWindow } from '@outdial/db';
import { withGrounds } from './gate-grounds.ts';

/** The windows that are open at an instant, by calling key of the campaign, with calling hours and grounds. */
export async function openWindows(db: Db, definition: CampaignDefinition, now: Date): Promise<OpenWindow[]> {
  return withGrounds(db, definition, windowsAt(definition, now));
}

/** The same windows, for a decision without a receipt. */
export function windowsAt(definition: CampaignDefinition, now: Date): OpenWindow[] {
  return definition.callingKeys.flatMap((zone) => {
    const window = gateWindow(definition, zone, now);
    return window === null ? [] : [{ zone, ...window, groundsId: null }];
  });
}
