import { sql } from 'kysely';
import type { Executor } from '../transaction.ts';
import type { CallKey } from '../keys.ts';

export interface VoiceProcessState {
  id: string;
  url: string;
  /** The address for browsers, if it differs. */
  webUrl: string | null;
  capacity: number;
  activeCalls: number;
  draining: boolean;
  endpointsDown: readonly string[];
}

/**
 * Saves the state of a voice process. Deletes processes that died an hour ago, and expired reservations. A process with reservations keeps its row,
 * because deleting the row would delete them too: after a long outage of Postgres, all processes but the first one to reconnect look dead.
 */
export async function saveVoiceHeartbeat(db: Executor, state: VoiceProcessState): Promise<void> {
  await sql`
    with gone as (
        delete from voice_processes p where seen_at < clock_timestamp() - interval '1 hour'
          and not exists (select from voice_calls v where v.process_id = p.id and v.expires_at > clock_timestamp())),
      expired as (delete from voice_calls where expires_at < clock_timestamp())
    insert into voice_processes (id, url, web_url, capacity, active_calls, draining, endpoints_down)
    values (${state.id}, ${state.url}, ${state.webUrl}, ${state.capacity}, ${state.activeCalls}, ${state.draining},
      ${[...state.endpointsDown]}::text[])
    on conflict (id) do update set url = excluded.url, web_url = excluded.web_url, capacity = excluded.capacity, active_calls = excluded.active_calls,
      draining = excluded.draining, endpoints_down = excluded.endpoints_down, seen_at = clock_timestamp()`.execute(
    db,
  );
}

export async function deleteVoiceProcess(db: Executor, id: string): Promise<void> {
  await sql`delete from voice_processes where id = ${id}`.execute(db);
}

/**
 * Processes that accept calls, with their free capacity: those that sent a heartbeat within ten seconds and are not draining. A call counts from its
 * placement to its end. `exceptCallId` does not count, because a repeated placement uses the capacity that is already reserved.
 */
const taking = (exceptCallId: string | null) => sql`
  select p.id, p.url, p.web_url, p.capacity, p.endpoints_down,
    (select count(*)::int from voice_calls v where v.process_id = p.id and v.expires_at > clock_timestamp()
       and v.call_id is distinct from ${exceptCallId}::uuid and not exists (select from calls c where c.id = v.call_id and c.phase = 'ended')) as taken
  from voice_processes p
  where p.seen_at > clock_timestamp() - interval '10 seconds' and not p.draining`;

/** Leaves out processes for which all endpoints of one choice are down. `choices` is an array of arrays of names. */
const reaching = (choices: string) => sql`
  select t.* from taking t where not exists (
    select from jsonb_array_elements(${choices}::jsonb) choice
    where choice <@ to_jsonb(t.endpoints_down) and jsonb_array_length(choice) > 0)`;

/** The percentage of the capacity that is reserved for organizations with less than an equal share. */
const percentReserved = 10;

/**
 * The capacity that is reserved for other organizations: a tenth, once this one has an equal share or more. So every other organization soon gets
 * capacity, and organizations that always want more converge to equal shares. The only organization of an installation may use all of it.
 */
const reservedForOthers = (organizationId: string, exceptCallId: string | null) => sql`
  held as (
    select c.organization_id, count(*)::int as calls from voice_calls v join calls c on c.id = v.call_id
    where v.process_id in (select id from taking) and v.expires_at > clock_timestamp() and c.phase <> 'ended'
      and v.call_id is distinct from ${exceptCallId}::uuid
    group by c.organization_id),
  places as (
    select coalesce(sum(capacity), 0)::int as together, coalesce(sum(greatest(capacity - taken, 0)), 0)::int as free,
      (select coalesce(sum(calls), 0)::int from held where organization_id = ${organizationId}) as own,
      (select count(*)::int from held where organization_id <> ${organizationId}) as others
    from taking),
  kept as (
    select case
      when own * greatest(2, others + 1) >= together and exists (select from organizations where id <> ${organizationId})
      then together * ${percentReserved}::int / 100 else 0 end as places, free
    from places)`;

export type ChosenVoiceProcess =
  | { kind: 'chosen'; url: string; webUrl: string }
  /** No process is alive, all are full, or none can reach a model that the agent uses. */
  | { kind: 'none'; reason: 'no_voice_process' | 'voice_processes_full' | 'voice_endpoint_down' };

/** Reserves capacity for a call on the process with the most free capacity. `endpoints` has a list for each model: the endpoint and its fallbacks. */
export async function chooseVoiceProcess(
  db: Executor,
  args: CallKey & { endpoints: ReadonlyArray<readonly string[]>; reservedForSeconds: number },
): Promise<ChosenVoiceProcess> {
  const { rows } = await sql<{ alive: number; reaching: number; url: string | null; web_url: string | null }>`
    with taking as materialized (${taking(args.callId)}),
      reaching as (${reaching(JSON.stringify(args.endpoints))}), ${reservedForOthers(args.organizationId, args.callId)},
      chosen as (
        select id, url, coalesce(web_url, url) as web_url from reaching
        where taken < capacity and (select free > places from kept) order by taken::float / capacity, random() limit 1),
      taken as (
        insert into voice_calls (call_id, process_id, expires_at)
        select ${args.callId}, id, clock_timestamp() + ${args.reservedForSeconds} * interval '1 second' from chosen
        on conflict (call_id) do update set process_id = excluded.process_id, expires_at = excluded.expires_at)
    select (select count(*)::int from taking) as alive, (select count(*)::int from reaching) as reaching,
      (select url from chosen) as url, (select web_url from chosen) as web_url`.execute(db);
  const row = rows[0];
  if (row?.url != null) return { kind: 'chosen', url: row.url, webUrl: row.web_url ?? row.url };
  if (!row || row.alive === 0) return { kind: 'none', reason: 'no_voice_process' };
  return { kind: 'none', reason: row.reaching === 0 ? 'voice_endpoint_down' : 'voice_processes_full' };
}

/** How many more calls of an organization the voice processes can take. */
export async function readVoiceCapacity(
  db: Executor,
  { organizationId, endpoints }: { organizationId: string; endpoints: ReadonlyArray<readonly string[]> },
): Promise<number> {
  const { rows } = await sql<{ free: number }>`
    with taking as materialized (${taking(null)}), reaching as (${reaching(JSON.stringify(endpoints))}),
      ${reservedForOthers(organizationId, null)}
    select greatest(least(coalesce(sum(greatest(capacity - taken, 0)), 0), (select free - places from kept)), 0)::int as free
    from reaching`.execute(db);
  return rows[0]?.free ?? 0;
}

/**
 * Reserves capacity for a call on the process that answered it, for the longest call and a minute. The reservation of the placement may have expired,
 * because carriers queue calls before they dial.
 */
export async function reserveVoiceCall(
  db: Executor,
  args: { callId: string; processId: string; longestSeconds: number },
): Promise<void> {
  await sql`
    insert into voice_calls (call_id, process_id, expires_at, connected_at)
    select ${args.callId}, id, clock_timestamp() + ${args.longestSeconds + 60} * interval '1 second', clock_timestamp()
    from voice_processes where id = ${args.processId}
    on conflict (call_id) do update set process_id = excluded.process_id, expires_at = excluded.expires_at`.execute(
    db,
  );
}

/** Releases the capacity of a call that is over or was never placed. */
export async function releaseVoiceCall(db: Executor, callId: string): Promise<void> {
  await sql`delete from voice_calls where call_id = ${callId}`.execute(db);
}

/** Calls on a process. `rings`: no answer is known. */
export async function listReservedVoiceCalls(
  db: Executor,
  processId: string,
): Promise<Array<{ callId: string; organizationId: string; rings: boolean }>> {
  const { rows } = await sql<{ callId: string; organizationId: string; rings: boolean }>`
    select v.call_id as "callId", c.organization_id as "organizationId", c.phase <> 'answered' as rings
    from voice_calls v join calls c on c.id = v.call_id
    where v.process_id = ${processId} and v.expires_at > clock_timestamp() and c.phase <> 'ended'`.execute(
    db,
  );
  return rows;
}
