import type { Attestation, GateGrounds, GateRelease, Outcome, RecordingMode } from '@outdial/core';
import { sql } from 'kysely';
import type { PersonCheckJson } from '../schema/compliance.ts';
import type { Executor } from '../transaction.ts';

/** A version of a scrub list, as it was imported. */
export interface ScrubVersion {
  source: string;
  account: string | null;
  jurisdiction: string | null;
  numbers: number;
  content_hash: string;
}

export interface ReceiptRecord {
  callId: string;
  agentId: string;
  campaignId: string | null;
  recipientId: string | null;
  attempt: number;
  /** Empty after an erasure. */
  phoneNumber: string;
  fromPhone: string | null;
  /** If the call used one of the organization's caller ids. */
  callerId: string | null;
  outcome: Outcome | null;
  /** From the provider, or from the engine if it ended the call. */
  externalStatus: string | null;
  /** Null for a direct call that has not passed its gate. */
  gatedAt: Date | null;
  consentId: string | null;
  grounds: GateGrounds | null;
  /** The release whose gate decided. */
  releaseId: string | null;
  release: GateRelease | null;
  personCheck: PersonCheckJson | null;
  /** The version of each scrub list that the gate checked; null if it needed none. */
  scrubCheck: Record<string, string | null> | null;
  /** Of the lists that were checked, by name. */
  scrubVersions: Record<string, ScrubVersion | null> | null;
  /** Of the caller id, when the gate decided. */
  attestation: Attestation | null;
  /** The version of the agent's prompt. Versions never change. */
  prompt: { created_at: string; sha256: string };
  /** Null if none was due, or if the call was not sent. */
  disclosure: { text: string; language: string; at: string } | null;
  disclosedAt: string | null;
  /** Null if no rule applied, or if the call was not sent. */
  recording: RecordingMode | null;
}

export async function findReceipt(
  db: Executor,
  { organizationId, callId }: { organizationId: string; callId: string },
): Promise<ReceiptRecord | null> {
  const { rows } = await sql<ReceiptRecord>`
    select c.id as "callId", c.agent_id as "agentId", c.campaign_id as "campaignId", c.recipient_id as "recipientId", c.attempt,
      c.phone_number as "phoneNumber", c.from_phone as "fromPhone", c.caller_id as "callerId", c.outcome, c.external_status as "externalStatus", c.gated_at as "gatedAt",
      c.consent_id as "consentId", g.content as grounds, g.release_id as "releaseId", v.content as release, c.person_check as "personCheck",
      c.scrub_check as "scrubCheck",
      (select jsonb_object_agg(s.name, to_jsonb(v)) from jsonb_each_text(c.scrub_check) s(name, at)
        left join lateral (
          select v.source, v.account, v.jurisdiction, v.numbers, encode(v.content_hash, 'hex') as content_hash
          from scrub_list_versions v
          where v.organization_id = c.organization_id and v.name = s.name and v.scrubbed_at = s.at::timestamptz
          order by v.completed_at <= c.gated_at desc, v.completed_at desc limit 1) v on true) as "scrubVersions",
      (select a.attestation from caller_id_attestations a
        where a.caller_id = c.caller_id and a.since <= c.gated_at order by a.since desc limit 1) as attestation,
      (select jsonb_build_object('created_at', p.created_at, 'sha256', encode(sha256(convert_to(p.prompt, 'UTF8')), 'hex'))
        from agent_prompts p where p.id = c.prompt_id) as prompt,
      jsonb_path_query_first(c.events, '$[*] ? (@.type == "disclosure")') as disclosure,
      jsonb_path_query_first(c.events, '$[*] ? (@.type == "disclosed").at') #>> '{}' as "disclosedAt",
      jsonb_path_query_first(c.events, '$[*] ? (@.type == "recording_rule").mode') #>> '{}' as recording
    from calls c left join gate_grounds g on g.id = c.grounds_id and g.organization_id = c.organization_id
      left join gate_releases v on v.id = g.release_id
    where c.organization_id = ${organizationId} and c.id = ${callId} and c.kind = 'phone_outbound'`.execute(
    db,
  );
  const [record] = rows;
  return record ? { ...record, personCheck: checkUnder(record.personCheck, record.grounds) } : null;
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
export interface RefusalRecord {
  counts: Record<string, number>;
  firstAt: Date;
  lastAt: Date;
  lastReason: string;
  lastGrounds: GateGrounds | null;
  lastPersonCheck: PersonCheckJson | null;
}

/** Null if no gate has refused the recipient. */
export async function findRefusals(
  db: Executor,
  { organizationId, recipientId }: { organizationId: string; recipientId: string },
): Promise<RefusalRecord | null> {
  const { rows } = await sql<RefusalRecord>`
    select f.counts, f.first_at as "firstAt", f.last_at as "lastAt", f.last_reason as "lastReason", g.content as "lastGrounds",
      f.last_person_check as "lastPersonCheck"
    from gate_refusals f left join gate_grounds g on g.id = f.last_grounds_id and g.organization_id = f.organization_id
    where f.organization_id = ${organizationId} and f.recipient_id = ${recipientId}`.execute(db);
  const [record] = rows;
  return record
    ? { ...record, lastPersonCheck: checkUnder(record.lastPersonCheck, record.lastGrounds) }
    : null;
}

/** How many recipients of a campaign were refused, by the last condition and the names of the rules of their places. Null if there is no such campaign. */
export async function countRefusals(
  db: Executor,
  { organizationId, campaignId }: { organizationId: string; campaignId: string },
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
