import { gateGrounds, type GateGrounds } from '@outdial/core';
import { gateRelease, idOf, saveGateGrounds } from '@outdial/db';
import type { CampaignDefinition, Executor, OpenWindow } from '@outdial/db';
import { LRUCache } from 'lru-cache';

/** Ids of grounds that are in the database, by content. Grounds never change and are never deleted. */
const written = new LRUCache<string, string>({ max: 20_000 });

/** Inserts the grounds of windows of one organization's campaigns before a gate names them. Known grounds need no query. */
export async function withGrounds(
  db: Executor,
  campaigns: ReadonlyArray<{
    definition: CampaignDefinition;
    windows: ReadonlyArray<Omit<OpenWindow, 'groundsId'>>;
  }>,
): Promise<OpenWindow[][]> {
  const made: NewGrounds[] = [];
  const found = campaigns.map(({ definition, windows }) =>
    windows.map((window) => ({ ...window, groundsId: groundsOf(definition, window, made) })),
  );
  const [first] = campaigns;
  if (first !== undefined) await save(db, first.definition.organizationId, made);
  return found;
}

/** The id of the grounds of a window. Adds them to `made` if they may not be in the database. */
function groundsOf(
  definition: CampaignDefinition,
  window: Omit<OpenWindow, 'groundsId'>,
  made: NewGrounds[],
): string {
  const { organizationId, id, revision, callingPolicy, personCaps } = definition;
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
    JSON.stringify(personCaps),
    window.rulesVersion,
  ].join(' ');
  const known = written.get(name);
  if (known !== undefined) return known;
  const content = gateGrounds({ callingPolicy, key, window, hours, consent, campaign: definition });
  const grounds = { name, id: idOf(organizationId, gateRelease.id, content), content };
  made.push(grounds);
  return grounds.id;
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
