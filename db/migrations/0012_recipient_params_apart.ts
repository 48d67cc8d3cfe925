import { sql, type Kysely } from 'kysely';

/**
 * What a campaign says about its recipients may be sixty megabytes, which no list of campaigns should read. It is text of JSON in a column
 * of its own, not compressed, so that a part of it can be read without the rest; `list_revision` tells a reader in between that it changed.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of [
    `alter table campaigns add column recipient_params bytea, add column list_revision integer not null default 0`,
    `alter table campaigns alter column recipient_params set storage external`,
    `update campaigns
     set recipient_params = convert_to((additional_params -> 'recipients')::text, 'UTF8'),
         additional_params = additional_params - 'recipients'
     where jsonb_typeof(additional_params -> 'recipients') = 'object'`,
  ]) {
    await sql.raw(statement).execute(db);
  }
}
