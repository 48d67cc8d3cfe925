import { sql } from 'kysely';
import type { Random } from '../../chaos/random.ts';
import { RefusedRequestError } from '../../support/stack/http-client.ts';
import type { Stack } from '../../support/stack/start-stack.ts';
import { noneWasLeft, type WithoutCallerId } from './without-caller-id.ts';
import type { EngineInStep } from './engine-in-step.ts';
import { directReasonsAgainst } from './judge.ts';
import { append, type CampaignHours, type Listed, type Terms } from './ledger.ts';
import { recordConsents } from './consents.ts';
import { importScrubList, sampleOf } from './scrub-lists.ts';
import { changed, type JudgedOrganization } from './judged-organization.ts';
import { directTerms } from './world.ts';

const minuteMs = 60_000;
const dayMs = 1_440 * minuteMs;
/** In the middle of each. */
export const policyChangesOnDays = [4, 9, 15];

/** A requested direct call, and the answer. */
interface AskedCall {
  listed: Listed;
  askedMs: number;
  answeredMs: number;
  /** The error code of a refusal. */
  refused: string | null;
  callId: string | null;
}

export interface Changes {
  /** Makes the changes of one step, while calls are made. */
  during(of: JudgedOrganization, passedMinutes: number): Promise<void>;
  /** The faults of the answers to the direct calls of a step from `fromMs` to `restMs`. Call this after all its dials are recorded. */
  faults(step: { fromMs: number; restMs: number }): string[];
}

/** The changes by people and operators during three weeks. */
export function changesOf(
  { stack, engine }: { stack: Stack; engine: EngineInStep },
  random: Random,
  stepMinutes: number,
): Changes {
  const asked: Array<{ of: JudgedOrganization; call: AskedCall }> = [];
  const isFirstStepOf = (day: number, passed: number) =>
    passed >= day * 1_440 + 720 && passed < day * 1_440 + 720 + stepMinutes;
  // The same number in each run, independent of the length of its steps.
  const perDay = (times: number) => random.chance((times * stepMinutes) / 1_440);
  return {
    async during(of, passed) {
      // The person without a place keeps each campaign from finishing.
      const listed = of.ledger.listed.filter(({ person }) => person.country !== '');
      const anyOf = (some: readonly Listed[]) => some[random.between(0, some.length - 1)];
      const anyListed = () => anyOf(listed);
      // A change of a number matters to people who have consented.
      const consented = listed.filter(({ person }) => of.ledger.consents.has(person.phoneNumber));
      if (random.chance(0.3)) await optOut(stack, of, anyListed());
      if (random.chance(0.2)) await revokeConsents(stack, of, anyListed());
      if (random.chance(0.15)) await changeNumber(stack, of, anyOf(consented), random);
      if (random.chance(0.5)) {
        const call = await callDirectly(stack, engine, of, anyListed());
        if (call !== null) asked.push({ of, call });
      }
      for (const { terms } of of.campaigns) {
        if (perDay(isPausedNow(terms) ? 4 : 0.3)) await pauseOrResume(stack, of, terms);
        if (perDay(0.2)) await changeHours(stack, of, terms, random);
      }
      if (policyChangesOnDays.some((day) => isFirstStepOf(day, passed))) await changePolicy(stack, of);
      if (isFirstStepOf(8, passed)) await renew(stack, of, 'state');
      // On its eleventh day the first version is 31 days old.
      if (isFirstStepOf(13, passed)) await renew(stack, of, 'national');
      if (isFirstStepOf(7, passed)) await stopCallerId(stack, of, '+13055550191', 'resting');
      if (isFirstStepOf(16, passed)) await stopCallerId(stack, of, '+442079460990', 'retired');
    },
    faults: (step) =>
      asked
        .splice(0)
        .flatMap(({ of, call }) => faultsOfDirect(of, call, { ...step, without: engine.without })),
  };
}

async function optOut(stack: Stack, { ledger, send }: JudgedOrganization, listed?: Listed): Promise<void> {
  if (listed === undefined) return;
  const { phoneNumber } = listed.person;
  const change = await changed(stack, () => send('POST', '/suppressions', { phone_number: phoneNumber }));
  append(ledger.optOuts, phoneNumber, { ...change, untilMs: null });
}

async function revokeConsents(stack: Stack, of: JudgedOrganization, listed?: Listed): Promise<void> {
  for (const consent of of.ledger.consents.get(listed?.person.phoneNumber ?? '') ?? []) {
    if (consent.revoked !== null) continue;
    consent.revoked = await changed(stack, () => of.send('POST', `/consents/${consent.id}/revoke`, {}));
  }
}

/** Reports reassigned numbers, mostly as of an instant after their consents, sometimes before. Some of the new owners also consent. */
async function changeNumber(
  stack: Stack,
  of: JudgedOrganization,
  listed: Listed | undefined,
  random: Random,
): Promise<void> {
  if (listed === undefined) return;
  const { phoneNumber } = listed.person;
  const nowMs = (await stack.clock.now()).getTime();
  const changedMs = random.chance(0.8) ? nowMs - minuteMs : listed.terms.startMs - 2 * dayMs;
  const item = {
    phone_number: phoneNumber,
    kind: random.chance(0.5) ? 'ported' : 'reassigned',
    changed_at: new Date(changedMs).toISOString(),
    source: 'a database of reassigned numbers',
  };
  const told = await changed(stack, () => of.send('POST', '/number-changes/import', { items: [item] }));
  append(of.ledger.numberChanges, phoneNumber, { told, changedMs });
  if (random.chance(0.5)) return;
  await recordConsents(stack, of, [
    { phoneNumber, kind: 'written', covers: null, givenMs: told.answeredMs, expiresMs: null },
  ]);
}

const isPausedNow = (terms: Terms) => terms.isPaused.at(-1)?.value === true;

/** A campaign without a callable recipient stays paused, because a start is refused with `never_open` until people are added. */
async function pauseOrResume(stack: Stack, of: JudgedOrganization, terms: Terms): Promise<void> {
  const isPaused = !isPausedNow(terms);
  const { manager } = of.organization.clients;
  let isRefused = false;
  const since = await changed(stack, async () => {
    try {
      await manager.setStatus(terms.id, isPaused ? 'paused' : 'running');
    } catch (error) {
      if (isPaused || !(error instanceof RefusedRequestError) || error.code !== 'never_open') throw error;
      isRefused = true;
    }
  });
  if (!isRefused) terms.isPaused.push({ since, value: isPaused });
}

const hour = (of: number) => `${String(of).padStart(2, '0')}:00`;

/** Changes days by the config, while the campaign runs, and hours by its fields, for which it must be paused. */
async function changeHours(
  stack: Stack,
  of: JudgedOrganization,
  terms: Terms,
  random: Random,
): Promise<void> {
  const current = terms.hours.at(-1)?.value;
  if (current === undefined) return;
  if (!isPausedNow(terms)) {
    const value: CampaignHours = { ...current, onWeekends: !current.onWeekends };
    const config = { ...of.configOf(terms), call_on_weekend: value.onWeekends };
    const since = await changed(stack, () => of.send('PUT', `/campaigns/${terms.id}/config`, config));
    terms.hours.push({ since, value });
    return;
  }
  const fromHour = random.between(7, 11);
  const value: CampaignHours = { ...current, fromHour, toHour: fromHour + random.between(4, 11) };
  const fields = { start_time: hour(value.fromHour), end_time: hour(value.toHour) };
  const since = await changed(stack, () => of.send('PUT', `/campaigns/${terms.id}`, fields));
  terms.hours.push({ since, value });
}

async function changePolicy(stack: Stack, of: JudgedOrganization): Promise<void> {
  const value = of.ledger.policy.at(-1)?.value === 'strict' ? 'standard' : 'strict';
  const since = await changed(stack, () =>
    of.send('PUT', '/organization', { calling_policy: value }, 'admin'),
  );
  of.ledger.policy.push({ since, value });
}

/** A newer version has some of the same numbers, and some others. */
async function renew(stack: Stack, of: JudgedOrganization, name: string): Promise<void> {
  const numbers = new Set(of.ledger.listed.map(({ person }) => person.phoneNumber));
  await importScrubList(stack, of, {
    name,
    scrubbedMs: (await stack.clock.now()).getTime(),
    numbers: sampleOf([...numbers], `${name} again`),
  });
}

async function stopCallerId(
  stack: Stack,
  { organization, ledger, send }: JudgedOrganization,
  phoneNumber: string,
  state: 'resting' | 'retired',
): Promise<void> {
  const callerId = ledger.callerIds?.find((one) => one.phoneNumber === phoneNumber);
  if (callerId === undefined) return;
  const { rows } = await sql<{ id: string }>`
    select id from caller_ids where organization_id = ${organization.id} and phone_number = ${phoneNumber}`.execute(
    stack.db,
  );
  callerId.stopped = await changed(stack, () =>
    send('PUT', `/caller-ids/${rows[0]?.id}`, { state, state_reason: 'labeled as spam' }),
  );
}

async function callDirectly(
  stack: Stack,
  engine: EngineInStep,
  { organization, ledger }: JudgedOrganization,
  one?: Listed,
): Promise<AskedCall | null> {
  if (one === undefined) return null;
  const { phoneNumber } = one.person;
  const listed = ledger.direct.get(phoneNumber) ?? {
    terms: directTerms,
    person: one.person,
    addedMs: 0,
    dials: [],
  };
  ledger.direct.set(phoneNumber, listed);
  const call: AskedCall = { listed, askedMs: 0, answeredMs: 0, refused: null, callId: null };
  const times = await changed(stack, async () => {
    try {
      const { id } = await organization.clients.member.makeCall(organization.agentId, {
        to_phone: phoneNumber,
        purpose: directTerms.purpose,
        prompt_params: { name: 'Ada', topic: 'the weather' },
      });
      call.callId = id;
    } catch (error) {
      if (!(error instanceof RefusedRequestError)) throw error;
      call.refused = error.code ?? 'without a code';
    }
  });
  if (call.callId !== null) engine.announce(call.callId);
  return { ...call, ...times };
}

const refusals: Readonly<Record<string, string>> = {
  number_suppressed: 'suppressed',
  no_consent: 'no_consent',
  person_capped: 'person_capped',
  outside_calling_hours: 'calling_hours',
};

/** A direct call must be refused for a reason that the checker confirms, or be made, unless something changed in between. */
function faultsOfDirect(
  { ledger }: JudgedOrganization,
  call: AskedCall,
  { fromMs, restMs, without }: { fromMs: number; restMs: number; without: WithoutCallerId },
): string[] {
  const { listed, askedMs, answeredMs, refused, callId } = call;
  const told = `a direct call to ${listed.person.phoneNumber} of ${ledger.name}, ${new Date(askedMs).toISOString()},`;
  const own = [askedMs, answeredMs, restMs].flatMap((atMs) => [
    ...directReasonsAgainst(ledger, listed, atMs, 'perhaps'),
  ]);
  if (refused !== null) {
    const agrees = own.some((reason) => reason === refusals[refused]);
    return agrees ? [] : [`${told} was refused: ${refused}, and not for ${own.join()}`];
  }
  // Refused at once, because a direct call waits for neither hours nor caps. The gate would refuse it too, but later.
  // A dial of the same step may have its instant before the request, and be committed after it.
  const { phoneNumber } = listed.person;
  const committed = (ledger.dialsOf.get(phoneNumber) ?? []).filter(({ atMs }) => atMs < fromMs);
  const known = { ...ledger, dialsOf: new Map([[phoneNumber, committed]]) };
  const surely = [askedMs, answeredMs].map(
    (atMs) => new Set(directReasonsAgainst(known, listed, atMs, 'surely')),
  );
  const owed = Object.values(refusals).filter((reason) => surely.every((reasons) => reasons.has(reason)));
  if (owed.length > 0) return [`${told} was not refused: ${owed.join()}`];
  const isMade = listed.dials.some((dial) => dial.callId === callId);
  if (isMade || own.length > 0) return [];
  const last = callId === null ? undefined : without.ofDirect(callId).at(-1);
  if (ledger.callerIds !== null && last !== undefined && noneWasLeft(ledger, listed.person, last)) return [];
  return [`${told} was left out`];
}
