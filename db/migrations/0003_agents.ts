import { sql, type Kysely } from 'kysely';

/**
 * Agents, their skills and the versions of their prompts. Frozen: a change is a new migration.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql.raw(schema).execute(db);
}

const schema = `
create table agents (
  id uuid primary key default new_id(),
  organization_id uuid not null references organizations (id),
  name text not null check (name <> ''),
  config jsonb not null default '{}' check (jsonb_typeof(config) = 'object'),
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  deleted_at timestamptz,
  unique (organization_id, id)
);
create index agents_newest_first on agents (organization_id, created_at desc, id desc);

create table agent_skills (
  id uuid primary key default new_id(),
  organization_id uuid not null,
  agent_id uuid not null,
  type text not null check (type <> ''),
  exec_order text not null,
  enabled boolean not null default true,
  config jsonb not null default '{}' check (jsonb_typeof(config) = 'object'),
  created_at timestamptz not null default now(),
  foreign key (organization_id, agent_id) references agents (organization_id, id)
);
create index agent_skills_by_agent on agent_skills (agent_id, exec_order);

-- Prompts are never changed: a new version is a new row, and a call keeps the one it was made with.
create table agent_prompts (
  id bigint primary key generated always as identity,
  organization_id uuid not null,
  agent_id uuid not null,
  level integer not null,
  prompt text not null,
  explanation text not null default '',
  mitigation text not null default '',
  harmful_intents jsonb not null default '[]' check (jsonb_typeof(harmful_intents) = 'array'),
  created_at timestamptz not null default now(),
  unique (organization_id, agent_id, id),
  foreign key (organization_id, agent_id) references agents (organization_id, id)
);
`;
