import { execFile } from 'node:child_process';
import { createHash, generateKeyPairSync, sign } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import {
  addConsents,
  addSeal,
  addSuppressions,
  addToScrubList,
  deleteOldConsents,
  erasePerson,
  inTransaction,
  readLeaves,
  type Db,
} from '@outdial/db';
import { sealReceipts } from '@outdial/engine';
import { sql } from 'kysely';
import { expect, onTestFinished, test } from 'vitest';
import { mondayMorning } from '../../support/stack/start-stack.ts';
import { useStack } from '../../support/stack/use-stack.ts';
import { byHand, campaignByHand, noProcesses } from '../engine/by-hand.ts';
import { phoneNumbers } from '../engine/campaign.ts';

const script = fileURLToPath(new URL('../../../examples/verify-receipt/verify-receipt.mjs', import.meta.url));
const dayMs = 24 * 3_600_000;

async function sealAll(db: Db): Promise<void> {
  while ((await sealReceipts({ db })).isFull);
}

/** Whoever can change the database can also turn off its triggers. */
const plant = (db: Db, statement: string) =>
  db.transaction().execute(async (tx) => {
    await sql`set local session_replication_role = replica`.execute(tx);
    await sql.raw(statement).execute(tx);
  });

const world = async (count: number) =>
  withScript(await campaignByHand({}, { phone_numbers: phoneNumbers(count) }));

async function withScript(hand: Awaited<ReturnType<typeof byHand>>) {
  const { manager, stack } = hand;
  const folder = await mkdtemp(join(tmpdir(), 'receipts-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const file = async (name: string, data: unknown) => {
    const path = join(folder, name);
    await writeFile(path, JSON.stringify({ data }));
    return path;
  };
  /** What the script says of a receipt as it is now, by the seals that were kept. */
  const verify = async (subjectId: string, kept: unknown) => {
    const files = [
      await file('proof.json', await manager.proveReceipt(subjectId)),
      await file('seals.json', kept),
    ];
    return new Promise<string>((resolve) => {
      execFile(process.execPath, [script, ...files], (_error, stdout, stderr) => resolve(stderr + stdout));
    });
  };
  return { ...hand, db: stack.db, clock: stack.clock, verify };
}

test('a script that has nothing of ours verifies calls and refusals of a day against its seal, and finds what was changed since', async () => {
  const { db, clock, manager, recipient, dialAll, verify, ...hand } = await world(6);
  const [refused = ''] = phoneNumbers(1);
  const { id: recipientId, organization_id: organizationId } = await recipient(refused);
  await addSuppressions(db, { organizationId, suppressions: [{ phoneNumber: refused, reason: null }] });
  const ids = (await dialAll()).map(({ id }) => id);
  expect(ids).toHaveLength(5);
  for (const id of ids) await hand.end(id, 'completed', id);
  await sealAll(db);
  expect((await manager.listReceiptSeals()).items).toEqual([]);
  await clock.advance(2 * dayMs);
  await sealAll(db);
  const kept = await manager.listReceiptSeals();
  expect(kept.items.map(({ number }) => number)).toEqual([2, 1]);
  for (const id of [...ids, recipientId]) expect(await verify(id, kept)).toMatch(/^VERIFIED/);

  // The first leaf. Its path has the hash of the second one.
  const [called = ''] = ids.toSorted();
  const ofCall = (set: string) => `update calls set ${set} where id = '${called}'`;
  const flipped =
    'update receipt_seals set hashes = set_bit(hashes, 256, 1 - get_bit(hashes, 256)) where number = 1';
  const changes: Array<[of: string, change: string, undo: string]> = [
    [
      called,
      ofCall("gated_at = gated_at - interval '1 hour'"),
      ofCall("gated_at = gated_at + interval '1 hour'"),
    ],
    [called, ofCall('attempt = 2'), ofCall('attempt = 1')],
    [called, ofCall("phone_number = phone_number || '1'"), ofCall('phone_number = left(phone_number, -1)')],
    [
      called,
      `update gate_grounds set content = content || '{"a": 1}'`,
      "update gate_grounds set content = content - 'a'",
    ],
    [
      called,
      `update gate_releases set content = content || '{"a": 1}'`,
      "update gate_releases set content = content - 'a'",
    ],
    [called, flipped, flipped],
    [
      recipientId,
      `update gate_refusals set counts = '{"suppressed": 2}'`,
      `update gate_refusals set counts = '{"suppressed": 1}'`,
    ],
    ...(
      [
        ['"v":2', '"v":3'],
        ['"leaves":5', '"leaves":6'],
      ] as const
    ).map(([from, to]): [string, string, string] => [
      called,
      `update receipt_seals set statement = replace(statement, '${from}', '${to}')`,
      `update receipt_seals set statement = replace(statement, '${to}', '${from}')`,
    ]),
  ];
  for (const [of, change, undo] of changes) {
    await plant(db, change);
    expect(`${change}: ${await verify(of, kept)}`).toContain(': NOT VERIFIED');
    await plant(db, undo);
    expect(`${undo}: ${await verify(of, kept)}`).toContain(': VERIFIED');
  }
});

test('refusals have no proof after another one, until its day is sealed', async () => {
  const { db, clock, manager, recipient, verify, ...hand } = await world(1);
  const { id } = await recipient();
  await sealAll(db);
  const refuse = async () => hand.undo(await hand.dial());
  const sealed = async () => {
    await clock.advance(2 * dayMs);
    await sealAll(db);
    expect(await verify(id, await manager.listReceiptSeals())).toMatch(/^VERIFIED/);
  };
  await refuse();
  await sealed();
  await refuse();
  await expect(manager.proveReceipt(id)).rejects.toMatchObject({ status: 404 });
  await sealed();
});

test('a call that was not over is in a later seal, which names the one before; an erased person has no proof', async () => {
  const { db, clock, manager, dialAll, verify, ...hand } = await world(2);
  const [over, open] = await dialAll();
  const [overId = '', openId = ''] = [over?.id, open?.id];
  await hand.end(overId, 'completed');
  await clock.advance(2 * dayMs);
  await sealAll(db);
  await expect(manager.proveReceipt(openId)).rejects.toMatchObject({ status: 404 });
  await hand.end(openId, 'completed', 'late');
  await clock.advance(2 * dayMs);
  await sealAll(db);
  const kept = await manager.listReceiptSeals();
  const [later, first] = kept.items.map(({ statement }) => JSON.parse(statement) as Record<string, unknown>);
  expect([first?.['leaves'], later?.['leaves'], first?.['previous_sha256']]).toEqual([1, 1, null]);
  expect(later?.['previous_sha256']).toMatch(/^[0-9a-f]{64}$/);
  expect(await verify(overId, kept)).toMatch(/^VERIFIED/);
  expect(await verify(openId, kept)).toMatch(/^VERIFIED/);
  const now = await clock.now();
  await inTransaction(db, (tx) =>
    erasePerson(tx, {
      organizationId: over?.organization_id ?? '',
      phoneNumber: over?.phone_number ?? '',
      keepSuppressed: false,
      forgetsOptOut: false,
      requestedBy: null,
      now,
    }),
  );
  await expect(manager.proveReceipt(overId)).rejects.toMatchObject({ status: 404 });
});

/** A call that relied on a consent and on a scrub list; it is over. */
async function callWithConsent() {
  const stack = await useStack({ ...noProcesses, startAt: mondayMorning });
  const { db, clock } = stack;
  const organization = await stack.organization();
  const { id: organizationId } = organization;
  const [phoneNumber = ''] = phoneNumbers(1);
  const now = (await clock.now()).getTime();
  await addConsents(db, {
    organizationId,
    createdBy: null,
    consents: [
      {
        phone_number: phoneNumber,
        basis: 'prior_express',
        scope: null,
        text_shown: 'Acme may call me.',
        source: 'a form',
        evidence_hash: null,
        given_at: new Date(now - dayMs),
        expires_at: new Date(now + dayMs),
      },
    ],
  });
  await inTransaction(db, (tx) =>
    addToScrubList(tx, {
      organizationId,
      name: 'national',
      source: 'a registry',
      account: '10034221',
      scrubbedAt: new Date(now - dayMs),
      phoneNumbers: ['+15559990000'],
      isComplete: true,
      isChecked: false,
    }),
  );
  const config = { require_consent: true, scrub_lists: ['national'] };
  const made = await withScript(await byHand(stack, organization, config));
  const id = await made.dial();
  await made.end(id, 'completed');
  await clock.advance(2 * dayMs);
  return { ...made, organizationId, id };
}

test('the seal covers the versions of the scrub lists and the number that gave the consent', async () => {
  const { db, manager, verify, id } = await callWithConsent();
  await sealAll(db);
  const kept = await manager.listReceiptSeals();
  expect(await verify(id, kept)).toMatch(/^VERIFIED/);
  const changes = [
    ["update scrub_list_versions set account = '1'", "update scrub_list_versions set account = '10034221'"],
    ['update scrub_list_versions set numbers = 7', 'update scrub_list_versions set numbers = 1'],
    [
      "update consents set phone_number = phone_number || '1'",
      'update consents set phone_number = left(phone_number, -1)',
    ],
  ] as const;
  for (const [change, undo] of changes) {
    await plant(db, change);
    expect(`${change}: ${await verify(id, kept)}`).toContain(': NOT VERIFIED');
    await plant(db, undo);
    expect(`${undo}: ${await verify(id, kept)}`).toContain(': VERIFIED');
  }
});

test('a call that a release before sealed without them is still proved', async () => {
  const { db, manager, verify, organizationId, id } = await callWithConsent();
  const [leaf] = await readLeaves(db, { organizationId, kind: 'calls', ids: [id] }, 1);
  const hash = createHash('sha256')
    .update(Buffer.of(0))
    .update(leaf?.leaf ?? '')
    .digest();
  const { publicKey, privateKey } = generateKeyPairSync('ed25519');
  const statement = JSON.stringify({
    v: 1,
    number: 1,
    leaves: 1,
    root: hash.toString('hex'),
    public_key: publicKey.export({ format: 'der', type: 'spki' }).toString('base64'),
  });
  await inTransaction(db, (tx) =>
    addSeal(tx, {
      organizationId,
      day: '2027-01-01',
      number: 1,
      statement,
      signature: sign(null, Buffer.from(statement), privateKey),
      subjectIds: [id],
      hashes: hash,
    }),
  );
  expect(await verify(id, await manager.listReceiptSeals())).toMatch(/^VERIFIED/);
});

test('a consent stays as long as a call that relied on it, which is proved after any number of years', async () => {
  const { db, clock, manager, verify, id } = await callWithConsent();
  await sealAll(db);
  const kept = await manager.listReceiptSeals();
  await clock.advance(6 * 366 * dayMs);
  expect(await deleteOldConsents(db, 100)).toBe(0);
  expect(await verify(id, kept)).toMatch(/^VERIFIED/);
});
