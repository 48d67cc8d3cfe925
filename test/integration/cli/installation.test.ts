import { mkdtemp, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { consentProof } from '@outdial/contracts';
import { connect, findApiKey, hashApiKey } from '@outdial/db';
import { sql } from 'kysely';
import { describe, expect, onTestFinished, test } from 'vitest';
import { z } from 'zod';
import { createTestDatabase } from '../../support/database.ts';
import { openCliWorld } from './cli-world.ts';
import { runOutdial } from './run-outdial.ts';

const { directory, databaseUrl, db, outdial, answer, refusal, file } = await openCliWorld();
const withId = z.object({ id: z.uuid() });

describe('outdial', () => {
  // One installation from its first command on. The tests depend on each other, in the order in which an operator proceeds.
  test('says that an empty database is to be migrated, and migrates it', async () => {
    expect(await refusal('key list')).toMatchObject({ status: 1, code: 'not_migrated' });
    expect((await outdial('migrate')).out).toContain('ran 0001_base');
    expect(await answer(z.object({ migrations: z.array(z.string()) }), 'migrate')).toEqual({
      migrations: [],
    });
    expect(await refusal('key list')).toMatchObject({ status: 1, code: 'no_organization' });
  });

  test('makes organization, admin and key with one command, and only once', async () => {
    const fresh = await createTestDatabase();
    onTestFinished(() => fresh.drop());
    // In containers, the password comes in a file.
    const url = new URL(fresh.databaseUrl);
    const password = await file('password', [decodeURIComponent(url.password) || 'unused']);
    url.password = '';
    const env = { DATABASE_URL: url.href, DATABASE_PASSWORD_FILE: join(directory, password) };
    const made = z.object({ organization_id: z.uuid(), user_id: z.uuid(), key: z.string() });
    const runs = await Promise.all([1, 2].map(() => runOutdial(['init', '--json'], { directory, env })));
    const first = runs.filter(({ status }) => status === 0);
    expect(first).toHaveLength(1);
    const { organization_id, user_id, key } = made.parse(JSON.parse(first[0]?.out ?? ''));
    expect(runs.map(({ err }) => err).join('')).toContain('already_initialized');

    const freshDb = connect({ databaseUrl: fresh.databaseUrl, poolMax: 1 });
    onTestFinished(() => freshDb.destroy());
    expect(await findApiKey(freshDb, hashApiKey(key))).toMatchObject({
      organizationId: organization_id,
      userId: user_id,
      role: 'admin',
    });
  });

  test('organizations, providers, users, keys and tokens', async () => {
    const org = await answer(withId, 'org create Acme --calling-policy none --timezone Europe/Berlin');
    const reversed = await outdial('org set Acme --timezone Etc/GMT+5');
    expect(reversed.out).toContain('warning: Etc/GMT+5 is UTC-5');
    await outdial('org set Acme --timezone Europe/Berlin');
    expect(await refusal('org set Acme --default-provider simulator')).toMatchObject({
      status: 1,
      code: 'provider_not_found',
    });
    const lines = z.object({ max_lines: z.literal(20) });
    await answer(lines, 'provider set simulator --max-lines 20 --set ring_ms=5');
    const newAccount = z.object({ adapter: z.literal('twilio'), calls_per_second: z.literal(1) });
    await answer(newAccount, 'provider set twilio --set record=true');
    // Without a URL or a secret, its calls would wait forever.
    const unable = await refusal('provider set berlin --adapter gateway');
    expect(unable).toMatchObject({ status: 2, code: 'usage' });
    const changed = z.object({
      default_provider: z.literal('simulator'),
      max_lines: z.null(),
      timezone: z.literal('Europe/Berlin'),
    });
    await answer(changed, `org set ${org.id} --default-provider simulator --max-lines none`);
    const user = 'user create ada@example.com --first-name Ada --last-name Lovelace --role admin';
    await answer(withId, user);
    expect(await refusal(user)).toMatchObject({ status: 1, code: 'user_exists' });
    const made = withId.extend({ key: z.string(), role: z.literal('viewer') });
    const key = await answer(made, 'key create --user ada@example.com --role viewer');
    const listed = await outdial('key list');
    expect(listed.out).toContain(key.id);
    expect(listed.out).not.toContain(key.key);
    await answer(withId, `key revoke ${key.id}`);
    expect((await outdial('key list')).out).toContain('revoked');
    expect(await refusal('key revoke x')).toMatchObject({ status: 1, code: 'key_not_found' });
    const { token } = await answer(z.object({ token: z.string() }), 'token create --user ada@example.com');
    const [, claims = ''] = token.split('.');
    expect(JSON.parse(Buffer.from(claims, 'base64url').toString())).toMatchObject({
      org: org.id,
      role: 'admin',
      name: 'Ada Lovelace',
    });
  });

  test('imports an agent from a file, and later only the changes', async () => {
    const name = await file('anna.yaml', [
      'name: Anna',
      'skills:',
      '  - {type: transfer, exec_order: 1}',
      'prompts:',
      '  - prompt: Hello {{name}}',
    ]);
    const imported = withId.extend({ is_new: z.boolean(), prompts_added: z.number() });
    const first = await answer(imported, 'agent import', name);
    expect(first).toMatchObject({ is_new: true, prompts_added: 1 });
    expect(await answer(imported, 'agent import', name)).toEqual({
      ...first,
      is_new: false,
      prompts_added: 0,
    });
    const changed = await file('anna.json', [
      JSON.stringify({ name: 'Anna', prompts: [{ prompt: 'Hi {{name}}' }] }),
    ]);
    expect(await answer(imported, 'agent import', changed)).toEqual({
      ...first,
      is_new: false,
      prompts_added: 1,
    });
    const bad = await file('bad.yaml', ['name: Anna', 'prompts:', '  - level: 1']);
    expect(await refusal('agent import', bad)).toMatchObject({
      status: 1,
      code: 'faulty_file',
      faults: [{ line: 3 }],
    });
    expect(await refusal('agent import no-such-file')).toMatchObject({
      status: 1,
      code: 'file_not_found',
    });
  });

  test('suppressions from a file, faults by line', async () => {
    const one = z.object({ added: z.literal(1) });
    await answer(one, 'suppress add +15551230000 --reason', 'asked for it');
    const name = await file('stop.csv', ['phone,reason', '+15551230000,again', 'x,', '+15551230001,']);
    const imported = z.object({
      added: z.number(),
      known: z.number(),
      faults: z.array(z.object({ line: z.number() })),
    });
    expect(await answer(imported, 'suppress import', name)).toMatchObject({
      added: 1,
      known: 1,
      faults: [{ line: 3 }],
    });
    expect((await outdial('suppress list')).out).toBe('+15551230001\n+15551230000  asked for it\n');
    const wrong = await file('wrong.csv', [
      'phone,reason,expires_at',
      '+15551230003,,2020-01-01T00:00:00Z',
      `+15551230004,${'x'.repeat(501)},`,
    ]);
    const skipped = await outdial('suppress import', wrong);
    expect(skipped.out).toContain('line 2 expires_at should be in the future; skipped');
    expect(skipped.out).toContain('line 3 has a wrong reason: String should have at most 500 characters');
    expect(skipped.out).toContain('0 added, 0 known before, 2 skipped');
    await outdial('suppress add +15551230002 --everywhere --reason', 'court order');
    expect((await outdial('suppress list --everywhere')).out).toBe('+15551230002  court order\n');
    await outdial('suppress remove +15551230002 --everywhere');
    expect((await outdial('suppress list --everywhere')).out).toBe('');
    expect(await refusal('suppress remove +15551230002')).toMatchObject({ code: 'not_suppressed' });
  });

  test('a campaign from a CSV file, configured before it runs, and watched to its end', async () => {
    const csv = await file('list.csv', [
      'phone,name,timezone',
      '+15551230010,Ann,',
      'nonsense,Bob,',
      '+15551230011,,Asia/Tokyo',
      '+15551230010,Ann,',
    ]);
    const create = `campaign create --csv ${csv} --name Spring --agent Anna`;
    const created = withId.extend({
      status: z.string(),
      recipients: z.number(),
      faults: z.array(z.object({ line: z.number() })),
    });
    const config = '--start-date 2030-01-07 --call-back-attempts 2 --max-concurrent-calls 3';
    const campaign = await answer(created, `${create} ${config} --status running`);
    expect(campaign).toMatchObject({
      status: 'running',
      recipients: 2,
      faults: [{ line: 3 }, { line: 5 }],
    });
    const row = await db
      .selectFrom('campaigns as c')
      .innerJoin('campaign_configs as f', 'f.campaign_id', 'c.id')
      .select([
        'c.status',
        'c.timezone',
        'c.calling_keys',
        'c.start_at',
        'f.call_back_attempts',
        'f.max_concurrent_calls',
      ])
      .where('c.id', '=', campaign.id)
      .executeTakeFirstOrThrow();
    expect(row).toEqual({
      status: 'running',
      timezone: 'Europe/Berlin',
      calling_keys: ['Asia/Tokyo', 'Europe/Berlin'],
      start_at: new Date('2030-01-06T23:00:00Z'),
      call_back_attempts: 2,
      max_concurrent_calls: 3,
    });
    await db
      .updateTable('campaign_recipients')
      .set({ state: 'done', last_outcome: 'completed', attempts: 1 })
      .execute();
    await db
      .updateTable('campaigns')
      .set({ status: 'finished', ended_at: new Date() })
      .where('id', '=', campaign.id)
      .execute();
    const watched = await outdial('campaign watch', campaign.id);
    expect(watched).toMatchObject({
      status: 0,
      out: 'finished · 2/2 · in call 0 · dials 2 · completed 2\n',
    });
    const json = z.object({
      recipients: z.object({ total: z.literal(2), reached: z.literal(2) }),
      ended: z.literal(2),
      outcomes: z.object({ completed: z.literal(2) }),
    });
    await answer(json, 'campaign watch', campaign.id);

    const none = await file('none.csv', ['phone', 'x']);
    expect(await refusal(`campaign create --csv ${none} --name x --agent Anna`)).toMatchObject({
      status: 1,
      code: 'no_recipients',
      faults: [{ line: 2 }],
    });
    expect(await refusal(`campaign create --csv ${csv} --name x --agent Nobody`)).toMatchObject({
      status: 1,
      code: 'agent_not_found',
    });
    for (const wrong of ['--end-date 2020-01-01', '--call-back-attempts 11']) {
      expect(await refusal(`${create} ${wrong}`)).toMatchObject({ status: 2, code: 'usage' });
    }
    const why = z.object({ status: z.string(), remedy: z.string().nullable(), message: z.string() });
    // A campaign that has ended cannot be set running.
    expect(await answer(why, 'campaign why', campaign.id)).toEqual({
      status: 'finished',
      message: 'The campaign is finished, and nothing more is dialed.',
      remedy: null,
    });
    expect(await refusal('campaign why', campaign.id, '--number', '+15550100999')).toMatchObject({
      code: 'number_not_found',
    });
    expect(await refusal('campaign watch x')).toMatchObject({
      status: 1,
      code: 'campaign_not_found',
    });
  });

  test('records the consents of a file, and proves one', async () => {
    const name = await file('consents.csv', [
      'number,basis,source,given_at',
      '+15551230020,prior_express_written,a form,2024-01-01T00:00:00Z',
      '+15551230021,hearsay,a form,2024-01-01T00:00:00Z',
    ]);
    const imported = z.object({ added: z.number(), faults: z.array(z.object({ line: z.number() })) });
    expect(await answer(imported, 'consent import', name)).toEqual({ added: 1, faults: [{ line: 3 }] });
    const proof: unknown = JSON.parse((await outdial('consent proof +15551230020')).out);
    // The same document as the API's, without the columns that only the database needs.
    const ofConsent = z.strictObject(consentProof.shape.consents.element.shape);
    expect(z.strictObject({ ...consentProof.shape, consents: z.array(ofConsent) }).parse(proof)).toEqual(
      proof,
    );
    expect(proof).toMatchObject({
      phone_number: '+15551230020',
      consents: [{ basis: 'prior_express_written', source: 'a form', uses: 0, revoked_at: null, calls: [] }],
    });
  });

  test('ends consents of numbers that were reassigned, by a file that may be imported again', async () => {
    const name = await file('changes.csv', [
      'phone,kind,changed_at,source',
      '+15551230020,reassigned,2024-06-01T00:00:00Z,a registry',
      '+15551230021,sold,2024-06-01T00:00:00Z,a registry',
      '555 123 0022,ported,2024-06-01T00:00:00Z,a registry',
    ]);
    const imported = z.object({
      added: z.number(),
      faults: z.array(z.object({ line: z.number(), message: z.string() })),
    });
    const first = await answer(imported, 'consent number-changes', name, '--country', 'US');
    expect(first).toMatchObject({
      added: 2,
      faults: [{ line: 3, message: expect.stringContaining('kind') as unknown }],
    });
    expect((await answer(imported, 'consent number-changes', name, '--country', 'US')).added).toBe(0);
    const proof: unknown = JSON.parse((await outdial('consent proof +15551230020')).out);
    expect(proof).toMatchObject({ consents: [{ number_changed_at: '2024-06-01T00:00:00.000Z' }] });
    expect(await refusal('consent number-changes nowhere.csv')).toMatchObject({ status: 1 });
  });

  test('imports scrub lists: the newest version counts, and outdated ones are refused', async () => {
    const dayMs = 86_400_000;
    const daysAgo = (days: number) => new Date(Date.now() - days * dayMs).toISOString();
    const name = await file('registry.csv', ['phone', '+15551230030', '+15551230031', '+1 555 123 0031']);
    const take = (scrubbedAt: string, of = name) => {
      const version = `--account 10034221 --scrubbed-at ${scrubbedAt} --source`;
      return [`scrub-list import us-national-dnc ${of} ${version}`, 'National Do Not Call Registry'] as const;
    };
    const imported = z.object({
      added: z.number(),
      known: z.number(),
      faults: z.array(z.object({ line: z.number() })),
    });
    const [older, newest] = [daysAgo(10), daysAgo(1)];
    expect(await answer(imported, ...take(older))).toEqual({ added: 2, known: 1, faults: [] });
    const shorter = await file('shorter.csv', ['phone', '+15551230031']);
    await answer(imported, ...take(newest, shorter));
    const lists = z.object({
      lists: z.array(z.object({ scrubbed_at: z.string(), good_until: z.string() })),
    });
    expect(await answer(lists, 'scrub-list list')).toMatchObject({
      lists: [{ scrubbed_at: newest, good_until: new Date(Date.parse(newest) + 31 * dayMs).toISOString() }],
    });
    expect((await outdial('scrub-list list')).out).toMatch(
      /^us-national-dnc {2}National Do Not Call Registry {2}good until /,
    );
    const unreadable = await file('unreadable.csv', ['phone', '+15551230030', '+15551230031', 'nonsense']);
    for (const refused of [
      take(older),
      take(daysAgo(0.5), unreadable),
      take(daysAgo(32)),
      take(daysAgo(-1)),
    ]) {
      expect(await refusal(...refused)).toMatchObject({ status: 1, code: 'scrub_list' });
    }
    expect(await answer(lists, 'scrub-list list')).toMatchObject({ lists: [{ scrubbed_at: newest }] });
    expect(await refusal(...take('yesterday'))).toMatchObject({
      status: 2,
      message: expect.stringContaining('scrubbed_at') as unknown,
    });
    expect((await outdial('scrub-list remove us-national-dnc')).out).toBe('us-national-dnc removed\n');
    expect(await refusal('scrub-list remove us-national-dnc')).toMatchObject({
      status: 1,
      code: 'not_found',
    });
    expect(await answer(lists, 'scrub-list list')).toEqual({ lists: [] });
  });

  test('sets disclosures and recording rules', async () => {
    await outdial('disclosure set *', 'Hello from {{organization}}.');
    await outdial('disclosure set DE', 'Guten Tag.', '--language', 'de');
    await outdial('disclosure recording US-CA announced');
    expect((await outdial('disclosure list')).out).toBe(
      '* (en): Hello from {{organization}}.\nDE (de): Guten Tag.\nUS-CA: recording announced\n',
    );
    await outdial('disclosure set DE none --language de');
    await outdial('disclosure recording US-CA none');
    expect((await outdial('disclosure list')).out).toBe('* (en): Hello from {{organization}}.\n');
    expect(await outdial('disclosure set Texas Hello.')).toMatchObject({ status: 2 });
  });

  test('changes a provider that has another name than its adapter', async () => {
    const create = 'provider set berlin --adapter asterisk --set user=outdial';
    const own =
      '--set url=http://10.0.0.7:8088 --set endpoint=PJSIP/{number}@trunk --set password_env=ASTERISK_PASSWORD_BERLIN';
    const env = { DATABASE_URL: databaseUrl, ASTERISK_PASSWORD_BERLIN: 'a-password' };
    expect(await runOutdial(`${create} ${own}`.split(' '), { directory, env })).toMatchObject({
      status: 0,
      err: '',
    });
    expect((await outdial(create)).err).toContain('calls need ASTERISK_URL');
    const changed = z.object({ adapter: z.literal('asterisk'), max_lines: z.literal(5) });
    await answer(changed, 'provider set berlin --max-lines 5');
    expect(await refusal('provider set berlin --set ring_ms=5')).toMatchObject({
      status: 2,
      code: 'usage',
      message: expect.stringContaining('ring_ms') as unknown,
    });
  });

  test('derives the secret of a further gateway from a file, or from the running local stack', async () => {
    const secret = `whsec_${Buffer.alloc(24).toString('base64')}`;
    const ofFile = {
      DATABASE_URL: databaseUrl,
      GATEWAY_SECRET_FILE: join(directory, await file('secret', [secret])),
    };
    const local = await mkdtemp(join(directory, 'local-'));
    const stack = { database_url: databaseUrl, settings: { GATEWAY_SECRET: secret } };
    await writeFile(join(local, 'database.json'), JSON.stringify(stack));
    const create = 'provider set other --adapter gateway --set url=https://voice.example.com'.split(' ');
    const printed = await runOutdial(create, { directory, env: ofFile });
    expect(printed).toMatchObject({ status: 0, err: '' });
    expect(printed.out).toMatch(/^secret of other, for the gateway: whsec_/);
    expect(await runOutdial(create, { directory, env: { OUTDIAL_DATA_DIR: local } })).toEqual(printed);
  });

  test('lists entities, and shows who changed them', async () => {
    for (const [of, shown] of [
      ['org', /Acme/],
      ['provider', /simulator +simulator +20/],
      ['user', /ada@example\.com/],
      ['agent', /Anna +\d skills +has a prompt/],
    ] as const) {
      expect((await outdial(`${of} list`)).out).toMatch(shown);
    }
    const entries = z.object({
      entries: z.array(
        z.object({ action: z.string(), actor_type: z.literal('operator'), operator: z.string() }),
      ),
    });
    const ofOrganization = await answer(entries, 'audit list');
    const actions = new Set(ofOrganization.entries.map((entry) => entry.action));
    const ofUsers = ['org create', 'org set', 'user create', 'key create', 'key revoke', 'token create'];
    const others = ['agent import', 'suppress add', 'suppress import', 'campaign create'];
    for (const action of [...ofUsers, ...others, 'disclosure set', 'disclosure recording']) {
      expect(actions).toContain(`outdial ${action}`);
    }
    const ofInstallation = await answer(entries, 'audit list --installation');
    expect(ofInstallation.entries.map((entry) => entry.action)).toContain('outdial provider set');
    expect(JSON.stringify(ofOrganization)).not.toContain('+15551230000');
  });

  test('exports and erases the data of a person', async () => {
    const exported = await outdial('person export', '+1 555 123 0010');
    expect(exported.out).toContain('"kind":"recipient"');
    expect((await outdial('person export +15551230020')).out).toContain('"kind":"consent"');
    const receipt = z.object({ recipients: z.literal(1), calls: z.literal(0) });
    await answer(receipt, 'person erase', '555 123 0010', '--country', 'US');
    expect((await outdial('person export +15551230010')).out).toBe('');
  });

  test('says which migration failed, and why', async () => {
    await sql`drop table kysely_migration`.execute(db);
    expect(await refusal('migrate')).toMatchObject({
      status: 1,
      code: 'migration_failed',
      message: expect.stringMatching(/0001_base failed: .*already exists/) as unknown,
    });
  });
});
