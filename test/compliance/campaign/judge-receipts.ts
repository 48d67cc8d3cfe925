import { explainRecipient, readReceipt, type Receipt } from '@outdial/engine';
import { wallClock } from '../../oracle/wall-clock.ts';
import type { Stack } from '../../support/stack/start-stack.ts';
import { texts } from '../texts.ts';
import type { Somewhere } from '../people.ts';
import { noneWasLeft, type WithoutCallerId } from './without-caller-id.ts';
import { valuesDuring } from './history.ts';
import { covers, reasonsAgainst } from './judge.ts';
import type { Dial, Ledger, Listed, Policy } from './ledger.ts';
import type { JudgedOrganization } from './judged-organization.ts';
import { directTerms } from './world.ts';

const hourMs = 3_600_000;

/** Checks that every dial has a receipt, which agrees with the checker. */
export async function judgeReceipts(
  stack: Stack,
  { organization, ledger }: JudgedOrganization,
): Promise<string[]> {
  const faults: string[] = [];
  const dialed = [...ledger.listed, ...ledger.direct.values()].flatMap((listed) =>
    listed.dials.map((dial) => ({ listed, dial })),
  );
  await inTurns(dialed, async ({ listed, dial }) => {
    const key = { organizationId: organization.id, callId: dial.callId };
    const receipt = await readReceipt(stack.db, key);
    const wrong = receipt === null ? ['none'] : wrongIn(receipt, ledger, listed, dial);
    wrong.push(...wrongSaid(ledger, listed, dial));
    if (wrong.length > 0) {
      faults.push(`the receipt of ${listed.person.phoneNumber} of ${listed.terms.name}: ${wrong.join(', ')}`);
    }
  });
  return faults;
}

/** Concurrently, because each one takes several queries. */
async function inTurns<Item>(items: readonly Item[], act: (item: Item) => Promise<void>): Promise<void> {
  const queue = items.values();
  const turn = async () => {
    for (const item of queue) await act(item);
  };
  await Promise.all(Array.from({ length: 4 }, turn));
}

/** A call has the disclosures of all places where the person may be. If that may be anywhere in a country, it has the country's. */
function wrongSaid({ disclosures }: Ledger, { person, terms }: Listed, { said }: Dial): string[] {
  const places = terms === directTerms ? person.byNumber : person.may;
  const isKnown = places.length < 10;
  const due = new Set(
    places.map(({ country, region }) => {
      const ofRegion = isKnown && region !== null ? disclosures.get(region) : undefined;
      return (ofRegion ?? disclosures.get(country) ?? disclosures.get('*') ?? '').replace(
        '{{organization}}',
        'Acme',
      );
    }),
  );
  const words = said.join(' ');
  const more = [...due].reduce((rest, text) => rest.replace(text, ''), words).trim();
  return said.length === 1 && more === '' && [...due].every((text) => words.includes(text))
    ? []
    : [`says ${JSON.stringify(said)}, and not ${JSON.stringify([...due])}`];
}

function wrongIn(receipt: Receipt, ledger: Ledger, listed: Listed, dial: Dial): string[] {
  const { record, conditions } = receipt;
  const { grounds, person_check: personCheck, gated_at: gatedAt } = record;
  const { terms, person } = listed;
  const isDirect = terms === directTerms;
  const wrong: string[] = [];
  const expect = (what: string, holds: boolean) => {
    if (!holds) wrong.push(what);
  };
  expect('its instant', gatedAt?.getTime() === dial.atMs);
  expect('a condition', conditions.length > 0 && conditions.every(({ verdict }) => verdict !== 'fails'));
  const policies = valuesDuring(ledger.policy, dial.atMs);
  const policy = policies.find((one) => one === grounds?.calling_policy);
  expect('the policy', policy !== undefined);
  const places = isDirect ? person.byNumber : person.may;
  const clocks = (zones: readonly string[]) =>
    [...new Set(zones.map((zone) => JSON.stringify(wallClock(zone, dial.atMs))))].toSorted().join();
  expect('the clocks', clocks(grounds?.zones ?? []) === clocks(places.flatMap(({ zones }) => zones)));
  expect('the rules', rulesOf(grounds?.rules ?? []) === rulesOfPlaces(policy ?? 'strict', places));
  expect(
    'a citation',
    (grounds?.rules ?? []).every(({ citation, version }) => citation !== '' && version > 0),
  );
  for (const span of isDirect ? [grounds?.calling_hours] : [grounds?.window, grounds?.calling_hours]) {
    const isWithin =
      span != null && Date.parse(span.opens_at) <= dial.atMs && dial.atMs < Date.parse(span.closes_at);
    expect('a window', isWithin);
  }
  const dials = ledger.dialsOf.get(person.phoneNumber) ?? [];
  for (const { hours, made } of personCheck?.calls ?? [{ hours: 0, made: -1 }]) {
    const counted = dials.filter(({ atMs }) => atMs < dial.atMs && atMs > dial.atMs - hours * hourMs);
    expect(`${made} of ${counted.length} calls in ${hours} hours`, made === counted.length);
  }
  expect('the caller id', record.from_phone === dial.fromPhone || ledger.callerIds === null);
  if (!isDirect) wrong.push(...wrongOfCampaign(receipt, ledger, listed, dial));
  return wrong;
}

/** Checks the parts that only campaign calls have: purpose, consent and scrub lists. */
function wrongOfCampaign(
  { record: { grounds, scrub_check: scrubCheck }, consent }: Receipt,
  ledger: Ledger,
  { terms, person }: Listed,
  dial: Dial,
): string[] {
  const wrong: string[] = [];
  if (grounds?.campaign?.purpose !== terms.purpose) wrong.push('the purpose');
  if (terms.requireConsent || grounds?.consent !== undefined) {
    const relied = (ledger.consents.get(person.phoneNumber) ?? []).find(({ id }) => id === consent?.id);
    const asked = { terms, person, atMs: dial.atMs, certainty: 'surely' } as const;
    if (relied === undefined || !covers(ledger, { consent: relied, ...asked })) wrong.push('the consent');
  }
  for (const name of terms.scrubLists) {
    const named = Date.parse(scrubCheck?.[name] ?? '');
    const versions = valuesDuring(ledger.scrubs.get(name) ?? [], dial.atMs);
    if (!versions.some(({ scrubbedMs }) => scrubbedMs === named)) wrong.push(`the version of ${name}`);
  }
  return wrong;
}

/** Territories have the rule of their country, and so do the islands of this table. */
const namedFor: Readonly<Record<string, string>> = { GG: 'GB', IM: 'GB', JE: 'GB' };

const rulesOf = (rules: ReadonlyArray<{ jurisdiction: string }>) =>
  [...new Set(rules.map(({ jurisdiction }) => namedFor[jurisdiction] ?? jurisdiction))].toSorted().join();

function rulesOfPlaces(policy: Policy, places: readonly Somewhere[]): string {
  const named = places.flatMap(({ country, region }) => {
    const own = texts[country] === undefined ? 'XX' : country;
    return policy === 'strict' && region !== null && texts[region] !== undefined ? [own, region] : [own];
  });
  return [...new Set(named)].toSorted().join();
}

/** Refusals without a rule behind them. The engine retries, and skips no recipient because of them. */
const ofItsOwn = new Set([
  'stale',
  'number_in_call',
  'not_running',
  'withdrawn',
  // The last four are attempts that were undone after their gate.
  'provider_deferred',
  'not_sent',
  'withdrawn_at_provider',
]);

function hadNoCallerId(
  ledger: Ledger,
  { terms, person }: Listed,
  atMs: number,
  without: WithoutCallerId,
): boolean {
  const found = without.ofRecipient(terms.id, person.phoneNumber, atMs);
  return ledger.callerIds !== null && found !== undefined && noneWasLeft(ledger, person, found);
}

/** How long a change of policy takes to reach all calling keys. Until then, gates refuse the others with `calling_hours` (docs/compliance.md). */
const keysWithinMs = 5 * 60_000;

/** The reasons against a dial at an instant, as far as the checker can know them. */
function reasonsAt(ledger: Ledger, listed: Listed, atMs: number, without: WithoutCallerId): string[] {
  const isKeyed = ledger.policy.every(
    ({ since }) => atMs < since.askedMs || atMs > since.answeredMs + keysWithinMs,
  );
  return [
    ...reasonsAgainst(ledger, listed, atMs, 'perhaps'),
    ...(hadNoCallerId(ledger, listed, atMs, without) ? ['no_caller_id'] : []),
    ...(isKeyed ? [] : ['calling_hours']),
  ];
}

/** Checks that each recorded refusal agrees with the checker, and that recipients without dials have a reason. */
export async function judgeRefusals(
  stack: Stack,
  { organization, ledger }: JudgedOrganization,
  without: WithoutCallerId,
): Promise<string[]> {
  const faults: string[] = [];
  const recipients = await stack.db
    .selectFrom('campaign_recipients')
    .select(['id', 'campaign_id', 'phone_number'])
    .where('organization_id', '=', organization.id)
    .execute();
  const ids = new Map(recipients.map((one) => [`${one.campaign_id} ${one.phone_number}`, one.id]));
  await inTurns(ledger.listed, async (listed) => {
    const { terms, person } = listed;
    const key = { organizationId: organization.id, campaignId: terms.id };
    const recipientId = ids.get(`${terms.id} ${person.phoneNumber}`) ?? '';
    const found = await explainRecipient(stack.db, { ...key, recipientId });
    const name = `${person.phoneNumber} of ${terms.name}, ${ledger.name}`;
    if (found === null) {
      faults.push(`${name}: no explanation`);
      return;
    }
    const { refusals } = found;
    if (refusals !== null && !ofItsOwn.has(refusals.last_reason)) {
      const own = reasonsAt(ledger, listed, refusals.last_at.getTime(), without);
      if (!own.includes(refusals.last_reason)) {
        faults.push(
          `${name}: refused for ${refusals.last_reason} at ${refusals.last_at.toISOString()}, and not for ${own.join()}`,
        );
      }
    }
    if (listed.dials.length > 0) return;
    const failed = found.conditions
      .filter(({ verdict }) => verdict === 'fails')
      .map(({ condition }) => condition);
    const own = [...reasonsAgainst(ledger, listed, (await stack.clock.now()).getTime(), 'perhaps')];
    const isExplained = own.some(
      (reason) => failed.some((condition) => condition === reason) || refusals?.last_reason === reason,
    );
    if (!isExplained) faults.push(`${name}: never dialed for ${own.join()}, explained by ${failed.join()}`);
  });
  return faults;
}
