import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';
import { Resolver } from 'node:dns/promises';
import type { LookupAddress } from 'node:dns';
import http from 'node:http';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createNameLookup } from './name-lookup.ts';

let server: Socket;
const resolvers: Resolver[] = [];

/**
 * A name server that says nothing about names below `silent.test`, refuses those below `refused.test`, and answers those below `alias.test` with the name of another
 * host that has no address; every other name is at 93.184.216.34.
 */
beforeAll(async () => {
  server = createSocket('udp4');
  server.on('message', (question, { port }) => {
    const name = question.subarray(12);
    if (name.includes('silent')) return;
    const isForIpv4 = name.includes(Buffer.from([0, 0, 1, 0, 1]));
    if (name.includes('refused')) server.send(answerTo(question, [], refused), port, '127.0.0.1');
    else if (name.includes('alias')) server.send(answerTo(question, [alias]), port, '127.0.0.1');
    else server.send(answerTo(question, isForIpv4 ? [address] : []), port, '127.0.0.1');
  });
  server.bind(0, '127.0.0.1');
  await once(server, 'listening');
});
afterAll(() => {
  for (const resolver of resolvers) resolver.cancel();
  server.close();
});

/** RFC 1035, section 4.1.3: records for the requested name. */
const address = Buffer.from([0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 60, 0, 4, 93, 184, 216, 34]);
const alias = Buffer.from([0xc0, 12, 0, 5, 0, 1, 0, 0, 0, 60, 0, 6, 4, ...Buffer.from('gone'), 0]);
const refused = 5;

/** RFC 1035, section 4: repeats the question, and adds the records. */
function answerTo(question: Buffer, records: readonly Buffer[], code = 0): Buffer {
  const end = question.indexOf(0, 12) + 5;
  const header = Buffer.from(question.subarray(0, 12));
  header.writeUInt16BE(0x81_80 + code, 2);
  header.writeUInt16BE(records.length, 6);
  header.writeUInt32BE(0, 8);
  return Buffer.concat([header, question.subarray(12, end), ...records]);
}

function resolverAt(port: number, withinMs = 20_000): Resolver {
  const resolver = new Resolver({ timeout: withinMs, tries: 1 });
  resolvers.push(resolver);
  resolver.setServers([`127.0.0.1:${port}`]);
  return resolver;
}

function lookUp(
  hostname: string,
  resolver = resolverAt(server.address().port),
): Promise<readonly LookupAddress[]> {
  return new Promise((resolve, reject) => {
    createNameLookup(resolver)(hostname, { all: true }, (error, addresses) => {
      if (error === null && Array.isArray(addresses)) resolve(addresses);
      else reject(error ?? new Error('one address, in place of all'));
    });
  });
}

test('names without an answer do not delay other names', async () => {
  let silent = 0;
  for (let n = 0; n < 32; n += 1) lookUp(`${n}.silent.test`).catch(() => (silent += 1));
  await expect(lookUp('hooks.example.com')).resolves.toEqual([{ address: '93.184.216.34', family: 4 }]);
  expect(silent).toBe(0);
});

test('gives up on a name without an answer', async () => {
  await expect(lookUp('0.silent.test', resolverAt(server.address().port, 50))).rejects.toMatchObject({
    code: 'ETIMEOUT',
  });
});

test.each(['localhost', 'hooks.localhost', 'localhost.'])(
  '%s is this machine, for any answer of a name server',
  async (hostname) => {
    await expect(lookUp(hostname)).resolves.toEqual([
      { address: '127.0.0.1', family: 4 },
      { address: '::1', family: 6 },
    ]);
  },
);

test.each([true, false])(
  'a request to a name that is only an alias of one without an address fails, and nothing else (all addresses at once: %s)',
  async (autoSelectFamily) => {
    const lookup = createNameLookup(resolverAt(server.address().port));
    const agent = new http.Agent({ lookup, autoSelectFamily });
    const request = http.request('http://hooks.alias.test/', { agent });
    request.end();
    const errors: unknown[] = await once(request, 'error');
    expect(errors).toMatchObject([{ code: 'ENOTFOUND' }]);
    agent.destroy();
  },
);

test('a name server that refuses, or that is not there, says nothing about the host', async () => {
  await expect(lookUp('hooks.refused.test')).rejects.toMatchObject({ code: 'ENOTFOUND' });
  const closed = createSocket('udp4').bind(0, '127.0.0.1');
  await once(closed, 'listening');
  const { port } = closed.address();
  closed.close();
  await expect(lookUp('hooks.example.com', resolverAt(port))).rejects.toMatchObject({ code: 'ENOTFOUND' });
});
