import { gateGrounds, type GateGrounds } from '@outdial/core';
import { gateRelease, idOf, saveGateGrounds } from '@outdial/db';
import type { CampaignDefinition, Executor, OpenWindow } from '@outdial/db';
import { LRUCache } from 'lru-cache';

/** Ids of grounds that are in the database, by content. Grounds never change and are never deleted. */
const written = new LRUCache<string, string>({ max: 20_000 });

/** Inserts the grounds of windows before a gate names them. Known grounds need no query. */
export async function withGrounds(
  db: Executor,
  definition: CampaignDefinition,
  windows: ReadonlyArray<Omit<OpenWindow, 'groundsId'>>,
): Promise<OpenWindow[]> {
  const { organizationId, id, revision, callingPolicy } = definition;
  const caps = JSON.stringify(definition.personCaps);
  const made: NewGrounds[] = [];
  const found = windows.map((window) => {
    const { zone: key, opensAt, closesAt, hours, consent } = window;
    // Grounds only depend on these values.
    const name = [
      id,
      revision,
      key,
      +opensAt,
      +closesAt,
      hours && +hours.openAt,
      hours && +hours.closeAt,
      caps,
      window.rulesVersion,
    ].join(' ');
    const known = written.get(name);
    if (known !== undefined) return { ...window, groundsId: known };
    const content = gateGrounds({ callingPolicy, key, window, hours, consent, campaign: definition });
    const grounds = { name, id: idOf(organizationId, gateRelease.id, content), content };
    made.push(grounds);
    return { ...window, groundsId: grounds.id };
  });
  await save(db, organizationId, made);
  return found;
}

interface NewGrounds {
  name: string;
  id: string;
  content: GateGrounds;
}

async function save(db: Executor, organizationId: string, made: readonly NewGrounds[]): Promise<void> {
  if (made.length === 0) return;
  await saveGateGrounds(db, { organizationId, grounds: made });
  for (const { name, id } of made) written.set(name, id);
}

export async function directGrounds(
  db: Executor,
  organizationId: string,
  of: Pick<Parameters<typeof gateGrounds>[0], 'callingPolicy' | 'key' | 'hours' | 'consent'>,
): Promise<string> {
  const content = gateGrounds({ ...of, window: null, campaign: null });
  const id = idOf(organizationId, gateRelease.id, content);
  if (written.get(id) === undefined) await save(db, organizationId, [{ name: id, id, content }]);
  return id;
}
