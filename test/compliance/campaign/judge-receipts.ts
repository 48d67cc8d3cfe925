import { explainRecipient, readReceipt, type Receipt } from '@outdial/engine';
import { wallClock } from '../../oracle/wall-clock.ts';
import type { Stack } from '../../support/stack/start-stack.ts';
import { texts } from '../texts.ts';
import { covers, forbiddenBy, mayCallFrom } from './judge.ts';
import type { Dial, Ledger, Listed } from './ledger.ts';
import type { JudgedOrganization } from './world.ts';

const hourMs = 3_600_000;

/** Every dial has a receipt that says what the checker says. */
export async function judgeReceipts(
  stack: Stack,
  { organization, ledger }: JudgedOrganization,
): Promise<string[]> {
  const faults: string[] = [];
  for (const listed of ledger.listed) {
    for (const dial of listed.dials) {
      const key = { organizationId: organization.id, callId: dial.callId };
      const receipt = await readReceipt(stack.db, key);
      const wrong = receipt === null ? ['none'] : wrongIn(receipt, ledger, listed, dial);
      if (wrong.length > 0) faults.push(`the receipt of ${listed.person.phoneNumber}: ${wrong.join(', ')}`);
    }
  }
  return faults;
}

function wrongIn(
  { record, conditions, consent }: Receipt,
  ledger: Ledger,
  listed: Listed,
  dial: Dial,
): string[] {
  const { grounds, personCheck, gatedAt } = record;
  const { terms, person } = listed;
  const wrong: string[] = [];
  const expect = (what: string, holds: boolean) => {
    if (!holds) wrong.push(what);
  };
  expect('its instant', gatedAt?.getTime() === dial.atMs);
  expect('a condition', conditions.length > 0 && conditions.every(({ verdict }) => verdict !== 'fails'));
  expect('the policy', grounds?.calling_policy === ledger.policy);
  const clocks = (zones: readonly string[]) =>
    [...new Set(zones.map((zone) => JSON.stringify(wallClock(zone, dial.atMs))))].toSorted().join();
  expect('the clocks', clocks(grounds?.zones ?? []) === clocks(person.may.flatMap(({ zones }) => zones)));
  expect('the rules', rulesOf(grounds?.rules ?? []) === rulesOfPlaces(ledger, listed));
  expect(
    'a citation',
    (grounds?.rules ?? []).every(({ citation, version }) => citation !== '' && version > 0),
  );
  for (const span of [grounds?.window, grounds?.calling_hours]) {
    const isWithin =
      span != null && Date.parse(span.opens_at) <= dial.atMs && dial.atMs < Date.parse(span.closes_at);
    expect('a window', isWithin);
  }
  expect('the purpose', grounds?.campaign?.purpose === terms.purpose);
  const dials = ledger.dialsOf.get(person.phoneNumber) ?? [];
  for (const { hours, made } of personCheck?.calls ?? [{ hours: 0, made: -1 }]) {
    const counted = dials.filter(({ atMs }) => atMs < dial.atMs && atMs > dial.atMs - hours * hourMs);
    expect(`${made} of ${counted.length} calls in ${hours} hours`, made === counted.length);
  }
  expect('the caller id', record.fromPhone === dial.fromPhone || ledger.callerIds === null);
  if (terms.requireConsent) {
    const relied = (ledger.consents.get(person.phoneNumber) ?? []).find(({ id }) => id === consent?.id);
    expect(
      'the consent',
      relied !== undefined && covers(relied, terms, dial.atMs, ({ answeredMs }) => dial.atMs >= answeredMs),
    );
  }
  return wrong;
}

/** A territory's rule is its country's; islands beside a country go by the country's. */
const namedFor: Readonly<Record<string, string>> = { GG: 'GB', IM: 'GB', JE: 'GB' };

const rulesOf = (rules: ReadonlyArray<{ jurisdiction: string }>) =>
  [...new Set(rules.map(({ jurisdiction }) => namedFor[jurisdiction] ?? jurisdiction))].toSorted().join();

function rulesOfPlaces({ policy }: Ledger, { person }: Listed): string {
  const named = person.may.flatMap(({ country, region }) => {
    const own = texts[country] === undefined ? 'XX' : country;
    return policy === 'strict' && region !== null && texts[region] !== undefined ? [own, region] : [own];
  });
  return [...new Set(named)].toSorted().join();
}

/** Refusals that no rule made: the engine tries again at once, or later, and skips no recipient because of them. */
const ofItsOwn = new Set([
  'changed',
  'stale',
  'lease_expired',
  'number_in_call',
  'not_running',
  'withdrawn',
  // Attempts that were undone after their gate.
  'provider_deferred',
  'not_sent',
  'withdrawn_at_provider',
]);

/** Calls of a caller id are taken as people are claimed, a moment before those who got them are dialed. */
function hadNoCallerId(ledger: Ledger, { person }: Listed, atMs: number): boolean {
  const { callerIds } = ledger;
  if (callerIds === null) return false;
  const since = ({ askedMs }: { askedMs: number }) => atMs >= askedMs;
  return !callerIds.some((one) => mayCallFrom(ledger, one, person, atMs + 10_000, since));
}

/** Each refusal on file agrees with the checker, and recipients that were never dialed have a reason. */
export async function judgeRefusals(
  stack: Stack,
  { organization, ledger }: JudgedOrganization,
): Promise<string[]> {
  const faults: string[] = [];
  const recipients = await stack.db
    .selectFrom('campaign_recipients')
    .select(['id', 'campaign_id', 'phone_number'])
    .where('organization_id', '=', organization.id)
    .execute();
  const ids = new Map(recipients.map((one) => [`${one.campaign_id} ${one.phone_number}`, one.id]));
  for (const listed of ledger.listed) {
    const { terms, person } = listed;
    const key = { organizationId: organization.id, campaignId: terms.id };
    const recipientId = ids.get(`${terms.id} ${person.phoneNumber}`) ?? '';
    const found = await explainRecipient(stack.db, { ...key, recipientId });
    const name = `${person.phoneNumber} of ${terms.name}, ${ledger.policy}`;
    if (found === null) {
      faults.push(`${name}: no explanation`);
      continue;
    }
    const { refusals } = found;
    if (refusals !== null && !ofItsOwn.has(refusals.lastReason)) {
      const atMs = refusals.lastAt.getTime();
      const own = hadNoCallerId(ledger, listed, atMs)
        ? 'no_caller_id'
        : forbiddenBy(ledger, listed, atMs, 'perhaps');
      const agrees =
        own === refusals.lastReason ||
        forbiddenBy(ledger, listed, atMs, 'perhaps') === refusals.lastReason ||
        // Those who wait end as soon as they are suppressed, also before the campaign begins.
        forbiddenBy(ledger, { ...listed, terms: { ...terms, startMs: 0 } }, atMs, 'perhaps') ===
          refusals.lastReason;
      if (!agrees) {
        faults.push(
          `${name}: refused for ${refusals.lastReason} at ${refusals.lastAt.toISOString()}, and not for ${own}`,
        );
      }
    }
    if (listed.dials.length > 0) continue;
    const failed = found.conditions
      .filter(({ verdict }) => verdict === 'fails')
      .map(({ condition }) => condition);
    const own = forbiddenBy(ledger, listed, (await stack.clock.now()).getTime(), 'perhaps');
    const isExplained = own !== null && failed.some((condition) => condition === own);
    if (!isExplained) faults.push(`${name}: never dialed for ${own}, explained by ${failed.join()}`);
  }
  return faults;
}
