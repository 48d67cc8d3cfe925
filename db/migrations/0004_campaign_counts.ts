import { sql, type Kysely } from 'kysely';

/**
 * How many recipients of a campaign are in which state, kept so that reading it costs the same for ten recipients and for a million.
 * Frozen: a change is a new migration.
 *
 * Every statement that changes recipients appends one row for each campaign that it changed, with the differences, in its own
 * transaction: no row is shared, so nobody waits. A sweep adds the differences to `campaign_counts`; a reader adds both in one
 * snapshot. Rows that are claimed count as what they were before: a claim is no call yet, and most changes then cost two rows.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db);
}

const outcomes = [
  'completed',
  'no_answer',
  'busy',
  'rejected',
  'voicemail',
  'failed',
  'invalid_number',
  'canceled',
  'unknown',
];

const open = `state in ('pending', 'claimed') and not (state = 'claimed' and withdrawn_at is not null)`;

/** Each recipient is in exactly one of the first seven. */
const counted: Record<string, string> = {
  waiting: `${open} and last_outcome is null`,
  retrying: `${open} and last_outcome is not null`,
  in_call: `state = 'dialing'`,
  reached: `state = 'done' and last_outcome = 'completed'`,
  unreached: `state = 'done' and last_outcome is distinct from 'completed'`,
  suppressed: `state = 'suppressed'`,
  withdrawn: `state = 'withdrawn' or (state = 'claimed' and withdrawn_at is not null)`,
  ...Object.fromEntries(outcomes.map((outcome) => [`last_${outcome}`, `last_outcome = '${outcome}'`])),
};
const names = Object.keys(counted);

const columns = [...names, 'dials'].map((name) => `${name} integer not null default 0`).join(', ');
const read = 'campaign_id, state, last_outcome, withdrawn_at, attempts';
const differences = (rows: string) => `
  select campaign_id,
    ${Object.entries(counted)
      .map(([name, holds]) => `coalesce(sum(sign) filter (where ${holds}), 0)::int as ${name}`)
      .join(',\n    ')},
    sum(sign * attempts)::int as dials
  from (${rows}) changed group by campaign_id`;

const record = (rows: string) => `
  insert into campaign_count_changes (campaign_id, ${names.join(', ')}, dials, dialed_at)
  select campaign_id, ${names.join(', ')}, dials, case when dials > 0 then engine_now() end
  from (${differences(rows)}) of_campaign
  where (${[...names, 'dials'].join(', ')}) <> (${[...names, 'dials'].map(() => '0').join(', ')});`;

const trigger = (name: string, on: string, tables: string, rows: string, unless = '') => [
  `create function ${name}() returns trigger language plpgsql as $$ begin ${unless} ${record(rows)} return null; end $$`,
  `create trigger ${name} after ${on} on campaign_recipients referencing ${tables}
     for each statement execute function ${name}()`,
];

const added = `select ${read}, 1 as sign from added`;
const removed = `select ${read}, -1 as sign from removed`;

const statements = [
  `create table campaign_counts (
     campaign_id uuid primary key,
     ${columns},
     first_dial_at timestamptz,
     last_dial_at timestamptz,
     changed_at timestamptz not null default engine_now(),
     -- When the numbers were last compared with the recipients.
     proven_at timestamptz
   ) with (fillfactor = 50)`,
  `create table campaign_count_changes (
     id bigint generated always as identity primary key,
     campaign_id uuid not null,
     ${columns},
     dialed_at timestamptz
   ) with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 2000, autovacuum_vacuum_insert_scale_factor = 0,
           autovacuum_vacuum_insert_threshold = 10000, autovacuum_analyze_scale_factor = 0, autovacuum_analyze_threshold = 100000)`,
  `create index campaign_count_changes_by_campaign on campaign_count_changes (campaign_id)`,
  // What is already there; the triggers count from here on. Nothing changes in between: this holds the table.
  `lock table campaign_recipients in share row exclusive mode`,
  `insert into campaign_counts (campaign_id, ${names.join(', ')}, dials, first_dial_at)
   select r.*, (select min(f.first_attempt_at) from campaign_recipients f where f.campaign_id = r.campaign_id)
   from (${differences(`select ${read}, 1 as sign from campaign_recipients`)}) r`,
  `update campaign_counts k set first_dial_at = c.first_at, last_dial_at = c.last_at
   from (select campaign_id, min(created_at) as first_at, max(created_at) as last_at from calls
         where campaign_id is not null group by campaign_id) c
   where c.campaign_id = k.campaign_id`,
  ...trigger('count_recipients_added', 'insert', 'new table as added', added),
  ...trigger('count_recipients_removed', 'delete', 'old table as removed', removed),
  ...trigger(
    'count_recipients_changed',
    'update',
    'old table as removed new table as added',
    `${added} union all ${removed}`,
    // A claim changes nothing that is counted, and is a third of all statements.
    `if not exists (select from added where state <> 'claimed' or withdrawn_at is not null) then return null; end if;`,
  ),
];
