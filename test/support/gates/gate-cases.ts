import { addSuppressions, addToScrubList, inTransaction, type GateReason } from '@outdial/db';
import { sql, type RawBuilder } from 'kysely';
import { makeSubject, type GateCaller, type GateSubject, type GateWorld } from './gate-callers.ts';

/** Violates one condition and no other. */
type Spoil = (world: GateWorld, subject: GateSubject) => Promise<unknown>;

/** Null if the condition does not apply to the caller. */
type CasesOf = Record<GateCaller, Spoil | null>;

const execute = (statement: (subject: GateSubject) => RawBuilder<unknown>): Spoil => {
  return ({ db }, subject) => statement(subject).execute(db);
};

const noCases: CasesOf = {
  'first placement': null,
  'repeated placement': null,
  'direct call': null,
  'repeated direct call': null,
  'queued call': null,
};

const ofCampaign = (spoil: Spoil): CasesOf => ({
  ...noCases,
  'first placement': spoil,
  'repeated placement': spoil,
  'queued call': spoil,
});

const ofEach = (spoil: Spoil): CasesOf => ({
  'first placement': spoil,
  'repeated placement': spoil,
  'direct call': spoil,
  'repeated direct call': spoil,
  'queued call': spoil,
});

const acceptedMeanwhile: Spoil = execute(
  ({ callId }) => sql`update calls set accepted_at = engine_now() where id = ${callId}`,
);

const suppress: Spoil = ({ db, organization }, { phone }) =>
  addSuppressions(db, {
    organizationId: organization.id,
    suppressions: [{ phoneNumber: phone, reason: null }],
  });

const requireConsent: Spoil = (_, { brings }) =>
  Promise.resolve((brings.consent = { isRequired: true, bases: null }));

const requireQuery: Spoil = (_, { brings }) =>
  Promise.resolve((brings.consent = { isRequired: false, bases: null, queryDays: 30 }));

const requireQueryOfAll: Spoil = ({ db, organization }) =>
  sql`update organizations set reassigned_query_days = 30 where id = ${organization.id}`.execute(db);

/** The rules of the number of a direct call ask for consent. */
const consentByLaw: Spoil = (_, { brings }) =>
  Promise.resolve(
    (brings.windows = brings.windows.map((window) => ({
      ...window,
      consent: { purpose: 'marketing', bases: ['prior_express_written'], rules: [] },
    }))),
  );

/** Makes the campaign require a scrub list of some age, with or without the number. */
const needsList =
  (days: number, isOnIt: boolean): Spoil =>
  async ({ db, organization }, { phone, brings }) => {
    brings.scrubLists = ['registry'];
    const { rows } = await sql<{ at: Date }>`
      select engine_now() - ${days} * interval '24 hours' as at`.execute(db);
    await inTransaction(db, (tx) =>
      addToScrubList(tx, {
        organizationId: organization.id,
        name: 'registry',
        source: 'a registry',
        account: null,
        scrubbedAt: rows[0]?.at ?? new Date(0),
        phoneNumbers: isOnIt ? [phone] : [],
        isComplete: true,
        isChecked: false,
      }),
    );
  };

/** A list of the number's country, of some age, with or without the number. */
const hasListOfPlace =
  (days: number, isOnIt: boolean): Spoil =>
  async (world, subject) => {
    await needsList(days, isOnIt)(world, subject);
    const { db, organization } = world;
    await sql`update scrub_lists set jurisdiction = 'US' where organization_id = ${organization.id}`.execute(
      db,
    );
    subject.brings.places = ['US'];
  };

const closeWindows: Spoil = (_, { brings }) => Promise.resolve((brings.windows = []));

/** The window of a campaign stays open. */
const closeHours: Spoil = (_, { brings }) =>
  Promise.resolve((brings.windows = brings.windows.map((window) => ({ ...window, hours: null }))));

/** The limits of the organization do not allow the number. */
const refuseNumber: Spoil = (_, { brings }) => Promise.resolve((brings.isAllowedDestination = false));

/** The caller has found no room in the pace. */
const bringNoPace: Spoil = (_, { brings }) => Promise.resolve((brings.paceLeft = 0));

/** Limits the organization to one call per person and day, and records a call an hour ago. */
const calledBefore: Spoil = async ({ db, organization }, { phone }) => {
  const caps = JSON.stringify({ calls: [{ calls: 1, hours: 24 }] });
  await sql`insert into person_caps (organization_id, caps) values (${organization.id}, ${caps})`.execute(db);
  await sql`
    insert into called_people as p (organization_id, phone_number, dialed_at, campaign_ids)
    values (${organization.id}, ${phone}, array[engine_now() - interval '1 hour'], array[null::uuid])
    on conflict (organization_id, phone_number) do update
      set dialed_at = p.dialed_at || excluded.dialed_at, campaign_ids = p.campaign_ids || excluded.campaign_ids`.execute(
    db,
  );
};

/** The first send used a caller id that has been retired since. */
const retireCallerId: Spoil = ({ db, organization }, { callId }) =>
  sql`
    with own as (
      insert into caller_ids (organization_id, phone_number, country, calls_per_day, warm_up_from, state, created_at, updated_at)
      select ${organization.id}, '+12125550123', 'US', 1, engine_now(), 'retired', engine_now(), engine_now() returning id)
    insert into caller_id_uses (call_id, organization_id, caller_id, used_at)
    select ${callId}, ${organization.id}, id, engine_now() from own`.execute(db);

/** Creates another call of the organization to this number in progress. */
const callElsewhere: Spoil = async (world, { phone }) => {
  const other = await makeSubject(world, 'direct call');
  await sql`update calls set phone_number = ${phone} where id = ${other.callId}`.execute(world.db);
  const answer = await other.pass();
  if (answer !== 'passed') throw new Error(`the other call did not pass: ${answer}`);
};

/** How to violate each condition of the gate, for each caller. The type requires a row for every condition. */
export const gateCases: Record<GateReason, CasesOf> = {
  stale: {
    'first placement': execute(
      ({ campaignId }) =>
        sql`update campaign_recipients set state = 'dialing', call_id = new_id(), next_attempt_at = null
          where campaign_id = ${campaignId}`,
    ),
    'repeated placement': acceptedMeanwhile,
    'direct call': execute(
      ({ callId }) => sql`
        update calls set phase = 'ended', outcome = 'canceled', ended_at = engine_now(), queue_deadline_at = null
        where id = ${callId}`,
    ),
    'repeated direct call': acceptedMeanwhile,
    'queued call': execute(
      ({ callId }) => sql`update calls set hangup_requested_at = engine_now() where id = ${callId}`,
    ),
  },
  not_running: ofCampaign(
    execute(({ campaignId }) => sql`update campaigns set status = 'paused' where id = ${campaignId}`),
  ),
  // One that is not in a call becomes `withdrawn` at once, and is stale.
  withdrawn: {
    ...ofCampaign(
      execute(
        ({ campaignId }) => sql`
        update campaign_recipients set withdrawn_at = engine_now() where campaign_id = ${campaignId}`,
      ),
    ),
    'first placement': null,
  },
  suppressed: ofEach(suppress),
  no_consent: {
    ...ofCampaign(requireConsent),
    'direct call': consentByLaw,
    'repeated direct call': consentByLaw,
  },
  number_unchecked: {
    ...ofCampaign(requireQuery),
    'direct call': requireQueryOfAll,
    'repeated direct call': requireQueryOfAll,
  },
  scrub_outdated: {
    ...ofCampaign(needsList(31, false)),
    'direct call': hasListOfPlace(31, false),
    'repeated direct call': hasListOfPlace(31, false),
  },
  on_scrub_list: {
    ...ofCampaign(needsList(30, true)),
    'direct call': hasListOfPlace(30, true),
    'repeated direct call': hasListOfPlace(30, true),
  },
  number_refused: ofEach(refuseNumber),
  // Call-backs are not allowed, and there was an earlier call.
  not_due: ofCampaign(
    execute(
      ({ campaignId }) => sql`
        update campaign_recipients
        set attempts = attempts + 1, round_attempts = round_attempts + 1, last_outcome = 'busy'
        where campaign_id = ${campaignId}`,
    ),
  ),
  window_closed: ofCampaign(closeWindows),
  calling_hours: ofEach(closeHours),
  person_capped: ofEach(calledBefore),
  no_line_in_time: {
    ...noCases,
    'direct call': execute(
      ({ callId }) => sql`
        update calls set queue_deadline_at = engine_now() - interval '1 second' where id = ${callId}`,
    ),
    // This one is of a campaign. That a direct one does not wait for longer: test/integration/twilio/queued-calls.test.ts.
    'queued call': null,
  },
  // A placed call is itself the live call of its number.
  number_in_call: { ...noCases, 'first placement': callElsewhere, 'direct call': callElsewhere },
  // The other calls are counted already.
  quota: {
    ...noCases,
    'first placement': ({ db, organization }) =>
      sql`update organizations set max_calls_per_day = 0 where id = ${organization.id}`.execute(db),
  },
  // A queued call was counted by its gate.
  calls_per_second: { ...ofEach(bringNoPace), 'queued call': null },
  no_caller_id: {
    'first placement': (_, { brings }) => Promise.resolve((brings.needsCallerId = true)),
    'repeated placement': retireCallerId,
    'direct call': ({ db, organization }) =>
      sql`update organizations set has_caller_ids = true where id = ${organization.id}`.execute(db),
    'repeated direct call': retireCallerId,
    'queued call': retireCallerId,
  },
};

/** Runs one case: returns the gate's answer and the number of new gate instants. Null if the condition does not apply to the caller. */
export async function tryGateCase(
  world: GateWorld,
  reason: GateReason,
  caller: GateCaller,
): Promise<{ answer: string; gates: number; explained?: string | null } | null> {
  const spoil = gateCases[reason][caller];
  if (spoil === null) return null;
  const subject = await makeSubject(world, caller);
  const before = await subject.gates();
  try {
    await spoil(world, subject);
    const explained = await subject.explain?.();
    const answer = await subject.pass();
    const gates = (await subject.gates()) - before;
    return { answer, gates, ...(explained !== undefined && { explained }) };
  } finally {
    const { db } = world;
    await sql`delete from person_caps`.execute(db);
    await sql`delete from scrub_lists`.execute(db);
    await sql`delete from caller_ids`.execute(db);
    await sql`
      update organizations set max_calls_per_day = null, has_caller_ids = false, reassigned_query_days = null where id = ${world.organization.id}`.execute(
      db,
    );
  }
}
