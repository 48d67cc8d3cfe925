import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import { expect, onTestFinished, test } from 'vitest';
import { waitFor } from '../../support/stack/wait-for.ts';
import { startPageExample } from '../../support/voice/page-example.ts';
import { openPage, webCallWorld } from './web-world.ts';

async function example(change: { OUTDIAL_API_KEY?: string } = {}) {
  const world = await webCallWorld();
  const page = await startPageExample({
    OUTDIAL_URL: world.stack.baseUrl,
    OUTDIAL_API_KEY: world.organization.apiKeys.member,
    OUTDIAL_AGENT_ID: world.agentId,
    ...change,
  });
  onTestFinished(() => page.close());
  const talk = (site: string) =>
    fetch(new URL('/talk', page.url), { method: 'POST', headers: { 'sec-fetch-site': site } });
  return { world, page, talk };
}

test('the example serves its page and every script that it loads, and its server starts calls for it', async () => {
  const { world, page, talk } = await example();
  const html = await fetch(page.url);
  expect(html.headers.get('content-security-policy')).toContain("script-src 'self'");
  const left = ['/page.mjs', '/outdial/worklet.ts'];
  const scripts = new Set<string>();
  for (let path = left.pop(); path !== undefined; path = left.pop()) {
    if (scripts.has(path)) continue;
    scripts.add(path);
    const script = await fetch(new URL(path, page.url));
    expect([path, script.status, script.headers.get('content-type')]).toEqual([path, 200, 'text/javascript']);
    const imported = [...(await script.text()).matchAll(/ from '([^']+)'/g)].map(([, from = '']) => from);
    const base = new URL(path, page.url);
    left.push(...imported.map((from) => new URL(from, base).pathname));
  }
  expect([...scripts].toSorted((a, b) => a.localeCompare(b))).toEqual([
    '/outdial/mu-law.ts',
    '/outdial/playback-queue.ts',
    '/outdial/resample.ts',
    '/outdial/web-call.ts',
    '/outdial/worklet.ts',
    '/page.mjs',
  ]);

  const answer = await talk('same-origin');
  expect(answer.status).toBe(201);
  // The page must not contain the key.
  const text = await answer.text();
  expect(text).not.toContain(world.organization.apiKeys.member);
  const connected = await openPage(JSON.parse(text) as { url: string; token: string });
  await waitFor('the agent to talk', () => connected.loudBytes() > 0);
});

test('an invalid path is refused, and the server continues', async () => {
  const { page } = await example();
  const { hostname, port } = new URL(page.url);
  // `fetch` would refuse to send it.
  const [answer] = (await once(get({ hostname, port, path: '//' }), 'response')) as [IncomingMessage];
  answer.resume();
  expect(answer.statusCode).toBe(400);
  expect((await fetch(page.url)).status).toBe(200);
});

test('pages of others start no call, and neither does a key that is wrong', async () => {
  const { world, talk } = await example();
  expect((await talk('cross-site')).status).toBe(403);
  expect(await world.stack.db.selectFrom('calls').select('id').execute()).toEqual([]);
  const wrong = await example({ OUTDIAL_API_KEY: 'od_wrong' });
  const refused = await wrong.talk('same-origin');
  expect([refused.status, await refused.text()]).toEqual([502, 'The agent cannot be reached at the moment.']);
});
