import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';
import { Resolver } from 'node:dns/promises';
import type { LookupAddress } from 'node:dns';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createNameLookup } from './name-lookup.ts';

let server: Socket;
const resolvers: Resolver[] = [];

/** A name server that says nothing about names below `silent.test`; every other name is at 93.184.216.34. */
beforeAll(async () => {
  server = createSocket('udp4');
  server.on('message', (question, { port }) => {
    const name = question.subarray(12);
    if (name.includes('silent')) return;
    const isForIpv4 = name.includes(Buffer.from([0, 0, 1, 0, 1]));
    server.send(answerTo(question, isForIpv4), port, '127.0.0.1');
  });
  server.bind(0, '127.0.0.1');
  await once(server, 'listening');
});
afterAll(() => {
  for (const resolver of resolvers) resolver.cancel();
  server.close();
});

/** RFC 1035, section 4: the question again, and one address for it if it asks for one of IPv4. */
function answerTo(question: Buffer, hasAddress: boolean): Buffer {
  const end = question.indexOf(0, 12) + 5;
  const header = Buffer.from(question.subarray(0, 12));
  header.writeUInt16BE(0x81_80, 2);
  header.writeUInt16BE(hasAddress ? 1 : 0, 6);
  header.writeUInt32BE(0, 8);
  const address = Buffer.from([0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 60, 0, 4, 93, 184, 216, 34]);
  return Buffer.concat([header, question.subarray(12, end), ...(hasAddress ? [address] : [])]);
}

function lookUp(hostname: string, withinMs = 5_000): Promise<readonly LookupAddress[]> {
  const resolver = new Resolver({ timeout: withinMs, tries: 1 });
  resolvers.push(resolver);
  resolver.setServers([`127.0.0.1:${server.address().port}`]);
  return new Promise((resolve, reject) => {
    createNameLookup(resolver)(hostname, { all: true }, (error, addresses) => {
      if (error === null && Array.isArray(addresses)) resolve(addresses);
      else reject(error ?? new Error('one address, where all were asked for'));
    });
  });
}

test('names that no server answers keep no other name waiting', async () => {
  let silent = 0;
  for (let n = 0; n < 32; n += 1) lookUp(`${n}.silent.test`).catch(() => (silent += 1));
  await expect(lookUp('hooks.example.com')).resolves.toEqual([{ address: '93.184.216.34', family: 4 }]);
  expect(silent).toBe(0);
});

test('a name that no server answers is given up', async () => {
  await expect(lookUp('0.silent.test', 50)).rejects.toMatchObject({ code: 'ETIMEOUT' });
});
