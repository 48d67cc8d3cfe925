import { sql, type Kysely } from 'kysely';

/**
 * Webhook endpoints, what is sent to them, and the order in which the outbox is read.
 * Frozen: a change is a new migration.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db);
}

const statements = [
  // What an event is about: events of one subject are numbered without a gap, and sent in that order.
  `alter table outbox
     add column subject_id uuid not null generated always as (coalesce(recipient_id, campaign_id, call_id, id)) stored,
     add column sequence bigint,
     add constraint outbox_placed_with_sequence check ((position is null) = (sequence is null))`,
  `create sequence outbox_position`,
  `create index outbox_by_organization on outbox (organization_id, position) where position is not null`,
  `create unique index outbox_by_subject on outbox (subject_id, sequence) where position is not null`,

  // The numbers of subjects whose events are deleted: a campaign may be silent for longer than events are kept.
  `create table outbox_subjects (
     subject_id uuid primary key,
     campaign_id uuid not null references campaigns (id) on delete cascade,
     last_sequence bigint not null
   )`,
  `create index outbox_subjects_by_campaign on outbox_subjects (campaign_id)`,

  `create table webhook_endpoints (
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
     unique (organization_id, id),
     check (disabled_reason is null or not enabled),
     check ((previous_secret is null) = (previous_secret_expires_at is null))
   )`,

  `create table webhook_deliveries (
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
   ) with (fillfactor = 70)`,
  `create index webhook_deliveries_due on webhook_deliveries (endpoint_id, next_attempt_at, position)
     where status = 'pending'`,
  `create index webhook_deliveries_in_order on webhook_deliveries (endpoint_id, subject_id, position)
     where status = 'pending'`,
  `create index webhook_deliveries_newest_first on webhook_deliveries (endpoint_id, id desc)`,
  `create index webhook_deliveries_of_event on webhook_deliveries (event_id, endpoint_id)`,

  // Documents become ready or fail in several statements, and numbers are suppressed in several ways: triggers tell of all of them.
  `create function tell_of_documents() returns trigger language plpgsql as $$
   begin
     insert into outbox (organization_id, type, data, created_at)
     select i.organization_id, 'knowledge_base_item.' || new.status, jsonb_strip_nulls(jsonb_build_object(
       'knowledge_base_id', i.knowledge_base_id, 'item_id', i.id, 'name', i.name, 'status', new.status, 'error', new.error)),
       engine_now()
     from knowledge_base_items i
     where i.organization_id = new.organization_id and i.knowledge_base_id = new.knowledge_base_id
       and i.document_id = new.id;
     return null;
   end $$`,
  `create trigger knowledge_base_documents_tell after update of status on knowledge_base_documents
     for each row when (new.status in ('ready', 'failed') and new.status <> old.status) execute function tell_of_documents()`,
  `create function tell_of_suppressions() returns trigger language plpgsql as $$
   begin
     insert into outbox (organization_id, type, data, created_at)
     select organization_id, 'suppression.added', jsonb_strip_nulls(jsonb_build_object(
       'phone_number', phone_number, 'reason', reason)), engine_now()
     from added;
     return null;
   end $$`,
  `create trigger suppressions_tell after insert on suppressions referencing new table as added
     for each statement execute function tell_of_suppressions()`,
];
