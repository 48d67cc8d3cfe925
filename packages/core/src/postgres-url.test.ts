import { describe, expect, test } from 'vitest';
import {
  choosesPostgresHost,
  hostsOfPostgres,
  NoPrimaryError,
  readPostgresUrl,
  type PostgresHost,
} from './postgres-url.ts';

describe('the url of a database', () => {
  test.each([
    'postgres://outdial:secret@localhost:5432/outdial', // secretlint-disable-line -- made up
    'postgresql://outdial@[::1]/outdial?sslmode=verify-full&sslrootcert=/etc/ca.pem',
    'postgres:///outdial?host=/var/run/postgresql',
  ])('with one host stays as it is: %s', (url) => {
    expect(readPostgresUrl(url)).toEqual({ kind: 'ok', url });
    expect(hostsOfPostgres(url)).toBeNull();
  });

  test('may name several hosts, as libpq has them', () => {
    const read = readPostgresUrl(
      'postgres://u:p@db1,db2.example.com:5433,[::1]:5434/outdial?target_session_attrs=read-write&sslmode=require', // secretlint-disable-line -- made up
    );
    if (read.kind !== 'ok') throw new Error(read.why);
    const url = new URL(read.url);
    expect([url.username, url.password, url.host, url.pathname]).toEqual(['u', 'p', 'db1', '/outdial']);
    expect(url.searchParams.get('sslmode')).toBe('require');
    expect(hostsOfPostgres(read.url)).toEqual({
      mustWrite: true,
      hosts: [
        { host: 'db1', port: 5432 },
        { host: 'db2.example.com', port: 5433 },
        { host: '::1', port: 5434 },
      ],
    });
  });

  test.each([
    ['mysql://db/outdial', /begins with postgres:\/\//],
    ['postgres://db1,db2:port/outdial', /host:port/],
    ['postgres://db1,,db2/outdial', /host:port/],
    ['postgres://db1:70000,db2/outdial', /host:port/],
    [
      'postgres://db1,db2/outdial?target_session_attrs=standby',
      /target_session_attrs .* any, primary, read-write/,
    ],
    ['postgres://db:99999/outdial', /not a url/],
  ])('is refused if it is %s', (text, why) => {
    const read = readPostgresUrl(text);
    expect(read).toMatchObject({ kind: 'wrong', why: expect.stringMatching(why) as unknown });
  });
});

describe('the choice of a host', () => {
  const hosts: PostgresHost[] = ['a', 'b', 'c'].map((host) => ({ host, port: 5432 }));

  function setup(states: Record<string, 'writes' | 'reads' | 'down'>) {
    let looks = 0;
    let nowMs = 0;
    const choose = choosesPostgresHost(
      { hosts, mustWrite: true },
      ({ host }) => {
        looks += 1;
        return states[host] === 'down'
          ? Promise.reject(new Error(`${host} is down`))
          : Promise.resolve(states[host] === 'writes');
      },
      () => nowMs,
    );
    return { choose, states, looks: () => looks, later: (ms: number) => void (nowMs += ms) };
  }

  test('is the first that writes, and is shared by connections that open together', async () => {
    const { choose, looks, later, states } = setup({ a: 'down', b: 'reads', c: 'writes' });
    expect((await Promise.all([choose(), choose()])).map(({ host }) => host)).toEqual(['c', 'c']);
    expect(looks()).toBe(3);
    states['a'] = 'writes';
    later(1_001);
    expect((await choose()).host).toBe('a');
  });

  test('fails with the reason if there is none, and is made again later', async () => {
    const { choose, later, states } = setup({ a: 'down', b: 'reads', c: 'reads' });
    await expect(choose()).rejects.toThrow(NoPrimaryError);
    states['c'] = 'writes';
    later(1_001);
    expect((await choose()).host).toBe('c');
    Object.assign(states, { a: 'down', b: 'down', c: 'down' });
    later(1_001);
    await expect(choose()).rejects.toThrow('a is down');
  });
});
