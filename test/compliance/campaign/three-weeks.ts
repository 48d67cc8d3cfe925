import { createRandom, type Random } from '../../chaos/random.ts';
import type { Stack } from '../../support/stack/start-stack.ts';
import type { EngineInStep } from './engine-in-step.ts';
import { forbiddenBy } from './judge.ts';
import { noteDial, type Listed } from './ledger.ts';
import type { ListedPerson } from './list.ts';
import { addPeople, changed, type JudgedOrganization } from './world.ts';

const minuteMs = 60_000;
/** More than a step takes on the clock of the engine. */
const aroundMs = 10 * minuteMs;
/** People come onto the lists until then, so that the last of them have a week left. */
const lastDayOfPeople = 14;

export interface Run {
  dials: number;
  /** In the words of the checker; none where all is well. */
  faults: string[];
}

/** Runs the clock from step to step over weeks, and holds each dial, and each that is missing, against the texts. */
export async function runWeeks(
  { stack, engine }: { stack: Stack; engine: EngineInStep },
  organizations: readonly JudgedOrganization[],
  args: { people: readonly ListedPerson[]; days: number; stepMinutes: number; seed: number },
): Promise<Run> {
  const run: Run = { dials: 0, faults: [] };
  const random = createRandom(args.seed);
  const startMs = (await stack.clock.now()).getTime();
  const seen = new Set<string>();
  let nextDay = 0;
  for (let passed = 0; passed < args.days * 1_440; passed += args.stepMinutes) {
    if (passed >= nextDay * 1_440) {
      if (nextDay <= lastDayOfPeople) {
        const place = nextDay;
        const ofDay = args.people.flatMap((person, at) =>
          at % (lastDayOfPeople + 1) === place ? [{ person, place: at }] : [],
        );
        for (const one of organizations) await addPeople(stack, one, ofDay);
      }
      nextDay += 1;
    }
    // Now and then a moment before the hour, so that windows close while calls are made.
    const offMs = random.chance(0.2) ? -random.between(100, 1_500) : random.between(0, 20_000);
    const setMs = startMs + passed * minuteMs + offMs;
    if (setMs > (await stack.clock.now()).getTime()) await stack.clock.set(new Date(setMs));
    const fromMs = Math.max(setMs, (await stack.clock.now()).getTime());
    const settled = engine.settle();
    for (const one of organizations) await changeSomething(stack, one, random);
    await settled;
    await engine.settle();
    const restMs = (await stack.clock.now()).getTime();
    await judgeDials(stack, organizations, { seen, sinceMs: fromMs }, run);
    for (const one of organizations) judgeMissing(one, fromMs, restMs, run);
  }
  return run;
}

/** People opt out and take back what they agreed to, while calls are made. */
async function changeSomething(
  stack: Stack,
  { ledger, send }: JudgedOrganization,
  random: Random,
): Promise<void> {
  const somebody = () => ledger.listed[random.between(0, ledger.listed.length - 1)]?.person.phoneNumber ?? '';
  if (random.chance(0.3)) {
    const phoneNumber = somebody();
    const change = await changed(stack, () => send('POST', '/suppressions', { phone_number: phoneNumber }));
    ledger.optOuts.set(phoneNumber, [
      ...(ledger.optOuts.get(phoneNumber) ?? []),
      { ...change, untilMs: null },
    ]);
  }
  if (random.chance(0.2)) {
    const phoneNumber = somebody();
    for (const consent of ledger.consents.get(phoneNumber) ?? []) {
      if (consent.revoked !== null) continue;
      consent.revoked = await changed(stack, () => send('POST', `/consents/${consent.id}/revoke`, {}));
    }
  }
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
    .select(['from_phone', 'consent_id'])
    // Since the clock was set, and a little before: adding people dials some of them at once.
    .where('gated_at', '>=', new Date(sinceMs - aroundMs))
    .orderBy('gated_at')
    .execute();
  for (const call of calls) {
    if (seen.has(call.id)) continue;
    seen.add(call.id);
    run.dials += 1;
    const of = organizations.find(({ organization }) => organization.id === call.organization_id);
    const listed = of && listedOf(of, call.campaign_id ?? '', call.phone_number);
    if (of === undefined || listed === undefined) {
      run.faults.push(`${call.phone_number} was dialed and is on no list`);
      continue;
    }
    const atMs = call.gated_at?.getTime() ?? 0;
    const reason = forbiddenBy(of.ledger, listed, atMs, 'surely');
    if (reason !== null) run.faults.push(`${told(of, listed, atMs)} was dialed: ${reason}`);
    noteDial(of.ledger, listed, {
      callId: call.id,
      atMs,
      endedMs: call.ended_at?.getTime() ?? atMs,
      outcome: call.outcome ?? 'unknown',
      fromPhone: call.caller_id === null ? null : call.from_phone,
      consentId: call.consent_id,
    });
  }
}

const places = new WeakMap<JudgedOrganization, { count: number; byName: Map<string, Listed> }>();

function listedOf(of: JudgedOrganization, campaignId: string, phoneNumber: string): Listed | undefined {
  let known = places.get(of);
  if (known === undefined || known.count !== of.ledger.listed.length) {
    const byName = new Map(
      of.ledger.listed.map((one) => [`${one.terms.id} ${one.person.phoneNumber}`, one] as const),
    );
    places.set(of, (known = { count: of.ledger.listed.length, byName }));
  }
  return known.byName.get(`${campaignId} ${phoneNumber}`);
}

/** Who could be dialed since the clock was set, and still can be, was left out. */
function judgeMissing(of: JudgedOrganization, fromMs: number, restMs: number, run: Run): void {
  const missing = of.ledger.listed.filter((one) => forbiddenBy(of.ledger, one, fromMs, 'perhaps') === null);
  for (const one of missing) {
    if (forbiddenBy(of.ledger, one, restMs, 'perhaps') !== null) continue;
    run.faults.push(`${told(of, one, restMs)} was left out`);
  }
}

function told({ ledger }: JudgedOrganization, { terms, person, dials }: Listed, atMs: number): string {
  const where = person.may
    .map(({ country, region }) => region ?? country)
    .slice(0, 3)
    .join('+');
  return `${person.phoneNumber} (${where}) of ${terms.name}, ${ledger.policy}, at ${new Date(atMs).toISOString()}, after ${dials.length} dials,`;
}
