/**
 * A page on which visitors talk to an agent, and the small server behind it, which keeps the API key:
 *
 *     OUTDIAL_URL=http://localhost:3000 OUTDIAL_API_KEY=od_… OUTDIAL_AGENT_ID=… node server.mjs
 *
 * It needs Node 24, which is `node_modules/.bin/node` in the repository after the first `npm start`.
 *
 * Everybody who opens the page can start calls, and each costs what your models cost. On a site of your own, put this behind your sign-in.
 */
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { stripTypeScriptTypes } from 'node:module';

const outdial = process.env.OUTDIAL_URL ?? 'http://localhost:3000';
const { OUTDIAL_API_KEY: apiKey = '', OUTDIAL_AGENT_ID: agentId = '' } = process.env;
const port = Number(process.env.PORT ?? '8088');
const outdialWithinMs = 10_000;

/**
 * The part of `@outdial/client` that runs in browsers. In your project, serve or bundle `node_modules/@outdial/client/dist/web-call/*.js`. Here the
 * sources are served with their types stripped.
 */
const client = new URL('../../packages/client/src/web-call/', import.meta.url);
const clientFiles = ['web-call', 'worklet', 'mu-law', 'playback-queue', 'resample'];

const html = await readFile(new URL('page.html', import.meta.url), 'utf8');
const files = new Map([
  ['/', { type: 'text/html; charset=utf-8', body: html }],
  [
    '/page.mjs',
    { type: 'text/javascript', body: await readFile(new URL('page.mjs', import.meta.url), 'utf8') },
  ],
]);
for (const name of clientFiles) {
  const source = await readFile(new URL(`${name}.ts`, client), 'utf8');
  files.set(`/outdial/${name}.ts`, { type: 'text/javascript', body: stripTypeScriptTypes(source) });
}

/** The page may connect anywhere, but only by WebSocket, because each voice process has its own address. */
const policy = "default-src 'none'; script-src 'self'; img-src data:; connect-src 'self' ws: wss:";

/** The address and the token of one call. */
async function startCall() {
  const response = await fetch(`${outdial}/api/v1/agents/${agentId}/web-call`, {
    method: 'POST',
    headers: { 'x-api-key': apiKey },
    signal: AbortSignal.timeout(outdialWithinMs),
  });
  const { data, code } = await response.json();
  if (!response.ok) throw new Error(`Outdial answers ${response.status} ${code ?? ''}`);
  return { url: data.url, token: data.token };
}

const server = createServer(async (request, response) => {
  const answer = (status, type, body) =>
    response.writeHead(status, { 'content-type': type, 'content-security-policy': policy }).end(body);
  // For example `//`.
  const path = URL.parse(request.url ?? '/', 'http://page')?.pathname;
  if (path === undefined) return answer(400, 'text/plain', 'The path is invalid.');
  if (request.method === 'POST' && path === '/talk') {
    // Other sites must not start calls in a visitor's browser.
    if (request.headers['sec-fetch-site'] !== 'same-origin') {
      return answer(403, 'text/plain', 'Not from here.');
    }
    try {
      return answer(201, 'application/json', JSON.stringify(await startCall()));
    } catch (error) {
      process.stderr.write(`${error.message}\n`);
      return answer(502, 'text/plain', 'The agent cannot be reached at the moment.');
    }
  }
  const file = request.method === 'GET' ? files.get(path) : undefined;
  return file === undefined ? answer(404, 'text/plain', 'Not found.') : answer(200, file.type, file.body);
});
server.listen(port, '127.0.0.1', () => {
  process.stdout.write(`Talk at http://localhost:${server.address().port}/\n`);
});
