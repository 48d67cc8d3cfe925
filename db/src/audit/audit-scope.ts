import { AsyncLocalStorage } from 'node:async_hooks';
import { sql, type Transaction } from 'kysely';
import { deferred } from '../postgres/deferred.ts';
import type { Database } from '../schema/index.ts';
import { requireRights, type Rights } from './rights.ts';

type AuditActor =
  | { kind: 'user'; userId: string; credentialType: string; credentialId: string | null; ip: string | null }
  /** A user of the command line, by the name of the account on the host. */
  | { kind: 'operator'; name: string };

export interface AuditOrigin {
  actor: AuditActor;
  /** Null until it is known, and for changes of the installation. */
  organizationId: string | null;
  /** The operation id of the OpenAPI document, or the command: `createAgent`, `outdial org set`. */
  action: string;
  /** From the request. `noteChange` may name others. */
  target: AuditTarget | null;
  /** The names of the fields in the request. */
  fields: readonly string[];
  /** Judged again in each transaction of the change. Absent for operators, and where a user signs in. */
  rights?: Rights;
}

export interface AuditTarget {
  type: string;
  /** Never a phone number: see `maskPhoneNumber`. Null until a new resource has an id. */
  id: string | null;
}

/** A change. Omits values of secret or personal fields. */
interface AuditNote {
  type: string;
  id: string;
  before?: AuditValues;
  after?: AuditValues;
}

interface Scope {
  origin: AuditOrigin;
  written: boolean;
}

interface Notes {
  list: AuditNote[];
}

const scopes = new AsyncLocalStorage<Scope>();
const notes = new AsyncLocalStorage<Notes>();

/** Attributes all changes of `work` in transactions to `origin` in the audit log. */
export function runAudited<T>(origin: AuditOrigin, work: () => Promise<T>): Promise<T> {
  return scopes.run({ origin: { ...origin }, written: false }, work);
}

/** Sets the organization of the change if it was not known at the start. */
export function auditOrganization(organizationId: string): void {
  const scope = scopes.getStore();
  if (scope) scope.origin.organizationId = organizationId;
}

export function auditCreated(id: string): void {
  const target = scopes.getStore()?.origin.target;
  if (target) target.id = id;
}

/** Records a change of this transaction. No-op outside of `runAudited`, as in the engine. */
export function noteChange(note: AuditNote): void {
  notes.getStore()?.list.push(note);
}

/** Runs the work of one transaction, if its user still has the right to it, and writes its changes to the audit log: a row per noted change, or else one row. The row of the request's target has the names of its fields. */
export async function withAuditRows<T>(
  tx: Transaction<Database>,
  work: (tx: Transaction<Database>) => Promise<T>,
): Promise<T> {
  const scope = scopes.getStore();
  if (scope === undefined) return work(tx);
  if (scope.origin.rights !== undefined) await requireRights(tx, scope.origin.rights);
  const noted: Notes = { list: [] };
  const result = await notes.run(noted, () => work(tx));
  const { target, fields } = scope.origin;
  const rows = noted.list.map((note) => ({
    target: note,
    changes: changesBetween(note.before ?? {}, note.after ?? {}),
    // A note leaves out personal values, and so their fields.
    fields: note.type === target?.type && note.id === target.id ? fields : [],
  }));
  if (rows.length > 0) await insertRows(tx, scope.origin, rows, { unlessUnchanged: false });
  // If an operation has several transactions, only the first one that writes adds this row.
  else if (!scope.written) {
    await insertRows(tx, scope.origin, [{ target, changes: {}, fields }], { unlessUnchanged: true });
  }
  scope.written = true;
  return result;
}

/**
 * Sent together with the commit.
 * @param unlessUnchanged writes no row if the transaction has no id, so has changed nothing, for example after a repeated request
 */
async function insertRows(
  tx: Transaction<Database>,
  { actor, organizationId, action }: AuditOrigin,
  rows: ReadonlyArray<{ target: AuditTarget | null; changes: object; fields: readonly string[] }>,
  { unlessUnchanged }: { unlessUnchanged: boolean },
): Promise<void> {
  const user = actor.kind === 'user' ? actor : null;
  const targets = rows.map(({ target, changes, fields }) => ({
    target_type: target?.type ?? null,
    target_id: target?.id ?? null,
    changes,
    fields,
  }));
  const insert = sql`
    insert into audit_log (organization_id, created_at, action, actor_type, user_id, operator, credential_type,
      credential_id, ip, target_type, target_id, changes, fields)
    select ${organizationId}, engine_now(), ${action}, ${actor.kind}, ${user?.userId ?? null},
      ${actor.kind === 'operator' ? actor.name : null}, ${user?.credentialType ?? null}, ${user?.credentialId ?? null},
      ${user?.ip ?? null}, t.target_type, t.target_id, t.changes, array(select jsonb_array_elements_text(t.fields))
    from jsonb_to_recordset(${JSON.stringify(targets)}::jsonb)
      as t(target_type text, target_id text, changes jsonb, fields jsonb)
    where not ${unlessUnchanged} or pg_current_xact_id_if_assigned() is not null`;
  await deferred(insert, tx);
}

/** Values that the log may show, by field. */
type AuditValues = Readonly<Record<string, unknown>>;

export type AuditChanges = Record<string, { before: unknown; after: unknown }>;

const longestValue = 500;

/** The fields that differ. A field that is missing on one side counts as null. */
export function changesBetween(before: AuditValues, after: AuditValues): AuditChanges {
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])];
  return Object.fromEntries(
    names
      .filter((name) => textOf(before[name]) !== textOf(after[name]))
      .map((name) => [name, { before: shown(before[name]), after: shown(after[name]) }]),
  );
}

function shown(value: unknown): unknown {
  const text = textOf(value);
  if (text.length <= longestValue) return value ?? null;
  return `${(typeof value === 'string' ? value : text).slice(0, longestValue)}…`;
}

function textOf(value: unknown): string {
  return JSON.stringify(value ?? null, (_name, inner: unknown) =>
    typeof inner === 'object' && inner !== null && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : inner,
  );
}
