import { sql, type Kysely } from 'kysely';

/**
 * A scrub list has a jurisdiction and the age that its law allows; and counts of its numbers, so that a version that is empty or much smaller than the one
 * before can be refused. Frozen: a change is a new migration.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db);
}

const statements = [
  `alter table scrub_lists
     add column jurisdiction text,
     add column good_for_days int not null default 31 check (good_for_days > 0),
     -- Of the newest complete version.
     add column numbers bigint,
     -- The version that parts were last sent of, and its numbers so far.
     add column part_of timestamptz,
     add column part_numbers bigint not null default 0`,
  `update scrub_lists l
   set part_of = l.scrubbed_at, (numbers, part_numbers) = (
     select count(*), count(*) from scrub_list_numbers n where n.scrub_list_id = l.id and n.scrubbed_at >= l.scrubbed_at)
   where l.scrubbed_at is not null and l.removed_at is null`,
];
