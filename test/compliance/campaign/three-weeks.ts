import { createRandom } from '../../chaos/random.ts';
import type { Stack } from '../../support/stack/start-stack.ts';
import { changesOf, policyChangesOnDays } from './changes.ts';
import type { EngineInStep } from './engine-in-step.ts';
import type { Change } from './history.ts';
import { callsLeftOf, directReasonsAgainst, forbiddenBy, reasonsAgainst } from './judge.ts';
import { noteDial, type Listed } from './ledger.ts';
import type { ListedPerson } from './list.ts';
import type { JudgedOrganization } from './judged-organization.ts';
import { addPeople } from './world.ts';

const minuteMs = 60_000;
/** Longer than a step takes on the engine's clock. */
const aroundMs = 10 * minuteMs;
/** Five minutes, and the duration of a step. */
const callerIdsWithinMs = 5 * minuteMs + 2_000;
/** People are added until then, so that the last ones have a week left. */
const lastDayOfPeople = 14;

export interface Run {
  dials: number;
  /** The faults that the checker found. */
  faults: string[];
}

interface Weeks {
  people: readonly ListedPerson[];
  days: number;
  stepMinutes: number;
  seed: number;
  /** Ends with the first fault. */
  isForOneFault: boolean;
  /** Called at the end of each day. */
  onDay?: (day: number, run: Run) => void;
}

/** Advances the clock step by step over weeks, and checks each dial and each missing dial against the texts of the rules. */
export async function runWeeks(
  { stack, engine }: { stack: Stack; engine: EngineInStep },
  organizations: readonly JudgedOrganization[],
  args: Weeks,
): Promise<Run> {
  const run: Run = { dials: 0, faults: [] };
  const random = createRandom(args.seed);
  const changes = changesOf({ stack, engine }, random, args.stepMinutes);
  const startMs = (await stack.clock.now()).getTime();
  const seen = new Set<string>();
  let nextDay = 0;
  for (let passed = 0; passed < args.days * 1_440; passed += args.stepMinutes) {
    if (args.isForOneFault && run.faults.length > 0) break;
    if (passed >= nextDay * 1_440) {
      if (nextDay <= lastDayOfPeople) await addPeopleOfDay(stack, organizations, args.people, nextDay);
      if (nextDay > 0) args.onDay?.(nextDay, run);
      nextDay += 1;
    }
    // Sometimes just before the hour, so that windows close while calls are made.
    const offMs = random.chance(0.2) ? -random.between(100, 1_500) : random.between(0, 20_000);
    const setMs = startMs + passed * minuteMs + offMs;
    if (setMs > (await stack.clock.now()).getTime()) await stack.clock.set(new Date(setMs));
    const fromMs = Math.max(setMs, (await stack.clock.now()).getTime());
    const settled = engine.settle();
    for (const one of organizations) await changes.during(one, passed);
    await settled;
    await engine.settle();
    const restMs = (await stack.clock.now()).getTime();
    await judgeDials(stack, organizations, { seen, sinceMs: fromMs }, run);
    run.faults.push(...changes.faults({ fromMs, restMs }));
    const missing = organizations.flatMap((of) => findMissing(of, fromMs, restMs));
    run.faults.push(
      ...(await stillMissing({ stack, engine }, organizations, missing, { seen, run, restMs })),
    );
  }
  return run;
}

async function addPeopleOfDay(
  stack: Stack,
  organizations: readonly JudgedOrganization[],
  people: readonly ListedPerson[],
  day: number,
): Promise<void> {
  const ofDay = people.flatMap((person, place) =>
    dayOfPerson(person, place) === day ? [{ person, place }] : [],
  );
  for (const one of organizations) await addPeople(stack, one, ofDay);
}

/** Most people with a given place come just before a change of policy, which computes their places again while they wait. */
function dayOfPerson({ said }: ListedPerson, place: number): number {
  const [first = 0, second = 0] = policyChangesOnDays;
  const any = place % (lastDayOfPeople + 1);
  return Object.keys(said).length === 0 ? any : ([first, second][place % 3] ?? any);
}

async function judgeDials(
  stack: Stack,
  organizations: readonly JudgedOrganization[],
  { seen, sinceMs }: { seen: Set<string>; sinceMs: number },
  run: Run,
): Promise<void> {
  const calls = await stack.db
    .selectFrom('calls')
    .select([
      'id',
      'organization_id',
      'campaign_id',
      'phone_number',
      'gated_at',
      'ended_at',
      'outcome',
      'caller_id',
    ])
    .select(['from_phone', 'consent_id', 'events'])
    // Since shortly before the clock was set, because some people are dialed as soon as they are added.
    .where('gated_at', '>=', new Date(sinceMs - aroundMs))
    .orderBy('gated_at')
    .execute();
  for (const call of calls) {
    if (seen.has(call.id)) continue;
    seen.add(call.id);
    run.dials += 1;
    const of = organizations.find(({ organization }) => organization.id === call.organization_id);
    const listed = of && listedOf(of, call.campaign_id, call.phone_number);
    if (of === undefined || listed === undefined) {
      run.faults.push(`${call.phone_number} was dialed and is on no list`);
      continue;
    }
    const atMs = call.gated_at?.getTime() ?? 0;
    const against = call.campaign_id === null ? directReasonsAgainst : reasonsAgainst;
    const [reason] = against(of.ledger, listed, atMs, 'surely');
    if (reason !== undefined) run.faults.push(`${told(of, listed, atMs)} was dialed: ${reason}`);
    const from = of.ledger.callerIds?.find(({ phoneNumber }) => phoneNumber === call.from_phone);
    const isStopped = ({ answeredMs }: Change) => atMs >= answeredMs;
    if (from !== undefined && callsLeftOf(of.ledger, from, listed.person, atMs, isStopped) === 0) {
      run.faults.push(
        `${told(of, listed, atMs)} was dialed: no_caller_id, since ${from.phoneNumber} was not free`,
      );
    }
    noteDial(of.ledger, listed, {
      callId: call.id,
      atMs,
      endedMs: call.ended_at?.getTime() ?? atMs,
      outcome: call.outcome ?? 'unknown',
      fromPhone: call.caller_id === null ? null : call.from_phone,
      consentId: call.consent_id,
      said: call.events.flatMap((event) => (event.type === 'disclosure' ? [String(event['text'])] : [])),
    });
  }
}

const places = new WeakMap<JudgedOrganization, { count: number; byName: Map<string, Listed> }>();

function listedOf(
  of: JudgedOrganization,
  campaignId: string | null,
  phoneNumber: string,
): Listed | undefined {
  if (campaignId === null) return of.ledger.direct.get(phoneNumber);
  let known = places.get(of);
  if (known === undefined || known.count !== of.ledger.listed.length) {
    const byName = new Map(
      of.ledger.listed.map((one) => [`${one.terms.id} ${one.person.phoneNumber}`, one] as const),
    );
    places.set(of, (known = { count: of.ledger.listed.length, byName }));
  }
  return known.byName.get(`${campaignId} ${phoneNumber}`);
}

interface Missing {
  of: JudgedOrganization;
  one: Listed;
}

/** The people who could have been dialed since the clock was set and still can be. */
function findMissing(of: JudgedOrganization, fromMs: number, restMs: number): Missing[] {
  // All people at one instant and then at the other, so that the cache computes each place and instant once.
  return [fromMs, restMs]
    .reduce<readonly Listed[]>(
      (left, atMs) => left.filter((one) => forbiddenBy(of.ledger, one, atMs, 'perhaps') === null),
      of.ledger.listed,
    )
    .map((one) => ({ of, one }));
}

/**
 * In organizations with caller ids, checks again after the engine has looked for caller ids again. It does so within five minutes, even if another
 * call has returned one earlier (docs/compliance.md, "Caller ids").
 */
async function stillMissing(
  { stack, engine }: { stack: Stack; engine: EngineInStep },
  organizations: readonly JudgedOrganization[],
  missing: readonly Missing[],
  { seen, run, restMs }: { seen: Set<string>; run: Run; restMs: number },
): Promise<string[]> {
  let left = missing;
  let atMs = restMs;
  for (let looked = 0; looked < 2 && left.some(({ of }) => of.ledger.callerIds !== null); looked++) {
    await stack.clock.set(new Date(atMs + callerIdsWithinMs));
    await engine.settle();
    atMs = (await stack.clock.now()).getTime();
    await judgeDials(stack, organizations, { seen, sinceMs: restMs }, run);
    left = left.filter(({ of, one }) => forbiddenBy(of.ledger, one, atMs, 'perhaps') === null);
  }
  return left.map(({ of, one }) => `${told(of, one, atMs)} was left out`);
}

function told({ ledger }: JudgedOrganization, { terms, person, dials }: Listed, atMs: number): string {
  const where = person.may
    .map(({ country, region }) => region ?? country)
    .slice(0, 3)
    .join('+');
  return `${person.phoneNumber} (${where}) of ${terms.name}, ${ledger.name}, at ${new Date(atMs).toISOString()}, after ${dials.length} dials,`;
}
