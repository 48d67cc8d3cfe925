import { sql, type RawBuilder } from 'kysely';

/**
 * Every advisory lock of the service, in the order in which a transaction takes them. All are held until the transaction ends, except that of
 * migrations, which a session holds. Postgres queues them fairly, so a change waits only for transactions that came before it; row locks are not fair.
 * The table in docs/locks.md is generated from this file. Triggers take `lineCaps`, `installationRules` and `dialingRules` by their numbers.
 */
interface Uses {
  /** What the lock protects. */
  readonly of: string;
  /** Who takes it in share mode; empty if no transaction does. */
  readonly shared: string;
  /** Who takes it alone. */
  readonly alone: string;
  /** Where it stands in the order of locks: before or after those of rows. Locks outside the order are the only ones of their kind in a transaction. */
  readonly order: 'before rows' | 'after rows' | 'outside';
}

/** Both keys of an advisory lock, each a 32-bit integer. */
interface Lock<Args extends unknown[]> extends Uses {
  /** The first key. */
  readonly number: number;
  /** What the second key is made of. */
  readonly by: string;
  readonly keys: (...args: Args) => RawBuilder<unknown>;
  /** Expressions that wait for the lock. */
  readonly share: (...args: Args) => RawBuilder<unknown>;
  readonly take: (...args: Args) => RawBuilder<unknown>;
  /** Expressions that take the lock, or are false at once. */
  readonly tryShare: (...args: Args) => RawBuilder<boolean>;
  readonly tryTake: (...args: Args) => RawBuilder<boolean>;
}

function lock<Args extends unknown[]>(
  { number, by }: { number: number; by: string },
  secondKey: (...args: Args) => RawBuilder<unknown>,
  uses: Uses,
): Lock<Args> {
  const keys = (...args: Args) => sql`${sql.lit(number)}, ${secondKey(...args)}`;
  return {
    number,
    by,
    keys,
    share: (...args) => sql`pg_advisory_xact_lock_shared(${keys(...args)})`,
    take: (...args) => sql`pg_advisory_xact_lock(${keys(...args)})`,
    tryShare: (...args) => sql`pg_try_advisory_xact_lock_shared(${keys(...args)})`,
    tryTake: (...args) => sql`pg_try_advisory_xact_lock(${keys(...args)})`,
    ...uses,
  };
}

/** Locks of the installation share their first key. */
const installation = (object: number, uses: Uses) =>
  lock({ number: 1, by: String(object) }, () => sql.lit(object), uses);

/** An id, or an expression of it. */
type Id = string | RawBuilder<unknown>;
const textOf = (id: Id) => (typeof id === 'string' ? sql`(${id}::uuid)::text` : sql`(${id})::text`);

/** Organizations whose ids have the same hash occasionally wait for each other, without further effect. */
const ofOrganization = (number: number, uses: Uses) =>
  lock(
    { number, by: 'organization' },
    (organizationId: Id) => sql`hashtext(${textOf(organizationId)})`,
    uses,
  );

export const locks = {
  rights: ofOrganization(11, {
    of: 'the rights of an organization ([why](decisions/database.md#rights-are-judged-again-in-the-transaction))',
    shared: 'requests of calls; creating keys, users and sign-in links; signing in with a link',
    alone: 'revoking and rotating keys; updating users',
    order: 'before rows',
  }),
  callingPolicy: ofOrganization(6, {
    of: 'the calling policy of an organization',
    shared: 'creating a campaign, while its numbers are inserted',
    alone: 'a change of the policy',
    order: 'before rows',
  }),
  lineCaps: installation(0, {
    of: 'the caps of lines ([why](decisions/lines-and-pace.md#lines-are-counted-only-under-a-cap))',
    shared: 'taking or releasing lines',
    alone: 'setting a cap',
    order: 'before rows',
  }),
  installationRules: installation(1, {
    of: 'the paces of providers, the suppression list of the installation, and the rules of the operator',
    shared: 'gates, transfers, imports of scrub lists',
    alone: 'setting the calls per second of a provider; suppressing everywhere; importing rules',
    order: 'before rows',
  }),
  /** The key includes the organization, so that an id of another organization blocks no campaign. */
  campaign: lock(
    { number: 2, by: 'organization and campaign' },
    (organizationId: Id, campaignId: Id) => sql`hashtext(${textOf(organizationId)} || ${textOf(campaignId)})`,
    {
      of: 'a campaign, before its row ([why](decisions/database.md#changes-and-gates-queue-for-one-lock))',
      shared:
        'advances, gates of calls that have a row, ends of calls, undone attempts, withdrawals after an end',
      alone: 'a change of status, config, numbers or fields',
      order: 'before rows',
    },
  ),
  dialingRules: ofOrganization(3, {
    of: 'what the gates of an organization read: its suppression list, caps per person, caller ids, scrub lists and allowed destinations',
    shared: 'gates, transfers',
    alone:
      'adding to a list, just before the commit; setting caps per person; changes of caller ids, and of allowed destinations or of the calling policy, before their campaigns',
    order: 'before rows',
  }),
  quota: ofOrganization(4, {
    of: 'the quota of an organization, if it has one',
    shared: '',
    alone: 'advances, requests of calls',
    order: 'before rows',
  }),
  callerIdPermits: ofOrganization(5, {
    of: 'the permits of caller ids of an organization, if it has some ([why](decisions/caller-ids.md#permits-are-one-row-for-each-call-under-one-lock))',
    shared: '',
    alone: 'advances and gates of direct calls that take some',
    order: 'after rows',
  }),
  webCalls: ofOrganization(7, {
    of: 'requests of an organization for browser calls, before its row',
    shared: '',
    alone: 'a request for a browser call, to count those in progress',
    order: 'outside',
  }),
  inboundCalls: ofOrganization(8, {
    of: 'inbound calls of an organization; a call that does not get it at once tries again',
    shared: '',
    alone: 'an inbound call, to count those of the organization',
    order: 'outside',
  }),
  scrubLists: ofOrganization(9, {
    of: 'the number of scrub lists of an organization, after the row of a list and before its numbers',
    shared: '',
    alone: 'an import that creates a list',
    order: 'outside',
  }),
  webhookEndpoints: ofOrganization(10, {
    of: 'the number of webhook endpoints of an organization',
    shared: '',
    alone: 'creating an endpoint',
    order: 'outside',
  }),
  eventPlacing: installation(2, {
    of: 'the positions of events in the outbox',
    shared: '',
    alone: 'the sweep that places events; a test of a webhook endpoint, before its row',
    order: 'outside',
  }),
  /** Held by a session and not by a transaction: concurrent index builds run outside of one. */
  migrations: installation(3, {
    of: 'migrations; processes ask for it again and again',
    shared: '',
    alone: 'the process that migrates',
    order: 'outside',
  }),
} as const;

/**
 * The only lock with one key of 64 bits, which no lock above can meet: a request with an idempotency key, so that a second one with the same key is
 * refused while the first runs. Taken before all others, without waiting.
 */
export const tryIdempotencyKey = (name: string): RawBuilder<boolean> =>
  sql`pg_try_advisory_xact_lock(hashtextextended(${name}, 0))`;

/** The tables whose rows a transaction locks after the advisory locks, in this order, and by key within a table. */
export const rowOrder: readonly string[] = [
  'campaigns',
  'calls',
  'campaign_recipients',
  'called_people',
  'campaign_runtime',
  'organizations',
  'providers',
  'line_accounts',
];
