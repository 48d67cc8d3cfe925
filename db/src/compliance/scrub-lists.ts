import { createHash } from 'node:crypto';
import { applyCurrentRules } from './rule-versions.ts';
import { type Selectable, sql } from 'kysely';
import { isSharplySmaller, scrubDaysOf, scrubGoodForDays } from '@outdial/core';
import { type NewestFirst, newestFirst, rowInstant } from '../lists/newest-first.ts';
import { locks } from '../locks.ts';
import type { ScrubListTable } from '../schema/compliance.ts';
import type { Db, Executor, Tx } from '../transaction.ts';
import { requireListsWithin, requireRowsWithin } from './row-limits.ts';
import { scrubsOfDial } from './scrub-of-dial.ts';

export type ScrubListRow = Omit<
  Selectable<ScrubListTable>,
  'organization_id' | 'removed_at' | 'numbers' | 'asked_days' | `partial_${string}`
> & { row_instant: string };

export interface ScrubPart {
  organizationId: string;
  name: string;
  source: string;
  account: string | null;
  /** Null or absent: as before. */
  jurisdiction?: string | null | undefined;
  /** Fewer days than the law allows; null or absent: as before. */
  goodForDays?: number | null | undefined;
  scrubbedAt: Date;
  phoneNumbers: readonly string[];
  /** Whether this is the last part of its version, which then replaces earlier versions. */
  isComplete: boolean;
  /** Whether a version that is empty, or much smaller than the one before, is refused instead of completed. */
  isChecked: boolean;
}

/** The version was not completed, because it is empty or much smaller than the one before. */
export interface SmallerVersion {
  numbers: number;
  /** Null if there is none before. */
  before: number | null;
}

/** The part was refused because a newer version of the list is complete. */
export interface OlderVersion {
  newestAt: Date;
}

/**
 * Adds numbers to a version of a list, and creates the list if it does not exist. The numbers take effect at once, in addition to the previous
 * version. Once the new version is complete, it replaces the previous one. Gates wait for the commit.
 * @throws ConflictError `quota_exceeded`
 */
export async function addToScrubList(
  tx: Tx,
  part: ScrubPart,
): Promise<{ added: number; list: ScrubListRow } | OlderVersion | SmallerVersion> {
  const { organizationId, name } = part;
  // An import of rules waits, because it would not see a new list.
  await sql`select ${locks.installationRules.share()}`.execute(tx);
  await applyCurrentRules(tx);
  const { rows } = await sql<LockedList>`
    insert into scrub_lists as l (organization_id, name, source, account, jurisdiction, asked_days, created_at, updated_at)
    values (${organizationId}, ${name}, ${part.source}, ${part.account}, ${part.jurisdiction ?? null}, ${part.goodForDays ?? null}, engine_now(), engine_now())
    on conflict (organization_id, name) where removed_at is null
      do update set source = excluded.source, account = excluded.account,
        jurisdiction = coalesce(excluded.jurisdiction, l.jurisdiction), asked_days = coalesce(excluded.asked_days, l.asked_days), updated_at = excluded.updated_at
    returning l.id, l.scrubbed_at, l.jurisdiction, l.asked_days, l.numbers::int as numbers, l.partial_scrubbed_at, l.partial_numbers::int as partial_numbers, l.partial_hash, l.xmax = 0 as is_new`.execute(
    tx,
  );
  const [locked] = rows;
  if (locked === undefined) throw new Error('the upsert of a scrub list returned no row');
  if (locked.scrubbed_at !== null && locked.scrubbed_at > part.scrubbedAt) {
    return { newestAt: locked.scrubbed_at };
  }
  if (locked.is_new) await requireListsWithin(tx, organizationId);
  const written = await sql<{ is_new: boolean }>`
    insert into scrub_list_numbers as n (organization_id, phone_number, scrub_list_id, scrubbed_at)
    select distinct ${organizationId}::uuid, x.phone_number, ${locked.id}::uuid, ${part.scrubbedAt}::timestamptz
    from unnest(${part.phoneNumbers}::text[]) as x(phone_number) order by 2
    on conflict (organization_id, phone_number, scrub_list_id) do update
      set scrubbed_at = excluded.scrubbed_at where n.scrubbed_at < excluded.scrubbed_at
    returning true as is_new`.execute(tx);
  await requireRowsWithin(tx, { organizationId, relation: 'scrub_list_numbers' });
  const isOfSameVersion = locked.partial_scrubbed_at?.getTime() === part.scrubbedAt.getTime();
  const numbers = (isOfSameVersion ? locked.partial_numbers : 0) + written.rows.length;
  const before = locked.scrubbed_at?.getTime() === part.scrubbedAt.getTime() ? null : locked.numbers;
  if (part.isComplete && part.isChecked && isSharplySmaller(numbers, before)) return { numbers, before };
  // Never more than the law of the list's jurisdiction allows.
  const goodForDays = Math.min(locked.asked_days ?? scrubGoodForDays, scrubDaysOf(locked.jurisdiction));
  const hash = hashOfPart(isOfSameVersion ? locked.partial_hash : null, part.phoneNumbers);
  await sql`
    update scrub_lists
    set good_for_days = ${goodForDays}, partial_scrubbed_at = ${part.scrubbedAt}, partial_numbers = ${numbers}, partial_hash = ${hash},
      scrubbed_at = case when ${part.isComplete}::boolean then ${part.scrubbedAt}::timestamptz else scrubbed_at end,
      numbers = case when ${part.isComplete}::boolean then ${numbers}::bigint else numbers end
    where id = ${locked.id}`.execute(tx);
  if (part.isComplete) {
    await sql`
      insert into scrub_list_versions (organization_id, name, scrubbed_at, completed_at, source, account, jurisdiction, numbers, content_hash)
      select organization_id, name, scrubbed_at, engine_now(), source, account, jurisdiction, numbers, partial_hash
      from scrub_lists where id = ${locked.id} on conflict do nothing`.execute(tx);
    await wakeForScrubList(tx, { organizationId, name });
  }
  const list = await findScrubList(tx, { organizationId, name });
  if (list === null) throw new Error('a locked scrub list disappeared');
  return { added: written.rows.length, list };
}

/** SHA-256 of the hash of the parts before, and of the numbers of this one: each once, sorted, with a line break between two. */
function hashOfPart(before: Buffer | null, phoneNumbers: readonly string[]): Buffer {
  const numbers = [...new Set(phoneNumbers)].toSorted().join('\n');
  return createHash('sha256')
    .update(before ?? '')
    .update(numbers)
    .digest();
}

interface LockedList {
  id: string;
  scrubbed_at: Date | null;
  jurisdiction: string | null;
  asked_days: number | null;
  numbers: number | null;
  partial_scrubbed_at: Date | null;
  partial_numbers: number;
  partial_hash: Buffer | null;
  is_new: boolean;
}

/**
 * Wakes running campaigns that need a list. All of them, not only waiting ones: an advance that has read the previous list may be about to save
 * that its campaign waits.
 */
async function wakeForScrubList(
  tx: Tx,
  { organizationId, name }: { organizationId: string; name: string },
): Promise<void> {
  await sql`
    with needing as materialized (
      select rt.campaign_id from campaign_runtime rt
      join campaigns c on c.id = rt.campaign_id and c.status = 'running'
      join campaign_configs f on f.campaign_id = c.id and ${name} = any(f.scrub_lists)
      where rt.organization_id = ${organizationId} order by rt.campaign_id for no key update of rt)
    update campaign_runtime rt set wake_at = engine_now() from needing where rt.campaign_id = needing.campaign_id`.execute(
    tx,
  );
}

const columns = sql`l.id, l.name, l.source, l.account, l.jurisdiction, l.good_for_days, l.scrubbed_at, l.created_at, l.updated_at, ${rowInstant('l.created_at')} as row_instant`;

/** Newest first; with `phoneNumber` only lists with that number. */
export async function listScrubLists(
  db: Executor,
  args: { organizationId: string; page: NewestFirst; phoneNumber?: string | undefined },
): Promise<ScrubListRow[]> {
  const phoneNumber = args.phoneNumber ?? null;
  const { rows } = await sql<ScrubListRow>`
    select ${columns} from scrub_lists l
    where l.organization_id = ${args.organizationId} and l.removed_at is null
      and (${phoneNumber}::text is null or exists (
        select from scrub_list_numbers n
        where n.organization_id = l.organization_id and n.phone_number = ${phoneNumber} and n.scrub_list_id = l.id
          and n.scrubbed_at >= coalesce(l.scrubbed_at, '-infinity')))
      ${newestFirst({ at: 'l.created_at', id: 'l.id' }, args.page)}`.execute(db);
  return rows;
}

export async function findScrubList(
  db: Executor,
  { organizationId, name }: { organizationId: string; name: string },
): Promise<ScrubListRow | null> {
  const { rows } = await sql<ScrubListRow>`
    select ${columns} from scrub_lists l
    where l.organization_id = ${organizationId} and l.name = ${name} and l.removed_at is null`.execute(db);
  return rows[0] ?? null;
}

/** The names without a list. */
export async function unknownScrubLists(
  db: Executor,
  { organizationId, names }: { organizationId: string; names: readonly string[] },
): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`
    select x.name from unnest(${names}::text[]) as x(name)
    where not exists (
      select from scrub_lists l where l.organization_id = ${organizationId} and l.name = x.name and l.removed_at is null)`.execute(
    db,
  );
  return rows.map((row) => row.name);
}

/** Until when all of these lists are valid; null if one is missing or was never complete. */
export async function scrubsValidUntil(
  db: Executor,
  { organizationId, names }: { organizationId: string; names: readonly string[] },
): Promise<Date | null> {
  const asked = { organization_id: sql`${organizationId}::uuid`, names: sql`${names}::text[]` };
  const { rows } = await sql<{ valid_until: Date | null }>`
    select valid_until from ${scrubsOfDial(asked)} scrubs`.execute(db);
  return rows[0]?.valid_until ?? null;
}

/** Removes a list; campaigns that need it then wait. A sweep deletes its numbers. False if the list does not exist. */
export async function removeScrubList(
  tx: Tx,
  { organizationId, name }: { organizationId: string; name: string },
): Promise<boolean> {
  const gone = await sql`
    update scrub_lists set removed_at = engine_now()
    where organization_id = ${organizationId} and name = ${name} and removed_at is null`.execute(tx);
  return (gone.numAffectedRows ?? 0n) > 0n;
}

/** Deletes at most `limit` numbers of replaced versions and removed lists, and then empty removed lists. Returns how many numbers. */
export async function forgetScrubbedNumbers(db: Db, limit: number): Promise<number> {
  const numbers = await sql`
    with gone as materialized (
      select n.organization_id, n.phone_number, n.scrub_list_id from scrub_lists l
      cross join lateral (
        select * from scrub_list_numbers n
        where n.scrub_list_id = l.id and n.scrubbed_at < case when l.removed_at is null then l.scrubbed_at else 'infinity' end
        limit ${limit}) n
      limit ${limit})
    delete from scrub_list_numbers n using gone g
    where n.organization_id = g.organization_id and n.phone_number = g.phone_number and n.scrub_list_id = g.scrub_list_id`.execute(
    db,
  );
  await sql`
    delete from scrub_lists l where l.removed_at is not null
      and not exists (select from scrub_list_numbers n where n.scrub_list_id = l.id)`.execute(db);
  return Number(numbers.numAffectedRows ?? 0n);
}
