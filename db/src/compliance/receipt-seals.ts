import { sql, type RawBuilder } from 'kysely';
import { newestFirst, type NewestFirst, rowInstant } from '../lists/newest-first.ts';
import type { Executor, Tx } from '../transaction.ts';
import { scrubVersions } from './receipts.ts';

/** A day is sealed an hour after its end (UTC), so that transactions around midnight are over. */
const sealAfter = sql`interval '25 hours'`;

/** What one seal covers: calls, or recipients that were refused. */
export interface UnsealedSubjects {
  organizationId: string;
  /** As yyyy-MM-dd, in UTC. */
  day: string;
  kind: 'calls' | 'refusals';
  ids: string[];
}

interface Progress {
  organization_id: string;
  day: string;
  part: 'late' | 'calls' | 'refusals';
  after_at: string;
  after_id: string;
}

/**
 * The next subjects of a day that is over, of the organization that is furthest behind, and notes that they are taken; null if nothing is left. The
 * caller seals them in the same transaction. First calls of earlier days that have ended since, then the calls of the day, then its refusals.
 */
export async function takeUnsealed(tx: Tx, limit: number): Promise<UnsealedSubjects | null> {
  await sql`
    insert into receipt_seal_progress (organization_id, day)
    select o.id, coalesce((
      select (c.created_at at time zone 'UTC')::date from calls c
      where c.organization_id = o.id order by c.created_at, c.id limit 1), (engine_now() at time zone 'UTC')::date)
    from organizations o
    where not exists (select from receipt_seal_progress p where p.organization_id = o.id)
    order by o.id on conflict do nothing`.execute(tx);
  const { rows } = await sql<Progress>`
    select organization_id, day::text, part, after_at::text, after_id from receipt_seal_progress
    where (day + ${sealAfter}) at time zone 'UTC' <= (select engine_now())
    order by day, organization_id limit 1 for update skip locked`.execute(tx);
  const [progress] = rows;
  if (progress === undefined) return null;
  const { organization_id: organizationId, day, part } = progress;
  const found = await readers[part](tx, progress, limit);
  const last = found.at(-1);
  const next: Record<Progress['part'], Progress['part']> = {
    late: 'calls',
    calls: 'refusals',
    refusals: 'late',
  };
  const isPartOver = found.length < limit;
  await sql`
    update receipt_seal_progress
    set day = ${day}::date + ${isPartOver && part === 'refusals' ? 1 : 0}::int, part = ${isPartOver ? next[part] : part},
      after_at = ${isPartOver ? '-infinity' : (last?.at ?? '-infinity')}::timestamptz,
      after_id = ${isPartOver ? '00000000-0000-0000-0000-000000000000' : (last?.id ?? '')}
    where organization_id = ${organizationId}`.execute(tx);
  return {
    organizationId,
    day,
    kind: part === 'refusals' ? 'refusals' : 'calls',
    ids: found.flatMap(({ id, is_ready: isReady }) => (isReady ? [id] : [])),
  };
}

interface Found {
  id: string;
  at: string;
  is_ready: boolean;
}

const readers: Record<Progress['part'], (tx: Tx, progress: Progress, limit: number) => Promise<Found[]>> = {
  late: async (tx, { organization_id: organizationId, after_id: afterId }, limit) => {
    const { rows } = await sql<Found>`
      with seen as materialized (
        select u.call_id, c.phase, c.id is null as is_gone from unsealed_calls u
        left join calls c on c.organization_id = u.organization_id and c.id = u.call_id
        where u.organization_id = ${organizationId} and u.call_id > ${afterId} order by u.call_id limit ${limit}),
      settled as (
        delete from unsealed_calls u using seen s
        where u.organization_id = ${organizationId} and u.call_id = s.call_id and (s.is_gone or s.phase = 'ended'))
      select call_id as id, '-infinity' as at, phase is not distinct from 'ended' as is_ready from seen order by call_id`.execute(
      tx,
    );
    return rows;
  },
  calls: async (
    tx,
    { organization_id: organizationId, day, after_at: afterAt, after_id: afterId },
    limit,
  ) => {
    const { rows } = await sql<Found>`
      with seen as materialized (
        select id, created_at, phase, kind from calls
        where organization_id = ${organizationId} and created_at >= ${day}::date::timestamp at time zone 'UTC'
          and created_at < (${day}::date + 1)::timestamp at time zone 'UTC'
          and (created_at, id) > (${afterAt}::timestamptz, ${afterId}::uuid)
        order by created_at, id limit ${limit}),
      later as (
        insert into unsealed_calls (organization_id, call_id)
        select ${organizationId}, id from seen where phase <> 'ended' and kind = 'phone_outbound' on conflict do nothing)
      select id, created_at::text as at, phase = 'ended' and kind = 'phone_outbound' as is_ready from seen
      order by created_at, id`.execute(tx);
    return rows;
  },
  // Campaigns instead of the time of the refusal, which changes often and has no index.
  refusals: async (tx, { organization_id: organizationId, day, after_id: afterId }, limit) => {
    const { rows } = await sql<Found>`
      select f.recipient_id as id, '-infinity' as at, true as is_ready from campaigns c join gate_refusals f on f.campaign_id = c.id
      where c.organization_id = ${organizationId} and f.recipient_id > ${afterId}
        -- Calls that are withdrawn at their carrier after the end are refused later.
        and (c.ended_at is null or c.ended_at >= (${day}::date - 7)::timestamp at time zone 'UTC')
        and f.last_at >= ${day}::date::timestamp at time zone 'UTC'
      order by f.recipient_id limit ${limit}`.execute(tx);
    return rows;
  },
};

const hex = (content: RawBuilder<unknown>) => sql`encode(sha256(convert_to(${content}, 'UTF8')), 'hex')`;
const instant = (at: RawBuilder<unknown>) =>
  sql`to_char(${at} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;

/** Statements and leaves of calls have `v`: since 2, leaves have the versions of scrub lists and the number of the consent. */
export type SealVersion = 1 | 2;

/** What the seal says of a call or of a recipient's refusals: text whose hash is a leaf, and the texts whose hashes it has. */
export interface SealedText {
  id: string;
  leaf: string;
  phone_number: string | null;
  salt: string | null;
  grounds: string | null;
  release: string | null;
  consent: string | null;
}

/**
 * The leaves of subjects as their rows are now. A call's has the facts of its decision, which no later event changes; how the call went is not part of
 * it. The text of `jsonb` is the same for the same content, in every release of Postgres. Add nothing to it without a new `v`.
 */
export async function readLeaves(
  db: Executor,
  { organizationId, kind, ids }: Omit<UnsealedSubjects, 'day'>,
  version: SealVersion,
): Promise<SealedText[]> {
  const of = kind === 'calls' ? leafOfCall : leafOfRefusals;
  const { rows } = await sql<SealedText>`
    select x.* from unnest(${ids}::uuid[]) with ordinality as one(id, n)
    cross join lateral (${of(sql`${organizationId}::uuid`, sql`one.id`, version)}) x order by one.n`.execute(
    db,
  );
  return rows;
}

function leafOfCall(
  organizationId: RawBuilder<unknown>,
  id: RawBuilder<unknown>,
  version: SealVersion,
): RawBuilder<unknown> {
  const since2 = sql`jsonb_build_object('scrub_versions', ${scrubVersions},
    'consent_number_sha256', ${hex(sql`receipt_salt(c.id) || s.phone_number`)})`;
  return sql`
    select c.id, (jsonb_build_object('v', ${sql.lit(version)}, 'kind', 'call', 'organization_id', c.organization_id, 'call_id', c.id,
        'campaign_id', c.campaign_id, 'recipient_id', c.recipient_id, 'agent_id', c.agent_id, 'purpose', c.purpose, 'attempt', c.attempt,
        'decision', case when c.gated_at is null then 'not_dialed' else 'dialed' end,
        'refused_by', case when c.gated_at is null then c.external_status end,
        'created_at', ${instant(sql`c.created_at`)}, 'decided_at', ${instant(sql`c.gated_at`)},
        'phone_number_sha256', ${hex(sql`receipt_salt(c.id) || c.phone_number`)},
        'from_phone', c.from_phone, 'caller_id', c.caller_id, 'attestation', (
          select a.attestation from caller_id_attestations a
          where a.caller_id = c.caller_id and a.since <= c.gated_at order by a.since desc limit 1),
        'prompt_sha256', (select ${hex(sql`p.prompt`)} from agent_prompts p where p.id = c.prompt_id),
        'grounds_sha256', ${hex(sql`g.content::text`)}, 'release_sha256', ${hex(sql`v.content::text`)},
        'consent_id', c.consent_id, 'consent_sha256', ${hex(sql`s.shown`)},
        'person_check', c.person_check, 'scrub_check', c.scrub_check)${version === 1 ? sql`` : sql` || ${since2}`})::text as leaf,
      c.phone_number, receipt_salt(c.id) as salt, g.content::text as grounds, v.content::text as release, s.shown as consent
    from calls c
    left join gate_grounds g on g.organization_id = c.organization_id and g.id = c.grounds_id
    left join gate_releases v on v.id = g.release_id
    left join lateral (
      select n.phone_number, jsonb_build_object('basis', n.basis, 'scope', n.scope, 'text_shown', n.text_shown, 'source', n.source,
        'evidence_hash', n.evidence_hash, 'given_at', ${instant(sql`n.given_at`)}, 'expires_at', ${instant(sql`n.expires_at`)})::text as shown
      from consents n where n.organization_id = c.organization_id and n.id = c.consent_id) s on true
    where c.organization_id = ${organizationId} and c.id = ${id}`;
}

function leafOfRefusals(organizationId: RawBuilder<unknown>, id: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`
    select f.recipient_id as id, jsonb_build_object('v', 1, 'kind', 'refusals', 'organization_id', f.organization_id,
        'campaign_id', f.campaign_id, 'recipient_id', f.recipient_id, 'counts', f.counts, 'last_reason', f.last_reason,
        'first_at', ${instant(sql`f.first_at`)}, 'last_at', ${instant(sql`f.last_at`)},
        'grounds_sha256', ${hex(sql`g.content::text`)}, 'release_sha256', ${hex(sql`v.content::text`)})::text as leaf,
      null as phone_number, null as salt, g.content::text as grounds, v.content::text as release, null as consent
    from gate_refusals f
    left join gate_grounds g on g.organization_id = f.organization_id and g.id = f.last_grounds_id
    left join gate_releases v on v.id = g.release_id
    where f.organization_id = ${organizationId} and f.recipient_id = ${id}`;
}

/** The key that signs seals, as PKCS #8; `made` if there is none yet. */
export async function sealKey(tx: Tx, made: () => Buffer): Promise<Buffer> {
  const read = async () =>
    (await sql<{ private_key: Buffer }>`select private_key from receipt_seal_key`.execute(tx)).rows[0];
  const known = await read();
  if (known) return known.private_key;
  await sql`insert into receipt_seal_key (private_key, created_at) values (${made()}, engine_now()) on conflict do nothing`.execute(
    tx,
  );
  const written = await read();
  if (!written) throw new Error('the key of seals was not written');
  return written.private_key;
}

export interface SealRow {
  id: string;
  number: number;
  day: string;
  statement: string;
  signature: Buffer;
  created_at: Date;
  row_instant: string;
}

export async function addSeal(
  tx: Tx,
  seal: { organizationId: string; day: string; subjectIds: string[]; hashes: Buffer } & Pick<
    SealRow,
    'number' | 'statement' | 'signature'
  >,
): Promise<void> {
  await sql`
    insert into receipt_seals (organization_id, number, day, statement, signature, subject_ids, hashes, created_at)
    values (${seal.organizationId}, ${seal.number}, ${seal.day}::date, ${seal.statement}, ${seal.signature},
      ${seal.subjectIds}::uuid[], ${seal.hashes}, engine_now())`.execute(tx);
}

export async function listSeals(
  db: Executor,
  { organizationId, page }: { organizationId: string; page: NewestFirst },
): Promise<SealRow[]> {
  const { rows } = await sql<SealRow>`
    select s.id, s.number, s.day::text, s.statement, s.signature, s.created_at, ${rowInstant('s.created_at')} as row_instant
    from receipt_seals s where s.organization_id = ${organizationId}
      ${newestFirst({ at: 's.created_at', id: 's.id' }, page)}`.execute(db);
  return rows;
}

/** The newest seal that has a call, or the refusals of a recipient. Null for one that was refused on a later day, which is not sealed yet. */
export async function findSealOf(
  db: Executor,
  { organizationId, subjectId }: { organizationId: string; subjectId: string },
): Promise<(Pick<SealRow, 'statement' | 'signature'> & { index: number; hashes: Buffer }) | null> {
  const { rows } = await sql<{ statement: string; signature: Buffer; index: number; hashes: Buffer }>`
    with found as materialized (
      select id, number from receipt_seals
      where organization_id = ${organizationId} and subject_ids @> array[${subjectId}::uuid])
    select s.statement, s.signature, s.hashes, array_position(s.subject_ids, ${subjectId}::uuid) - 1 as index
    from receipt_seals s join found on found.id = s.id
    where not exists (
      select from gate_refusals f where f.organization_id = ${organizationId} and f.recipient_id = ${subjectId}
        and f.last_at >= (s.day + 1)::timestamp at time zone 'UTC')
    order by found.number desc limit 1`.execute(db);
  return rows[0] ?? null;
}
