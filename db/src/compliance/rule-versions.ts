import { overlayCallingRules, type RuleOverlay, rulesUnder, rulesVersion, scrubDaysOf } from '@outdial/core';
import { sql, type RawBuilder } from 'kysely';
import { endDeferrals, wakeWhere } from '../limits-changed.ts';
import { locks } from '../locks.ts';
import type { Executor, Tx } from '../transaction.ts';

export interface RuleVersion {
  /** Counts up; 0 is the rules that come with Outdial alone. */
  id: number;
  name: string;
  document: RuleOverlay;
  importedAt: Date;
}

/** The version of the operator's rules that is in force. Part of statements that are sent anyway. */
export const rulesInForce: RawBuilder<number> = sql`coalesce((select max(id) from rule_versions), 0)`;

const columns = sql`id, name, document, imported_at as "importedAt"`;

/** Null if the operator has imported none. */
export async function findRules(db: Executor): Promise<RuleVersion | null> {
  const { rows } = await sql<RuleVersion>`
    select ${columns} from rule_versions order by id desc limit 1`.execute(db);
  return rows[0] ?? null;
}

/** Newest first. */
export async function listRuleVersions(db: Executor, limit: number): Promise<RuleVersion[]> {
  const { rows } = await sql<RuleVersion>`
    select ${columns} from rule_versions order by id desc limit ${limit}`.execute(db);
  return rows;
}

/**
 * Adds the newest version, by which scrub lists age from then on, ends deferrals for caps, and wakes the campaigns that wait for hours, lists or rules. Waits for open
 * gates; later ones wait for the commit, and read the new version. Null if another document has this name.
 */
export async function addRuleVersion(tx: Tx, document: RuleOverlay): Promise<number | null> {
  // Versions are also committed in the order of their ids.
  await sql`select ${locks.installationRules.take()}`.execute(tx);
  const { rows } = await sql<{ id: number }>`
    insert into rule_versions (name, document, imported_at)
    values (${document.version}, ${JSON.stringify(document)}::jsonb, engine_now())
    on conflict (name) do nothing returning id`.execute(tx);
  const id = rows[0]?.id ?? null;
  if (id === null) return null;
  await ageScrubLists(tx, document);
  await endDeferrals(tx, {});
  await wakeWhere(tx, sql`waiting_for in ('calling_hours', 'window', 'scrub_list', 'rules')`);
  return id;
}

/** Lists are good for as long as the rules allow, or for the fewer days that their importer asked for. */
async function ageScrubLists(tx: Tx, document: RuleOverlay): Promise<void> {
  const { rows } = await sql<{ jurisdiction: string }>`
    select distinct jurisdiction from scrub_lists where jurisdiction is not null and removed_at is null`.execute(
    tx,
  );
  const rules = rulesUnder(document);
  const allowed = rows.map(({ jurisdiction }) => ({ jurisdiction, days: scrubDaysOf(jurisdiction, rules) }));
  await sql`
    update scrub_lists l set good_for_days = least(l.asked_days, x.days), updated_at = engine_now()
    from jsonb_to_recordset(${JSON.stringify(allowed)}::jsonb) as x(jurisdiction text, days int)
    where l.jurisdiction = x.jurisdiction and l.removed_at is null and l.good_for_days <> least(l.asked_days, x.days)`.execute(
    tx,
  );
}

/** The version that does not fit this release, and why. */
let unusable: { version: number; fault: string } | null = null;

/**
 * Has this process apply a version of the operator's rules. Does nothing if it is applied already. If it does not fit this release, the process keeps the
 * rules that it has, and no window is open to its gates, because these are not the rules in force.
 * @param version as read by `rulesInForce`
 */
export async function applyRules(db: Executor, version: number): Promise<void> {
  if (version === rulesVersion() || version === unusable?.version) return;
  const rules = await findRules(db);
  const fault = overlayCallingRules(rules?.document ?? null, rules?.id ?? 0);
  unusable =
    fault === null || rules === null
      ? null
      : {
          version: rules.id,
          fault: `the rules ${rules.name} cannot be applied: ${fault.field} ${fault.message}`,
        };
}

/** Why no call may be made under a version that was just applied; null if it fits this release. */
export function faultOfRules(version: number): string | null {
  return version === unusable?.version ? unusable.fault : null;
}

/** The same where no other statement reads the version. */
export async function applyCurrentRules(db: Executor): Promise<void> {
  const { rows } = await sql<{ version: number }>`select ${rulesInForce} as version`.execute(db);
  await applyRules(db, rows[0]?.version ?? 0);
}
