import { organizationsOfCampaigns, type Db } from '@outdial/db';
import { LRUCache } from 'lru-cache';

const rememberedAtMost = 50_000;

/** By campaign. A campaign never changes its organization. */
const owners = new WeakMap<Db, LRUCache<string, string>>();

/** The organizations of campaigns. Those of campaigns that do not exist any more are missing. */
export async function ownersOf(db: Db, campaignIds: readonly string[]): Promise<ReadonlyMap<string, string>> {
  const known = owners.get(db) ?? new LRUCache({ maxSize: rememberedAtMost, sizeCalculation: () => 1 });
  owners.set(db, known);
  const unknown = campaignIds.filter((id) => !known.has(id));
  if (unknown.length > 0) {
    for (const [id, owner] of await organizationsOfCampaigns(db, unknown)) known.set(id, owner);
  }
  return new Map(
    campaignIds.flatMap((id) => {
      const owner = known.get(id);
      return owner === undefined ? [] : [[id, owner] as const];
    }),
  );
}
