import type { Db } from '@outdial/db';
import { sql } from 'kysely';

/**
 * Partitions `calls` and `campaign_recipients` as a later migration would, on the current schema, with its rows and for the current statements. The
 * existing tables become the first partitions, so no row is rewritten.
 *
 * - `calls` by range of `id`. Ids are UUIDs of version 7 (RFC 9562), whose first 48 bits are milliseconds. So a range of ids is a range of time, the
 *   primary key remains `id`, and a look-up by id reads one partition.
 * - `campaign_recipients` by range of `campaign_id`, for the same reason.
 * - With `tenantParts`, each new partition of `calls` is divided again by a hash of `organization_id`.
 * - `live_calls` has one row for each call in progress, for the constraints that must hold over all partitions.
 */
export async function partitionTables(db: Db, args: PartitionArgs): Promise<void> {
  for (const statement of statements(args)) await sql.raw(statement).execute(db);
}

export interface PartitionArgs {
  now: Date;
  /** The days for which partitions of calls are created. */
  days: number;
  tenantParts: number;
  /**
   * The parts of each new partition of recipients, by a hash of the campaign. With more than one, a statement must name the campaign besides the `ctid`,
   * because a `ctid` is only unique within one partition (docs/performance/appendix.md).
   */
  recipientParts: number;
}

const dayMs = 86_400_000;

/** The lowest id that can be generated at an instant. */
export function lowestIdAt(at: Date): string {
  const hex = at.getTime().toString(16).padStart(12, '0');
  return `${hex.slice(0, 8)}-${hex.slice(8)}-0000-0000-000000000000`;
}

/** The indexes that need not be unique over all partitions, as today. `live_calls` enforces uniqueness. */
const callIndexes = {
  calls_attempts: 'calls (recipient_id, attempt) where recipient_id is not null',
  calls_queued: `calls (provider, created_at) where queue_deadline_at is not null`,
  calls_by_agent: 'calls (organization_id, agent_id, created_at desc, id desc)',
  calls_live_numbers: `calls (organization_id, phone_number) where line_held`,
};

const recipientIndexes = {
  campaign_recipients_due: `campaign_recipients (campaign_id, calling_key, next_attempt_at, position) where state = 'pending'`,
  campaign_recipients_in_hand: `campaign_recipients (campaign_id) where state = 'dialing'`,
};

function statements(args: PartitionArgs): string[] {
  const { now, days, tenantParts, recipientParts } = args;
  // Rows with earlier ids stay in the old table. A real migration would allow a day for its preparation; here the cut is a moment ago.
  const cut = lowestIdAt(now);
  return [
    ...recipients(cut, recipientParts),
    ...calls(),
    `alter table calls attach partition calls_before for values from (minvalue) to ('${cut}')`,
    ...Array.from({ length: days }, (_, n) => callsOfDay(n, now, tenantParts)).flat(),
    ...Object.entries(callIndexes).map(([name, on]) => `create index ${name} on ${on}`),
    ...liveCalls,
  ];
}

function recipients(cut: string, parts: number): string[] {
  return [
    `alter table calls drop constraint calls_organization_id_campaign_id_recipient_id_fkey`,
    `alter table campaign_recipients rename to campaign_recipients_before`,
    `alter index campaign_recipients_pkey rename to campaign_recipients_before_pkey`,
    `alter index campaign_recipients_campaign_id_phone_number_key rename to campaign_recipients_before_number_key`,
    ...Object.keys(recipientIndexes).map((name) => `alter index ${name} rename to ${name}_before`),
    `create table campaign_recipients (like campaign_recipients_before including defaults including constraints,
       primary key (organization_id, campaign_id, id), unique (campaign_id, phone_number),
       foreign key (organization_id, campaign_id) references campaigns (organization_id, id))
     partition by range (campaign_id)`,
    `alter table campaign_recipients attach partition campaign_recipients_before for values from (minvalue) to ('${cut}')`,
    ...recipientsAfter(cut, parts),
    ...Object.entries(recipientIndexes).map(([name, on]) => `create index ${name} on ${on}`),
  ];
}

function recipientsAfter(cut: string, parts: number): string[] {
  const table = `create table campaign_recipients_after partition of campaign_recipients
    for values from ('${cut}') to (maxvalue)`;
  if (parts === 1) return [`${table} with (fillfactor = 80)`];
  return [
    `${table} partition by hash (campaign_id)`,
    ...Array.from(
      { length: parts },
      (_, n) => `create table campaign_recipients_after_${n} partition of campaign_recipients_after
        for values with (modulus ${parts}, remainder ${n}) with (fillfactor = 80)`,
    ),
  ];
}

function calls(): string[] {
  return [
    `alter table calls rename to calls_before`,
    `alter index calls_pkey rename to calls_before_pkey`,
    ...['calls_one_live_per_recipient', 'calls_one_live_per_number', 'calls_attempts'].map(
      (name) => `drop index ${name}`,
    ),
    ...['calls_queued', 'calls_by_agent'].map((name) => `alter index ${name} rename to ${name}_before`),
    `create table calls (like calls_before including defaults including constraints,
       foreign key (organization_id, agent_id) references agents (organization_id, id),
       foreign key (organization_id, agent_id, prompt_id) references agent_prompts (organization_id, agent_id, id),
       foreign key (organization_id, campaign_id, recipient_id)
         references campaign_recipients (organization_id, campaign_id, id),
       foreign key (organization_id, created_by) references users (organization_id, id))
     partition by range (id)`,
  ];
}

function callsOfDay(n: number, now: Date, tenantParts: number): string[] {
  const from = n === 0 ? `'${lowestIdAt(now)}'` : `'${lowestIdAt(new Date(now.getTime() + n * dayMs))}'`;
  const to = `'${lowestIdAt(new Date(now.getTime() + (n + 1) * dayMs))}'`;
  const bounds = `partition of calls for values from (${from}) to (${to})`;
  if (tenantParts === 1) {
    return [
      `create table calls_day_${n} ${bounds} with (fillfactor = 70)`,
      `alter table calls_day_${n} add primary key (id)`,
    ];
  }
  return [
    `create table calls_day_${n} ${bounds} partition by hash (organization_id)`,
    ...Array.from({ length: tenantParts }, (_, part) => [
      `create table calls_day_${n}_${part} partition of calls_day_${n}
         for values with (modulus ${tenantParts}, remainder ${part}) with (fillfactor = 70)`,
      `alter table calls_day_${n}_${part} add primary key (id)`,
    ]).flat(),
  ];
}

/**
 * One row for each call in progress. A second live call of a recipient or a number is not inserted, as with `on conflict do nothing` on today's
 * unique indexes. A queued call that would become the second one raises an error, as today.
 */
const liveCalls = [
  `create table live_calls (
     organization_id uuid not null,
     phone_number text not null,
     call_id uuid not null unique,
     recipient_id uuid unique,
     primary key (organization_id, phone_number)) with (fillfactor = 70)`,
  `insert into live_calls select organization_id, phone_number, id, recipient_id from calls
     where line_held`,
  `create function keep_live_call() returns trigger language plpgsql as $$
   begin
     if tg_op = 'INSERT' then
       insert into live_calls values (new.organization_id, new.phone_number, new.id, new.recipient_id)
         on conflict do nothing;
       if not found then return null; end if;
     elsif new.phase in ('ended', 'queued') then
       delete from live_calls where call_id = new.id;
     else
       insert into live_calls values (new.organization_id, new.phone_number, new.id, new.recipient_id);
     end if;
     return new;
   end $$`,
  `create function forget_live_call() returns trigger language plpgsql as $$
   begin
     delete from live_calls where call_id = old.id;
     return null;
   end $$`,
  `create trigger live_calls_begin before insert on calls for each row
     when (new.line_held) execute function keep_live_call()`,
  // Only the transitions into and out of a live phase matter.
  `create trigger live_calls_change before update of phase on calls for each row
     when ((old.phase in ('queued', 'ended')) <> (new.phase in ('queued', 'ended'))) execute function keep_live_call()`,
  `create trigger live_calls_gone after delete on calls for each row
     when (old.line_held) execute function forget_live_call()`,
];
