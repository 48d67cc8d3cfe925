import { inTransaction, setDisclosure, updateOrganization } from '@outdial/db';
import type { CampaignConfigBody } from '@outdial/contracts';
import { z } from 'zod';
import { confirmNumber } from '../../support/confirmed-caller-id.ts';
import type { TestOrganization } from '../../support/stack/organization.ts';
import type { Stack } from '../../support/stack/start-stack.ts';
import { addConsents } from './consents.ts';
import { historyOf } from './history.ts';
import { emptyLedger, type CampaignHours, type Policy, type Terms } from './ledger.ts';
import type { JudgedOrganization } from './judged-organization.ts';
import { importScrubList, sampleOf } from './scrub-lists.ts';
import { nowhere, placesOf, type ListedPerson } from './list.ts';

const dayMs = 86_400_000;

type Shape = Omit<Terms, 'id' | 'startMs' | 'endMs' | 'hours' | 'isPaused'> & {
  hours: CampaignHours;
  calls: (place: number) => boolean;
};

/** The terms of direct calls, without any campaign settings. */
export const directTerms: Terms = {
  id: 'direct',
  name: 'direct calls',
  purpose: 'service',
  requireConsent: false,
  startMs: -Infinity,
  endMs: Infinity,
  hours: historyOf({ fromHour: 0, toHour: 24, onWeekends: true }),
  isPaused: historyOf(false),
  scrubLists: [],
  delaysSeconds: [],
  roundEachDay: false,
  retryOn: [],
};

/** A campaign needs a callable person to start, and one who is never callable so that it does not finish. */
const firstPeople: readonly ListedPerson[] = [
  {
    phoneNumber: '+12125550390',
    said: { region: 'US-NY' },
    may: placesOf('US-NY'),
    byNumber: placesOf('US-NY'),
    country: 'US',
  },
  nowhere,
];

const retryOn: Terms['retryOn'] = ['no_answer', 'busy', 'failed', 'voicemail'];

/** Everyone is on the first list. Many are on several, so that caps over campaigns take effect. */
const shapes: readonly Shape[] = [
  {
    name: 'Offers',
    purpose: 'marketing',
    requireConsent: true,
    hours: { fromHour: 0, toHour: 24, onWeekends: true },
    scrubLists: [],
    delaysSeconds: [900, 3_600, 86_400],
    roundEachDay: false,
    retryOn,
    calls: () => true,
  },
  {
    name: 'Reminders',
    purpose: 'service',
    requireConsent: false,
    hours: { fromHour: 10, toHour: 18, onWeekends: false },
    scrubLists: ['national'],
    delaysSeconds: [1_800, 1_800],
    roundEachDay: true,
    retryOn: ['no_answer', 'busy'],
    calls: (place) => place % 3 === 0,
  },
  ...[5, 7].map((every): Shape => ({
    name: `Debts of each ${every}th`,
    purpose: 'debt_collection',
    requireConsent: false,
    hours: { fromHour: 9, toHour: 20, onWeekends: true },
    scrubLists: every === 5 ? ['state'] : ['national', 'state'],
    delaysSeconds: [3_600],
    roundEachDay: false,
    retryOn,
    calls: (place) => place % every === 0,
  })),
];

export async function openOrganization(
  stack: Stack,
  { policy, days, people }: { policy: Policy; days: number; people: readonly ListedPerson[] },
): Promise<JudgedOrganization> {
  const now = await stack.clock.now();
  // The simulated carrier's calls have no length, which must not rest caller ids.
  const organization = await stack.organization({
    caller_id_rules: { answerRateFrom: null, shortCallsTo: null },
  });
  await inTransaction(stack.db, (tx) =>
    updateOrganization(tx, organization.id, { calling_policy: policy }, now),
  );
  const ledger = emptyLedger(policy, disclosures);
  for (const [jurisdiction, text] of disclosures) {
    await setDisclosure(stack.db, organization.id, { jurisdiction, language: 'en', text });
  }
  const send: JudgedOrganization['send'] = async (method, path, body, as) => {
    const response = await fetch(`${stack.baseUrl}/api/v1${path}`, {
      method,
      headers: { 'X-API-Key': organization.apiKeys[as ?? 'manager'], 'Content-Type': 'application/json' },
      body: JSON.stringify(body),
    });
    const answer: unknown = await response.json();
    if (!response.ok) throw new Error(`${path}: ${response.status} ${JSON.stringify(answer)}`);
    return answer;
  };
  const nowMs = now.getTime();
  const campaigns: JudgedOrganization['campaigns'] = [];
  const world: JudgedOrganization = { organization, ledger, campaigns, send, configOf };
  const numbers = people.map(({ phoneNumber }) => phoneNumber);
  for (const [name, daysOld] of [
    ['national', 20],
    ['state', 2],
  ] as const) {
    const scrubbedMs = nowMs - daysOld * dayMs;
    await importScrubList(stack, world, { name, scrubbedMs, numbers: sampleOf(numbers, name) });
  }
  for (const { calls, ...shape } of shapes) {
    const startMs = nowMs;
    const endMs = startMs + (days + 2) * dayMs;
    const ofShape = { ...shape, hours: historyOf(shape.hours), isPaused: historyOf(false), startMs, endMs };
    const id = await createCampaign(organization, ofShape, shape.hours);
    const terms = { ...ofShape, id };
    campaigns.push({ terms, calls });
    for (const person of firstPeople) ledger.listed.push({ terms, person, addedMs: startMs, dials: [] });
  }
  await addConsents(stack, world, people, { nowMs, days });
  return world;
}

/** Disclosures by the place of the number: the state's takes precedence over the country's, and that over the general one. */
const disclosures: ReadonlyMap<string, string> = new Map([
  ['*', 'An artificial voice calls for {{organization}}.'],
  ['US', 'This is an artificial voice, calling for {{organization}}; say stop to get no more calls.'],
  ['US-FL', 'Florida: an artificial voice calls for {{organization}}.'],
  ['DE', 'Eine künstliche Stimme ruft im Auftrag von {{organization}} an.'],
]);

const hours = (hour: number) => `${String(hour).padStart(2, '0')}:00`;

async function createCampaign(
  { clients: { manager }, agentId }: TestOrganization,
  terms: Omit<Terms, 'id'>,
  { fromHour, toHour }: CampaignHours,
): Promise<string> {
  const { id } = await manager.createCampaign({
    name: terms.name,
    agent_id: agentId,
    phone_numbers: firstPeople.map(({ phoneNumber }) => phoneNumber),
    start_date: new Date(terms.startMs).toISOString(),
    end_date: new Date(terms.endMs).toISOString(),
    start_time: hours(fromHour),
    end_time: hours(toHour),
    additional_params: {
      timezone: 'UTC',
      recipients: Object.fromEntries(firstPeople.map(({ phoneNumber, said }) => [phoneNumber, said])),
    },
  });
  await manager.setConfig(id, configOf(terms));
  await manager.setStatus(id, 'running');
  return id;
}

function configOf(terms: Omit<Terms, 'id'>): CampaignConfigBody {
  return {
    call_on_weekend: terms.hours.at(-1)?.value.onWeekends ?? true,
    queue_again: terms.roundEachDay,
    call_back_attempts: terms.delaysSeconds.length,
    retry_delays_seconds: [...terms.delaysSeconds],
    retry_on: terms.retryOn.filter((one) => one !== 'completed'),
    max_concurrent_calls: 2_000,
    purpose: terms.purpose,
    require_consent: terms.requireConsent,
    ...(terms.scrubLists.length > 0 && { scrub_lists: [...terms.scrubLists] }),
  };
}

/** Adds people to the lists of their campaigns. */
export async function addPeople(
  stack: Stack,
  { ledger, campaigns, send }: JudgedOrganization,
  people: ReadonlyArray<{ person: ListedPerson; place: number }>,
): Promise<void> {
  for (const { terms, calls } of campaigns) {
    const theirs = people.filter(({ place }) => calls(place)).map(({ person }) => person);
    if (theirs.length === 0) continue;
    await send('POST', `/campaigns/${terms.id}/recipients`, {
      recipients: theirs.map(({ phoneNumber, said }) => ({ phone_number: phoneNumber, ...said })),
    });
    const addedMs = (await stack.clock.now()).getTime();
    for (const person of theirs) ledger.listed.push({ terms, person, addedMs, dials: [] });
  }
}

const madeCallerId = z.object({ data: z.object({ id: z.uuid() }) });

/** Caller ids for most of the countries. One country has too few calls for everyone. */
export async function addCallerIds(
  { db }: Pick<Stack, 'db'>,
  { organization, ledger, send }: JudgedOrganization,
): Promise<Map<string, string>> {
  const ids = new Map<string, string>();
  ledger.callerIds = [];
  for (const [country, phoneNumber, callsPerDay] of ownNumbers) {
    const answer = await send('POST', '/caller-ids', {
      phone_number: phoneNumber,
      calls_per_day: callsPerDay,
    });
    await confirmNumber(db, { organizationId: organization.id, phoneNumber });
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
