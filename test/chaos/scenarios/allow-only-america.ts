import { engineNow, inTransaction, updateOrganization, type Db } from '@outdial/db';
import type { ScenarioWorld } from './world.ts';

/** The operator no longer allows other countries. */
export async function allowOnlyAmerica(world: ScenarioWorld, db: Db = world.db): Promise<void> {
  const now = await engineNow(db);
  await inTransaction(db, (tx) =>
    updateOrganization(tx, world.organization.id, { allowed_countries: ['US'] }, now),
  );
}
