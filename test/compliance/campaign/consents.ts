import { sql } from 'kysely';
import { randomOf } from '../../chaos/random.ts';
import type { Stack } from '../../support/stack/start-stack.ts';
import { append, type KnownConsent } from './ledger.ts';
import type { ListedPerson } from './list.ts';
import { changed, type JudgedOrganization } from './judged-organization.ts';

const dayMs = 86_400_000;
const atOnce = 5_000;

type GivenConsent = Pick<KnownConsent, 'kind' | 'covers' | 'givenMs' | 'expiresMs'> & { phoneNumber: string };

/** Most people have consented, most of them in writing; some to another purpose, some for a limited time, and some not at all. */
export async function addConsents(
  stack: Stack,
  of: JudgedOrganization,
  people: readonly ListedPerson[],
  { nowMs, days }: { nowMs: number; days: number },
): Promise<void> {
  const given = people.flatMap(({ phoneNumber }) => {
    const random = randomOf(1, phoneNumber);
    const kind = random.next();
    if (kind < 0.05) return [];
    const covers = kind < 0.1 ? ['service'] : kind < 0.5 ? ['marketing', 'service'] : null;
    const expiresMs = kind > 0.85 ? nowMs + random.between(1, days * 24) * 3_600_000 : null;
    const form = random.chance(0.2) ? ('express' as const) : ('written' as const);
    return [{ phoneNumber, kind: form, covers, givenMs: nowMs - dayMs, expiresMs }];
  });
  for (let from = 0; from < given.length; from += atOnce) {
    await recordConsents(stack, of, given.slice(from, from + atOnce));
  }
}

/** Records consents over the API, and adds them to the ledger with their ids. */
export async function recordConsents(
  stack: Stack,
  { organization, ledger, send }: JudgedOrganization,
  given: readonly GivenConsent[],
): Promise<void> {
  const items = given.map(({ phoneNumber, kind, covers, givenMs, expiresMs }) => ({
    phone_number: phoneNumber,
    basis: kind === 'written' ? 'prior_express_written' : 'prior_express',
    source: 'https://acme.example/signup',
    given_at: new Date(givenMs).toISOString(),
    ...(covers !== null && { scope: covers }),
    ...(expiresMs !== null && { expires_at: new Date(expiresMs).toISOString() }),
  }));
  const recorded = await changed(stack, () => send('POST', '/consents/import', { items }));
  const { rows } = await sql<{ id: string; phone_number: string; given_at: Date }>`
    select id, phone_number, given_at from consents
    where organization_id = ${organization.id} and phone_number = any(${given.map((one) => one.phoneNumber)})`.execute(
    stack.db,
  );
  const ids = new Map(rows.map((row) => [`${row.phone_number} ${row.given_at.getTime()}`, row.id]));
  for (const { phoneNumber, ...one } of given) {
    const id = ids.get(`${phoneNumber} ${one.givenMs}`);
    if (id === undefined) throw new Error(`the consent of ${phoneNumber} was not recorded`);
    append(ledger.consents, phoneNumber, { id, ...one, recorded, revoked: null });
  }
}
