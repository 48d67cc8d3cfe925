import { expect, test } from 'vitest';
import { decideHost } from './allowed-host.ts';

const allowed = ['gateway.test:8443', 'audio.test', '*.cdn.test'];

test.each([
  ['https://audio.test/a', 'named'],
  ['http://AUDIO.test/a', 'named'],
  ['https://gateway.test:8443/a', 'named'],
  ['https://eu.cdn.test/a', 'pattern'],
  ['https://a.b.cdn.test/a', 'pattern'],
  ['https://cdn.test/a', 'refused'],
  ['https://evilcdn.test/a', 'refused'],
  ['https://eu.cdn.test:8443/a', 'refused'],
  ['https://gateway.test/a', 'refused'],
  ['https://audio.test:444/a', 'refused'],
  ['https://audio.test.evil/a', 'refused'],
  ['https://audio.test@evil.test/a', 'refused'],
  ['https://me@audio.test/a', 'refused'],
  ['ftp://audio.test/a', 'refused'],
])('%s is %s', (url, kind) => {
  expect(decideHost(new URL(url), allowed).kind).toBe(kind);
});
