import { inTransaction, updateOrganization } from '@outdial/db';
import type { CampaignConfigBody } from '@outdial/contracts';
import { sql } from 'kysely';
import { z } from 'zod';
import { randomOf } from '../../chaos/random.ts';
import type { TestOrganization } from '../../support/stack/organization.ts';
import type { Stack } from '../../support/stack/start-stack.ts';
import { emptyLedger, type Change, type Ledger, type Terms } from './ledger.ts';
import { nowhere, placesOf, type ListedPerson } from './list.ts';

const dayMs = 86_400_000;

/** An organization with its campaigns, and what the judge knows of it. */
export interface JudgedOrganization {
  organization: TestOrganization;
  ledger: Ledger;
  campaigns: Array<{ terms: Terms; calls: (person: ListedPerson, place: number) => boolean }>;
  /** A request as a manager, whose answer is JSON. */
  send: (method: 'POST' | 'PUT', path: string, body: object) => Promise<unknown>;
}

type Shape = Omit<Terms, 'id' | 'startMs' | 'endMs'> & { calls: (place: number) => boolean };

/** A campaign begins with somebody who can be called, and lasts with somebody who cannot. */
const firstPeople: readonly ListedPerson[] = [
  { phoneNumber: '+12125550390', said: { region: 'US-NY' }, may: placesOf('US-NY'), country: 'US' },
  nowhere,
];

const retryOn: Terms['retryOn'] = ['no_answer', 'busy', 'failed', 'voicemail'];

/** Everybody is on the first; many are on several, so that caps over campaigns have something to do. */
const shapes: readonly Shape[] = [
  {
    name: 'Offers',
    purpose: 'marketing',
    requireConsent: true,
    fromHour: 0,
    toHour: 24,
    onWeekends: true,
    delaysSeconds: [900, 3_600, 86_400],
    roundEachDay: false,
    retryOn,
    calls: () => true,
  },
  {
    name: 'Reminders',
    purpose: 'service',
    requireConsent: false,
    fromHour: 10,
    toHour: 18,
    onWeekends: false,
    delaysSeconds: [1_800, 1_800],
    roundEachDay: true,
    retryOn: ['no_answer', 'busy'],
    calls: (place) => place % 3 === 0,
  },
  ...[5, 7].map((every): Shape => ({
    name: `Debts of each ${every}th`,
    purpose: 'debt_collection',
    requireConsent: false,
    fromHour: 9,
    toHour: 20,
    onWeekends: true,
    delaysSeconds: [3_600],
    roundEachDay: false,
    retryOn,
    calls: (place) => place % every === 0,
  })),
];

export async function openOrganization(
  stack: Stack,
  { policy, days, people }: { policy: Ledger['policy']; days: number; people: readonly ListedPerson[] },
): Promise<JudgedOrganization> {
  const now = await stack.clock.now();
  // Calls of no length are the simulated carrier's, and no reason to rest a caller id.
  const organization = await stack.organization({
    callerIdRules: { answerRateFrom: null, shortCallsTo: null },
  });
  await inTransaction(stack.db, (tx) =>
    updateOrganization(tx, organization.id, { callingPolicy: policy }, now),
  );
  const ledger = emptyLedger(policy);
  const send: JudgedOrganization['send'] = async (method, path, body) => {
    const response = await fetch(`${stack.baseUrl}/api/v1${path}`, {
      method,
      headers: { 'X-API-Key': organization.apiKeys.manager, 'Content-Type': 'application/json' },
      body: JSON.stringify(body),
    });
    const answer: unknown = await response.json();
    if (!response.ok) throw new Error(`${path}: ${response.status} ${JSON.stringify(answer)}`);
    return answer;
  };
  const campaigns: JudgedOrganization['campaigns'] = [];
  for (const { calls, ...shape } of shapes) {
    const startMs = now.getTime();
    const endMs = startMs + (days + 2) * dayMs;
    const id = await createCampaign(organization, { ...shape, startMs, endMs });
    const terms = { ...shape, id, startMs, endMs };
    campaigns.push({ terms, calls: (_, place) => calls(place) });
    for (const person of firstPeople) ledger.listed.push({ terms, person, addedMs: startMs, dials: [] });
  }
  const world = { organization, ledger, campaigns, send };
  await addConsents(stack, world, people, { nowMs: now.getTime(), days });
  return world;
}

const hours = (hour: number) => `${String(hour).padStart(2, '0')}:00`;

async function createCampaign(
  { clients: { manager }, agentId }: TestOrganization,
  terms: Omit<Terms, 'id'>,
): Promise<string> {
  const { id } = await manager.createCampaign({
    name: terms.name,
    agent_id: agentId,
    phone_numbers: firstPeople.map(({ phoneNumber }) => phoneNumber),
    start_date: new Date(terms.startMs).toISOString(),
    end_date: new Date(terms.endMs).toISOString(),
    start_time: hours(terms.fromHour),
    end_time: hours(terms.toHour),
    additional_params: {
      timezone: 'UTC',
      recipients: Object.fromEntries(firstPeople.map(({ phoneNumber, said }) => [phoneNumber, said])),
    },
  });
  const config: CampaignConfigBody = {
    call_on_weekend: terms.onWeekends,
    queue_again: terms.roundEachDay,
    call_back_attempts: terms.delaysSeconds.length,
    retry_delays_seconds: [...terms.delaysSeconds],
    retry_on: terms.retryOn.filter((one) => one !== 'completed'),
    max_concurrent_calls: 2_000,
    purpose: terms.purpose,
    require_consent: terms.requireConsent,
  };
  await manager.setConfig(id, config);
  await manager.setStatus(id, 'running');
  return id;
}

/** Most have agreed; some to something else, some for a time, and some never. */
async function addConsents(
  stack: Stack,
  { organization, ledger, send }: JudgedOrganization,
  people: readonly ListedPerson[],
  { nowMs, days }: { nowMs: number; days: number },
): Promise<void> {
  const given = people.flatMap(({ phoneNumber }) => {
    const random = randomOf(1, phoneNumber);
    const kind = random.next();
    if (kind < 0.05) return [];
    const covers = kind < 0.1 ? ['service'] : kind < 0.5 ? ['marketing', 'service'] : null;
    const expiresMs = kind > 0.85 ? nowMs + random.between(1, days * 24) * 3_600_000 : null;
    return [{ phoneNumber, covers, givenMs: nowMs - dayMs, expiresMs }];
  });
  for (let from = 0; from < given.length; from += 5_000) {
    const items = given.slice(from, from + 5_000).map(({ phoneNumber, covers, givenMs, expiresMs }) => ({
      phone_number: phoneNumber,
      basis: 'prior_express_written',
      source: 'https://acme.example/signup',
      given_at: new Date(givenMs).toISOString(),
      ...(covers !== null && { scope: covers }),
      ...(expiresMs !== null && { expires_at: new Date(expiresMs).toISOString() }),
    }));
    await send('POST', '/consents/import', { items });
  }
  const { rows } = await sql<{ id: string; phone_number: string }>`
    select id, phone_number from consents where organization_id = ${organization.id}`.execute(stack.db);
  const ids = new Map(rows.map((row) => [row.phone_number, row.id]));
  for (const { phoneNumber, ...one } of given) {
    ledger.consents.set(phoneNumber, [{ id: ids.get(phoneNumber) ?? '', ...one, revoked: null }]);
  }
}

/** Puts people on the lists of the campaigns that call them. */
export async function addPeople(
  stack: Stack,
  { ledger, campaigns, send }: JudgedOrganization,
  people: ReadonlyArray<{ person: ListedPerson; place: number }>,
): Promise<void> {
  for (const { terms, calls } of campaigns) {
    const theirs = people.filter(({ person, place }) => calls(person, place)).map(({ person }) => person);
    if (theirs.length === 0) continue;
    await send('POST', `/campaigns/${terms.id}/recipients`, {
      recipients: theirs.map(({ phoneNumber, said }) => ({ phone_number: phoneNumber, ...said })),
    });
    const addedMs = (await stack.clock.now()).getTime();
    for (const person of theirs) ledger.listed.push({ terms, person, addedMs, dials: [] });
  }
}

/** Does something that counts from its answer on, and says between which instants it took effect. */
export async function changed(stack: Stack, act: () => Promise<unknown>): Promise<Change> {
  const askedMs = (await stack.clock.now()).getTime();
  await act();
  return { askedMs, answeredMs: (await stack.clock.now()).getTime() };
}

const madeCallerId = z.object({ data: z.object({ id: z.uuid() }) });

/** Caller ids for most of the countries; those of one have too few calls for everybody. */
export async function addCallerIds({ ledger, send }: JudgedOrganization): Promise<Map<string, string>> {
  const ids = new Map<string, string>();
  ledger.callerIds = [];
  for (const [country, phoneNumber, callsPerDay] of ownNumbers) {
    const answer = await send('POST', '/caller-ids', {
      phone_number: phoneNumber,
      calls_per_day: callsPerDay,
    });
    ids.set(phoneNumber, madeCallerId.parse(answer).data.id);
    ledger.callerIds.push({ phoneNumber, country, callsPerDay, stopped: null });
  }
  return ids;
}

const ownNumbers: ReadonlyArray<readonly [string, string, number]> = [
  ['US', '+12125550190', 1_000],
  ['US', '+13055550191', 1_000],
  ['US', '+14155550192', 1_000],
  ['CA', '+14165550193', 1_000],
  ['GB', '+442079460990', 1_000],
  ['DE', '+493023125091', 3],
  ['FR', '+33199000092', 1_000],
  ['AU', '+61491570193', 1_000],
  ['NL', '+31201234594', 1_000],
  ['IN', '+919876543295', 1_000],
  ['BR', '+551123456796', 1_000],
  ['IE', '+353850123495', 1_000],
  ['ES', '+34612345695', 1_000],
  ['IT', '+393123456796', 1_000],
  ['MX', '+525512345695', 1_000],
  ['JP', '+819012345695', 1_000],
  ['AT', '+431234567895', 1_000],
  ['BE', '+3212345695', 1_000],
  ['CH', '+41446681895', 1_000],
  ['DK', '+4532120095', 1_000],
  ['FI', '+358412345695', 1_000],
  ['GR', '+302123456795', 1_000],
  ['NZ', '+64211234595', 1_000],
  ['NO', '+4740610095', 1_000],
  ['PT', '+351912345695', 1_000],
  ['SE', '+46701740695', 1_000],
  ['SG', '+6581234595', 1_000],
  ['ZA', '+27711234595', 1_000],
  ['KR', '+821023456795', 1_000],
  ['AE', '+971501234595', 1_000],
  ['AR', '+541123456795', 1_000],
];
