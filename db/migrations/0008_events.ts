import { sql, type Kysely } from 'kysely';

/**
 * Events for readers outside the engine. Each is written in the transaction of what it tells, so neither is there without the other. The outbox has no foreign
 * keys: rows outlive a call whose attempt was undone, and a parent's row is not locked for them. Frozen: a change is a new migration.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql.raw(schema).execute(db);
}

const schema = `
create sequence outbox_position;

create table outbox (
  id uuid primary key default new_id(),
  organization_id uuid not null,
  type text not null check (type <> ''),
  campaign_id uuid,
  recipient_id uuid,
  call_id uuid,
  data jsonb not null default '{}' check (jsonb_typeof(data) = 'object'),
  created_at timestamptz not null,
  -- Tells the order of rows of one call, recipient or campaign: they are written under its lock. Across them it tells nothing, since a transaction
  -- with a lower number may commit later.
  ordinal bigint generated always as identity,
  -- The place in the order that readers see, given after the commit; null until then.
  position bigint,
  subject_id uuid not null generated always as (coalesce(recipient_id, campaign_id, call_id, id)) stored,
  sequence bigint,
  constraint outbox_placed_with_sequence check ((position is null) = (sequence is null))
);
create index outbox_by_organization on outbox (organization_id, position) where position is not null;
create unique index outbox_by_subject on outbox (subject_id, sequence) where position is not null;
create index outbox_without_position on outbox (organization_id, ordinal) where position is null;

-- The numbers of subjects whose events are deleted: a campaign may be silent for longer than events are kept.
create table outbox_subjects (
  subject_id uuid primary key,
  campaign_id uuid not null references campaigns (id) on delete cascade,
  last_sequence bigint not null
);
create index outbox_subjects_by_campaign on outbox_subjects (campaign_id);

-- Organizations that read events over REST. One with a webhook endpoint needs no row.
create table event_readers (
  organization_id uuid primary key references organizations (id) on delete cascade,
  -- When it counts as a reader no longer, unless it reads again.
  reads_until timestamptz not null
);

create table webhook_endpoints (
  id uuid primary key default new_id(),
  organization_id uuid not null references organizations (id),
  url text not null check (url <> ''),
  -- Types of events, or only '*'.
  events text[] not null check (cardinality(events) > 0),
  description text not null default '',
  enabled boolean not null default true,
  -- 'gone' or 'failing' where the service disabled it.
  disabled_reason text,
  -- Signing needs the secret itself.
  secret text not null,
  previous_secret text,
  previous_secret_expires_at timestamptz,
  -- Since when nothing but failures came back.
  failing_since timestamptz,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  sends_since timestamptz,
  unique (organization_id, id),
  check (disabled_reason is null or not enabled),
  check ((previous_secret is null) = (previous_secret_expires_at is null))
);

create table webhook_deliveries (
  id uuid primary key default new_id(),
  organization_id uuid not null,
  endpoint_id uuid not null,
  -- No foreign key: old events are deleted in batches.
  event_id uuid not null,
  event_type text not null,
  subject_id uuid not null,
  position bigint not null,
  status text not null default 'pending' check (status in ('pending', 'delivered', 'failed')),
  attempts integer not null default 0 check (attempts >= 0),
  next_attempt_at timestamptz,
  -- A worker is sending it, and is dead if it has not said so by then.
  leased_until timestamptz,
  last_attempt_at timestamptz,
  response_status integer,
  error text,
  duration_ms integer,
  created_at timestamptz not null,
  delivered_at timestamptz,
  foreign key (organization_id, endpoint_id) references webhook_endpoints (organization_id, id) on delete cascade,
  check ((status = 'pending') = (next_attempt_at is not null)),
  check (status = 'pending' or leased_until is null)
) with (fillfactor = 70);
create index webhook_deliveries_due on webhook_deliveries (endpoint_id, next_attempt_at, position) where status = 'pending';
create index webhook_deliveries_in_order on webhook_deliveries (endpoint_id, subject_id, position) where status = 'pending';
create index webhook_deliveries_newest_first on webhook_deliveries (endpoint_id, id desc);
create index webhook_deliveries_of_event on webhook_deliveries (event_id, endpoint_id);
`;
