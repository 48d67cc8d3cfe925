import { sql, type Kysely } from 'kysely';

/**
 * What carries a call: an outbound or inbound telephone line, or a browser. A call in a browser has no number; `phone_number` is `web:` and its id.
 * Frozen: a change is a new migration.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db);
}

const statements = [
  `alter table calls add column kind text not null default 'phone_outbound'`,
  // Rows that are there have the default.
  `alter table calls add constraint calls_kind check (kind in ('phone_outbound', 'phone_inbound', 'web')) not valid`,
  // Where browsers reach a voice process, where that is not its url.
  `alter table voice_processes add column web_url text check (length(web_url) <= 2000)`,
  // A browser has come with the token of the call; nobody else may come with it.
  `alter table voice_calls add column connected_at timestamptz`,
];
