import { sql, type Kysely } from 'kysely';

/**
 * Calls that people make to a caller id: the agent that answers those whom no agent has called, and calls that no user has begun.
 * Frozen: a change is a new migration.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db);
}

const statements = [
  `alter table caller_ids add column agent_id uuid,
     add constraint caller_ids_agent foreign key (organization_id, agent_id) references agents (organization_id, id)`,
  // Whose number it is that somebody calls.
  `create index caller_ids_by_number on caller_ids (phone_number)`,
  `alter table calls alter column created_by drop not null`,
];
