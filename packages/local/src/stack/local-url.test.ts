import { expect, test } from 'vitest';
import { localUrl } from './local-url.ts';

test.each([
  ['127.0.0.1', 'http://127.0.0.1:3000'],
  ['0.0.0.0', 'http://127.0.0.1:3000'],
  ['::', 'http://127.0.0.1:3000'],
  ['::1', 'http://[::1]:3000'],
  ['192.168.1.5', 'http://192.168.1.5:3000'],
  ['build-host', 'http://build-host:3000'],
])('a server that listens on %s is at %s', (host, url) => {
  expect(localUrl(host, 3_000)).toBe(url);
});
