import type { Random } from '../chaos/random.ts';
import { Raw } from './json-text.ts';

/** Text that two layers may read differently; each example once did, or might. */
const texts = [
  '',
  ' ',
  '\u0000',
  'a\u0000b',
  '\ud800',
  'x\udc00y',
  '\ufeff',
  '\u2028\u2029',
  '\u202eabc',
  'e\u0301'.repeat(200),
  '𝒳'.repeat(100),
  '__proto__',
  'constructor',
  'toString',
  'hasOwnProperty',
  'then',
  'length',
  'null',
  'true',
  'NaN',
  'Infinity',
  '-0',
  '1e400',
  '0x10',
  '٣٤',
  'İıſß',
  '../../../etc/passwd',
  'C:\\con',
  "'; drop table calls; --",
  '$1',
  '{{name}}',
  '{{__proto__}}',
  '%',
  '%00',
  '%ff%fe',
  '=cmd()',
  '<script>alert(1)</script>',
  'x'.repeat(300),
  'x'.repeat(5_000),
  '['.repeat(2_000),
  '\\',
  '"',
  '\r\nX-Injected: 1',
  '\t',
  '*',
  ':-1',
  '00000000-0000-0000-0000-000000000000',
  'FFFFFFFF-FFFF-FFFF-FFFF-FFFFFFFFFFFF',
  'urn:uuid:00000000-0000-4000-8000-000000000000',
  '0001-01-01T00:00:00Z',
  '0000-00-00T00:00:00Z',
  '9999-12-31T23:59:59.999Z',
  '+275760-09-13T00:00:00.000Z',
  '-271821-04-20T00:00:00.000Z',
  '-000001-01-01T00:00:00Z',
  '2024-02-30T00:00:00Z',
  '2024-12-31T23:59:60Z',
  '2024-01-01T00:00:00+99:99',
  '2024-01-01',
  '2024-01-01T00:00:00.123456789012345678901234567890Z',
  '24:00',
  '23:59:60',
  '99:99',
  '00:00',
  '9:5',
  'UTC',
  'Europe/Berlin',
  'GMT+25',
  'Etc/GMT+14',
  'BST',
  'America/../../etc',
  '+15551234567',
  '+1',
  '+0000000000',
  '+999999999999999',
  '+1555１２３４５６７',
  'tel:+15551234567;ext=1',
  'sip:a@b',
  '+1 (555) 123-4567 x9',
  'http://127.0.0.1:1/',
  'http://[::ffff:7f00:1]/',
  'http://2130706433/',
  'https://user:password@example.com/',
  'https://example.com:99999/',
  'https://xn--/',
  'ftp://example.com',
  'javascript:alert(1)',
  'https://\u0000.example.com',
  'a@b.c',
  '@',
  'running',
  'finished',
  'draft',
  'admin',
  'RIFF',
] as const;

/** JSON numbers. Some parse to values that no column can store. */
const numbers = [
  '0',
  '-0',
  '1',
  '-1',
  '0.5',
  '5e-324',
  '1e-400',
  '1e-7',
  '1.0000000000000002',
  '2147483647',
  '2147483648',
  '-2147483649',
  '9007199254740993',
  '9223372036854775808',
  '1e21',
  '1e300',
  '1.7976931348623157e308',
  '1e400',
  '-1e400',
  '123456789012345678901234567890',
  '0.1e1',
  '1E2',
] as const;

export function hostileText(random: Random): string {
  if (random.chance(0.02)) return 'x'.repeat(random.between(60_000, 140_000));
  if (random.chance(0.1)) return mixture(random);
  // Text that Postgres cannot store.
  if (random.chance(0.1)) return random.pick(['a\u0000b', '\ud800', 'x\udc00y', '\u0000']);
  return random.pick(texts);
}

function mixture(random: Random): string {
  const units = Array.from({ length: random.between(1, 12) }, () =>
    random.chance(0.5) ? random.between(0, 0xff) : random.between(0, 0xffff),
  );
  return String.fromCharCode(...units);
}

export function hostileNumber(random: Random): Raw {
  return new Raw(random.pick(numbers));
}

/** A value of a random kind, probably of the wrong type. */
export function hostileValue(random: Random): unknown {
  const kinds: [() => unknown, ...Array<() => unknown>] = [
    () => hostileText(random),
    () => hostileText(random),
    () => hostileNumber(random),
    () => hostileNumber(random),
    () => null,
    () => random.chance(0.5),
    () => [],
    () => ({}),
    () => Array.from({ length: random.between(1, 4) }, () => hostileValue(random)),
    () => ({ [hostileText(random)]: hostileValue(random) }),
    () => new Raw('{"__proto__":{"role":"admin"},"constructor":{"prototype":{}}}'),
    () => new Raw('{"a":1,"a":2}'),
    () => nested(random),
    () => Array.from({ length: random.between(100, 1_500) }, () => hostileText(random).slice(0, 30)),
  ];
  return random.pick(kinds)();
}

function nested(random: Random): Raw {
  const depth = random.pick([5, 30, 33, 70, 1_000, 20_000]);
  return random.chance(0.5)
    ? new Raw('['.repeat(depth) + ']'.repeat(depth))
    : new Raw('{"a":'.repeat(depth) + '1' + '}'.repeat(depth));
}
