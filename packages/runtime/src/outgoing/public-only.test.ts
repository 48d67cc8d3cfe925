import { expect, test } from 'vitest';
import { mayBePublic } from './public-only.ts';

test.each([
  '127.0.0.1',
  '127.1',
  '2130706433',
  '0x7f.1',
  '0.0.0.0',
  '10.0.0.1',
  '172.16.0.9',
  '192.168.1.1',
  '100.64.0.1',
  '169.254.169.254',
  '[::1]',
  '[::]',
  '[::ffff:10.0.0.1]',
  // IPv4-compatible, translated, NAT64, 6to4 and Teredo.
  '[::127.0.0.1]',
  '[::a9fe:a9fe]',
  '[::ffff:0:127.0.0.1]',
  '[64:ff9b::127.0.0.1]',
  '[64:ff9b:1::127.0.0.1]',
  '[2002:7f00:1::]',
  '[2001:0:7f00:1::]',
  '[fd00::1]',
  '[fe80::1]',
  'localhost',
  'LOCALHOST.',
  'api.localhost',
])('%s is not public', (host) => {
  expect(mayBePublic(new URL(`http://${host}:8080/hook`))).toBe(false);
});

test.each(['example.com', '93.184.215.14', '[2606:2800:21f::1]', 'localhost.example.com'])(
  '%s may be public',
  (host) => {
    expect(mayBePublic(new URL(`https://${host}/hook`))).toBe(true);
  },
);
