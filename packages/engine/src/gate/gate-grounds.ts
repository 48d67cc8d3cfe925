import { gateGrounds, rulesVersion, type GateGrounds } from '@outdial/core';
import { gateRelease, idOf, inTransaction, saveGateGrounds } from '@outdial/db';
import type { CampaignDefinition, Db, OpenWindow, Tx } from '@outdial/db';
import { LRUCache } from 'lru-cache';

/** Ids of grounds that are in the database, by content. Grounds never change and are never deleted. */
const written = new LRUCache<string, string>({ max: 20_000 });

type Window = Omit<OpenWindow, 'groundsId'>;

/** The id of the grounds of a window. Adds them to `made` if they may not be in the database. */
function groundsOf(definition: CampaignDefinition, window: Window, made: NewGrounds[]): string {
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
    rulesVersion(),
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

async function save(db: Db, organizationId: string, made: readonly NewGrounds[]): Promise<void> {
  if (made.length === 0) return;
  await saveGateGrounds(db, { organizationId, grounds: made });
  for (const { name, id } of made) written.set(name, id);
}

/** A gate has to name grounds that may not be in the database. */
class UnwrittenGroundsError extends Error {
  readonly organizationId: string;
  readonly made: readonly NewGrounds[];

  constructor(organizationId: string, made: readonly NewGrounds[]) {
    super('the grounds of a gate are not in the database yet');
    this.organizationId = organizationId;
    this.made = made;
  }
}

/** New windows, or a new hour, may come between two tries. */
const triesAtMost = 5;

/**
 * Runs the transaction of a gate. Its grounds depend on terms that it reads under its locks, and are shared with other gates. So if they are new, the
 * transaction is rolled back, and repeated after they were written: no transaction waits for the grounds of another, or for a second connection.
 */
export async function inGate<T>(db: Db, work: (tx: Tx) => Promise<T>): Promise<T> {
  for (let tried = 1; ; tried++) {
    try {
      return await inTransaction(db, work);
    } catch (error) {
      if (!(error instanceof UnwrittenGroundsError) || tried === triesAtMost) throw error;
      await save(db, error.organizationId, error.made);
    }
  }
}

/**
 * Windows with the ids of their grounds.
 * @param campaigns of one organization
 * @throws UnwrittenGroundsError handled by `inGate`
 */
export function writtenGrounds(
  campaigns: ReadonlyArray<{ definition: CampaignDefinition; windows: readonly Window[] }>,
): OpenWindow[][] {
  const made: NewGrounds[] = [];
  const found = campaigns.map(({ definition, windows }) =>
    windows.map((window) => ({ ...window, groundsId: groundsOf(definition, window, made) })),
  );
  const [first] = campaigns;
  if (first !== undefined && made.length > 0) {
    throw new UnwrittenGroundsError(first.definition.organizationId, made);
  }
  return found;
}

/** The id of the grounds of a direct call. @throws UnwrittenGroundsError handled by `inGate` */
export function directGrounds(
  organizationId: string,
  of: Pick<Parameters<typeof gateGrounds>[0], 'callingPolicy' | 'key' | 'hours' | 'consent'>,
): string {
  const content = gateGrounds({ ...of, window: null, campaign: null });
  const id = idOf(organizationId, gateRelease.id, content);
  if (written.get(id) !== undefined) return id;
  throw new UnwrittenGroundsError(organizationId, [{ name: id, id, content }]);
}
