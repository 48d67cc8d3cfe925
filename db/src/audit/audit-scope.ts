import { AsyncLocalStorage } from 'node:async_hooks';
import { sql, type Transaction } from 'kysely';
import { deferred } from '../postgres/deferred.ts';
import type { Database } from '../schema/index.ts';
import { changesBetween, type AuditValues } from './changes.ts';

/** The author of a change, and the origin of the request. */
export type AuditActor =
  | { kind: 'user'; userId: string; credentialType: string; credentialId: string | null; ip: string | null }
  /** Of the command line; the name of an account on the host. */
  | { kind: 'operator'; name: string };

export interface AuditOrigin {
  actor: AuditActor;
  /** Null until it is known, and where the change belongs to no organization. */
  organizationId: string | null;
  /** The id of the operation in the OpenAPI document, or the command: `createAgent`, `outdial org set`. */
  action: string;
  /** The fields of the request; `noteChange` may add more. */
  target: AuditTarget | null;
  /** The fields that the request sent, by name. */
  fields: readonly string[];
}

export interface AuditTarget {
  type: string;
  /** Never a phone number: see `maskPhoneNumber`. Null until what is made has an id. */
  id: string | null;
}

/** A change, noted by the code that makes it. Values of secret or personal fields are omitted. */
export interface AuditNote {
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

/** Everything that `work` changes in transactions is written to the audit log as the doing of `origin`. */
export function runAudited<T>(origin: AuditOrigin, work: () => Promise<T>): Promise<T> {
  return scopes.run({ origin: { ...origin }, written: false }, work);
}

/** Says whose organization the change belongs to, where that was not known at the start. */
export function auditOrganization(organizationId: string): void {
  const scope = scopes.getStore();
  if (scope) scope.origin.organizationId = organizationId;
}

/** Names what the request has made. */
export function auditCreated(id: string): void {
  const target = scopes.getStore()?.origin.target;
  if (target) target.id = id;
}

/** Notes what this transaction has changed. Without a scope, as in the engine, the note is dropped. */
export function noteChange(note: AuditNote): void {
  notes.getStore()?.list.push(note);
}

/** Runs the work of one transaction, and writes what it changed to the log before it commits: a row a note, else one that names the fields. */
export async function withAuditRows<T>(
  tx: Transaction<Database>,
  work: (tx: Transaction<Database>) => Promise<T>,
): Promise<T> {
  const scope = scopes.getStore();
  if (scope === undefined) return work(tx);
  const noted: Notes = { list: [] };
  const result = await notes.run(noted, () => work(tx));
  const rows = noted.list.map((note) => ({
    target: note,
    changes: changesBetween(note.before ?? {}, note.after ?? {}),
    fields: [],
  }));
  const { target, fields } = scope.origin;
  if (rows.length > 0) await insertRows(tx, scope.origin, rows, { unlessUnchanged: false });
  // Most operations are one transaction; where there are more, the first that writes speaks for all.
  else if (!scope.written) {
    await insertRows(tx, scope.origin, [{ target, changes: {}, fields }], { unlessUnchanged: true });
  }
  scope.written = true;
  return result;
}

interface AuditRow {
  target: AuditTarget | null;
  changes: object;
  fields: readonly string[];
}

/**
 * They go to Postgres with the commit. `unlessUnchanged`: a transaction that has changed nothing, such as the answer to a repeated request, has no id, and then nothing is
 * written.
 */
async function insertRows(
  tx: Transaction<Database>,
  { actor, organizationId, action }: AuditOrigin,
  rows: readonly AuditRow[],
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
