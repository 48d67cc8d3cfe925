import { sql, type Kysely } from 'kysely';

/**
 * How many numbers of scrub lists and how many changes of numbers an organization has, so that a limit can be checked without counting millions of rows.
 * Frozen: a change is a new migration.
 *
 * The triggers come by name after those that wait for gates, so an import takes the row of its count after the lock of the gates.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db);
}

const statements = [
  `create table compliance_rows_held (
     organization_id uuid not null references organizations (id),
     relation text not null,
     held integer not null,
     primary key (organization_id, relation)
   )`,
  // In the order of the organizations, so that two sweeps do not wait for each other.
  `create function count_compliance_rows() returns trigger language plpgsql as $$
   begin
     insert into compliance_rows_held as h (organization_id, relation, held)
     select organization_id, tg_table_name, tg_argv[0]::integer * count(*) from changed group by 1 order by 1
     on conflict (organization_id, relation) do update set held = h.held + excluded.held;
     return null;
   end $$`,
  ...['scrub_list_numbers', 'number_changes'].flatMap((relation) => {
    const name = relation.replace('_list', '');
    return [
      `create trigger ${name}_counted after insert on ${relation} referencing new table as changed
         for each statement execute function count_compliance_rows('1')`,
      `create trigger ${name}_discounted after delete on ${relation} referencing old table as changed
         for each statement execute function count_compliance_rows('-1')`,
      `insert into compliance_rows_held (organization_id, relation, held)
         select organization_id, '${relation}', count(*) from ${relation} group by 1`,
    ];
  }),
];
