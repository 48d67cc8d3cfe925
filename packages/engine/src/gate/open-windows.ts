import { gateWindow } from '@outdial/core';
import type { CampaignDefinition, Db, OpenWindow } from '@outdial/db';
import { withGrounds } from './gate-grounds.ts';

/** The windows that are open at an instant, of campaigns of one organization in their order, by calling key, with calling hours and grounds. */
export async function openWindows(
  db: Db,
  definitions: readonly CampaignDefinition[],
  now: Date,
): Promise<OpenWindow[][]> {
  return withGrounds(
    db,
    definitions.map((definition) => ({ definition, windows: windowsAt(definition, now) })),
  );
}

/** The same windows, for a decision without a receipt. */
export function windowsAt(definition: CampaignDefinition, now: Date): OpenWindow[] {
  return definition.callingKeys.flatMap((zone) => {
    const window = gateWindow(definition, zone, now);
    return window === null ? [] : [{ zone, ...window, groundsId: null }];
  });
}
