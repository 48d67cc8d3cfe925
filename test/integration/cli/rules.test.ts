import { expect, test } from 'vitest';
import { openCliWorld } from './cli-world.ts';

const { db, outdial, refusal, file } = await openCliWorld();

const germany = {
  jurisdiction: 'DE',
  version: 3,
  basis: 'code',
  citation: 'Our own rule',
  as_of: '2026-12-01',
};
const rulesFile = (name: string, version: string, ...rules: object[]) =>
  file(name, [JSON.stringify({ version, rules, pins: { FR: 3 } })]);

test('outdial rules imports, shows, compares and lists versions, and warns of what is looser', async () => {
  await outdial('migrate');
  expect((await outdial('rules', 'show')).out).toMatch(/only the rules that come with Outdial/);
  const first = await rulesFile('first.json', 'acme-1', { ...germany, closed: ['2027-05-03'] });
  expect(await outdial('rules', 'import', first)).toMatchObject({
    status: 0,
    err: '',
    out: expect.stringMatching(/acme-1 \(number 1\) are in force: 1 rules, 1 pins/) as unknown,
  });
  const second = await rulesFile('second.json', 'acme-2', { ...germany, consent: { marketing: null } });
  expect((await outdial('rules', 'diff', second)).out.trim().split('\n')).toEqual([
    '- DE closed: ["2027-05-03"]',
    '+ DE consent: {"marketing":null}',
  ]);
  const warning = /WARNING: DE is LOOSER .*: asks for no consent to calls of the purpose marketing/;
  expect((await outdial('rules', 'import', second)).err).toMatch(warning);
  const shown = await outdial('rules', 'show');
  expect(shown.err).toMatch(warning);
  // What is shown can be imported again.
  expect(JSON.parse(shown.out)).toMatchObject({ version: 'acme-2', pins: { FR: 3 } });
  expect((await outdial('rules', 'history')).out.trim().split('\n')).toEqual([
    expect.stringMatching(/^2 .*acme-2 /),
    expect.stringMatching(/^1 .*acme-1 /),
  ]);
});

test('a file that does not fit, or has the name of another version, is refused and changes nothing', async () => {
  const before = (await outdial('rules', 'history')).out;
  const faulty = await rulesFile('faulty.json', 'acme-9', { ...germany, weekdays: [] });
  expect(await refusal('rules', 'import', faulty)).toMatchObject({
    code: 'invalid_rules',
    message: expect.stringContaining('rules[0].weekdays should have all of') as unknown,
  });
  const pinned = await file('pinned.json', [JSON.stringify({ version: 'acme-9', pins: { DE: 1 } })]);
  expect(await refusal('rules', 'import', pinned)).toMatchObject({
    code: 'invalid_rules',
    message: expect.stringContaining('pins.DE the rule has version 2') as unknown,
  });
  const again = await rulesFile('again.json', 'acme-1');
  expect(await refusal('rules', 'import', again)).toMatchObject({ code: 'version_exists' });
  expect((await outdial('rules', 'history')).out).toBe(before);
});

test('rules that do not fit this release are shown with what is wrong, so that they can be corrected', async () => {
  const document = { version: 'acme-8', rules: [germany], pins: { FR: 1 } };
  await db
    .insertInto('rule_versions')
    .values({ name: 'acme-8', document: JSON.stringify(document), imported_at: new Date() })
    .execute();
  const shown = await outdial('rules', 'show');
  expect(shown.status).toBe(0);
  expect(JSON.parse(shown.out)).toEqual(document);
  expect(shown.err).toMatch(/WARNING: acme-8: pins\.FR the rule has version 3/);
});
