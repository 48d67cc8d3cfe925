import type { Attestation, GateGrounds, GateRelease, RecordingMode } from '@outdial/core';
import { type RawBuilder, type Selectable, sql } from 'kysely';
import type { CallTable } from '../schema/calls.ts';
import type { GateRefusalTable, PersonCheckJson } from '../schema/compliance.ts';
import type { Executor } from '../transaction.ts';
import type { CallKey, CampaignKey } from '../keys.ts';

/** A version of a scrub list, as it was imported. */
export interface ScrubVersion {
  source: string;
  account: string | null;
  jurisdiction: string | null;
  numbers: number;
  content_hash: string;
}

/** `gated_at` is null for a direct call that has not passed its gate, and `phone_number` is empty after an erasure. */
export interface ReceiptRecord extends Pick<
  Selectable<CallTable>,
  | 'agent_id'
  | 'campaign_id'
  | 'recipient_id'
  | 'attempt'
  | 'phone_number'
  | 'from_phone'
  | 'caller_id'
  | 'outcome'
  | 'external_status'
  | 'gated_at'
  | 'consent_id'
  | 'person_check'
  | 'scrub_check'
> {
  call_id: string;
  grounds: GateGrounds | null;
  /** The release whose gate decided. */
  release_id: string | null;
  release: GateRelease | null;
  /** Of the lists that were checked, by name. */
  scrub_versions: Record<string, ScrubVersion | null> | null;
  /** Of the caller id, when the gate decided. */
  attestation: Attestation | null;
  /** The version of the agent's prompt. Versions never change. */
  prompt: { created_at: string; sha256: string };
  /** Null if none was due, or if the call was not sent. */
  disclosure: { text: string; language: string; at: string } | null;
  disclosed_at: string | null;
  /** Null if no rule applied, or if the call was not sent. */
  recording: RecordingMode | null;
}

/** Of the lists that were checked for a call `c`, by name. */
export const scrubVersions: RawBuilder<unknown> = sql`(
  select jsonb_object_agg(s.name, to_jsonb(v)) from jsonb_each_text(c.scrub_check) s(name, at)
  left join lateral (
    select v.source, v.account, v.jurisdiction, v.numbers, encode(v.content_hash, 'hex') as content_hash
    from scrub_list_versions v
    where v.organization_id = c.organization_id and v.name = s.name and v.scrubbed_at = s.at::timestamptz
    order by v.completed_at <= c.gated_at desc, v.completed_at desc limit 1) v on true)`;

export async function findReceipt(
  db: Executor,
  { organizationId, callId }: CallKey,
): Promise<ReceiptRecord | null> {
  const { rows } = await sql<ReceiptRecord>`
    select c.id as call_id, c.agent_id, c.campaign_id, c.recipient_id, c.attempt, c.phone_number, c.from_phone, c.caller_id, c.outcome,
      c.external_status, c.gated_at, c.consent_id, g.content as grounds, g.release_id, v.content as release, c.person_check, c.scrub_check,
      ${scrubVersions} as scrub_versions,
      (select a.attestation from caller_id_attestations a
        where a.caller_id = c.caller_id and a.since <= c.gated_at order by a.since desc limit 1) as attestation,
      (select jsonb_build_object('created_at', p.created_at, 'sha256', encode(sha256(convert_to(p.prompt, 'UTF8')), 'hex'))
        from agent_prompts p where p.id = c.prompt_id) as prompt,
      jsonb_path_query_first(c.events, '$[*] ? (@.type == "disclosure")') as disclosure,
      jsonb_path_query_first(c.events, '$[*] ? (@.type == "disclosed").at') #>> '{}' as disclosed_at,
      jsonb_path_query_first(c.events, '$[*] ? (@.type == "recording_rule").mode') #>> '{}' as recording
    from calls c left join gate_grounds g on g.id = c.grounds_id and g.organization_id = c.organization_id
      left join gate_releases v on v.id = g.release_id
    where c.organization_id = ${organizationId} and c.id = ${callId} and c.kind = 'phone_outbound'`.execute(
    db,
  );
  const [record] = rows;
  return record ? { ...record, person_check: checkUnder(record.person_check, record.grounds) } : null;
}

/** The ids of calls that have a receipt, newest first. */
export async function listCallIdsOfPerson(
  db: Executor,
  { organizationId, phoneNumber, limit }: { organizationId: string; phoneNumber: string; limit: number },
): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select id from calls where organization_id = ${organizationId} and phone_number = ${phoneNumber} and kind = 'phone_outbound'
    order by created_at desc, id desc limit ${limit}`.execute(db);
  return rows.map((row) => row.id);
}

/**
 * The ledger of a person at a gate. For a person who had never been called, nothing is stored, so the check follows from the caps in the
 * grounds. An empty object means that there were no caps any more.
 */
function checkUnder(check: PersonCheckJson | null, grounds: GateGrounds | null): PersonCheckJson | null {
  if (check !== null) return Object.keys(check).length === 0 ? null : check;
  const caps = grounds?.person_caps;
  if (!caps) return null;
  return {
    ...(caps.calls && { calls: caps.calls.map((cap) => ({ ...cap, made: 0 })) }),
    ...(caps.gap_seconds != null && { gap_seconds: caps.gap_seconds }),
    ...(caps.after_conversation_hours != null && { after_conversation_hours: caps.after_conversation_hours }),
  };
}

/** How often gates refused a recipient, with the details of the last refusal. */
export interface RefusalRecord extends Pick<
  Selectable<GateRefusalTable>,
  'counts' | 'first_at' | 'last_at' | 'last_reason' | 'last_person_check'
> {
  last_grounds: GateGrounds | null;
}

/** Null if no gate has refused the recipient. */
export async function findRefusals(
  db: Executor,
  { organizationId, recipientId }: { organizationId: string; recipientId: string },
): Promise<RefusalRecord | null> {
  const { rows } = await sql<RefusalRecord>`
    select f.counts, f.first_at, f.last_at, f.last_reason, g.content as last_grounds, f.last_person_check
    from gate_refusals f left join gate_grounds g on g.id = f.last_grounds_id and g.organization_id = f.organization_id
    where f.organization_id = ${organizationId} and f.recipient_id = ${recipientId}`.execute(db);
  const [record] = rows;
  return record
    ? { ...record, last_person_check: checkUnder(record.last_person_check, record.last_grounds) }
    : null;
}

/** How many recipients of a campaign were refused, by the last condition and the names of the rules of their places. Null if there is no such campaign. */
export async function countRefusals(
  db: Executor,
  { organizationId, campaignId }: CampaignKey,
): Promise<{ now: Date; refused: Array<{ reason: string; rules: string[]; people: number }> } | null> {
  const { rows } = await sql<{ now: Date; reason: string | null; rules: string[]; people: number }>`
    select engine_now() as now, f.reason, coalesce(f.rules, '{}') as rules, f.people
    from campaigns c left join lateral (
      select by.last_reason as reason, g.names as rules, sum(by.people)::int as people
      from (
        select last_reason, last_grounds_id, count(*)::int as people from gate_refusals
        where organization_id = c.organization_id and campaign_id = c.id group by 1, 2) by
      left join lateral (
        select array(select distinct rule ->> 'name' from jsonb_array_elements(g.content -> 'rules') rule order by 1) as names
        from gate_grounds g where g.id = by.last_grounds_id and g.organization_id = c.organization_id) g on true
      group by 1, 2) f on true
    where c.organization_id = ${organizationId} and c.id = ${campaignId} and c.deleted_at is null
    order by f.people desc nulls last, f.reason, f.rules limit ${refusalsShown}`.execute(db);
  const [first] = rows;
  if (first === undefined) return null;
  const refused = rows.flatMap(({ reason, rules, people }) =>
    reason === null ? [] : [{ reason, rules, people }],
  );
  return { now: first.now, refused };
}

const refusalsShown = 200;
