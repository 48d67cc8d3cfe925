import { sql, type Kysely } from 'kysely';

/**
 * Who is signed in at the console, and the one-time links that sign somebody in. Of both tokens only the SHA-256 is kept.
 * Frozen: a change is a new migration.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db);
}

const statements = [
  `create table console_sessions (
     id uuid primary key default new_id(),
     token_hash bytea not null unique,
     organization_id uuid not null,
     user_id uuid not null,
     -- What the session may do at most: the lesser of this and the user's role.
     role text not null check (role in ('viewer', 'member', 'manager', 'admin')),
     -- The key that it was signed in with, and ends with.
     api_key_id uuid references api_keys (id) on delete cascade,
     created_at timestamptz not null,
     last_seen_at timestamptz not null,
     expires_at timestamptz not null,
     foreign key (organization_id, user_id) references users (organization_id, id) on delete cascade
   )`,
  `create index console_sessions_of_user on console_sessions (organization_id, user_id, created_at)`,
  `create index console_sessions_of_key on console_sessions (api_key_id) where api_key_id is not null`,
  `create index console_sessions_expiring on console_sessions (expires_at)`,
  // A link is deleted when it is used.
  `create table sign_in_links (
     token_hash bytea primary key,
     organization_id uuid not null,
     user_id uuid not null,
     created_at timestamptz not null,
     expires_at timestamptz not null,
     foreign key (organization_id, user_id) references users (organization_id, id) on delete cascade
   )`,
  `create index sign_in_links_of_user on sign_in_links (organization_id, user_id)`,
  // An identity provider names people by their e-mail address.
  `create index users_by_email on users (lower(email))`,
  `create index sign_in_links_expiring on sign_in_links (expires_at)`,
];
