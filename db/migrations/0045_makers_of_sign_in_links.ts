import { sql, type Kysely } from 'kysely';

/**
 * Who made a sign-in link, and with which key: it is good no longer than they are. Null for an operator of the command line, and for
 * the links of earlier versions, which end within seven days.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db);
}

const statements = [
  `alter table sign_in_links
     add column created_by uuid,
     add column api_key_id uuid references api_keys (id) on delete cascade,
     add foreign key (organization_id, created_by) references users (organization_id, id) on delete cascade`,
  `create index sign_in_links_by_maker on sign_in_links (organization_id, created_by) where created_by is not null`,
  `create index sign_in_links_of_key on sign_in_links (api_key_id) where api_key_id is not null`,
];
