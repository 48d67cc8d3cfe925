import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import type { Tenant } from '../attack/tenant.ts';
import type { Random } from '../chaos/random.ts';
import { KnownIds, lists, listsBelow } from './known-ids.ts';
import { fuzzTargets } from './operations.ts';
import { readDocument } from './read-document.ts';
import type { ApiDocument, FuzzTarget } from './target.ts';
import { type RawAnswer, type RawRequest, sendRaw } from './raw-request.ts';
import { type FuzzWorld, gateway, openFuzzWorld, operators, signing } from './world.ts';

/** Longer than any request takes on a busy machine. */
const answerWithinMs = 20_000;
/** Node answers longer heads with 431 (`maxHeaderSize`), without reading what follows. */
const refusedHeadBytes = 16_000;
/** Enough concurrent requests that the service is never idle, even on a busy machine. */
const inFlight = 48;
/** A 503 may have a passing cause, so the request is repeated. A request that causes the 503 itself does so each time. */
const againAtMost = 3;
const againAfterMs = 2_000;
/** After this many requests the fuzzer takes a new organization, because a request may have locked the old one out. */
const requestsOfATenant = 1_500;
const reportEvery = 5_000;
/** After this many requests for each target, a target that never succeeded reveals a fault of the generator. */
const enoughOfEach = 300;
/** Time for the jobs of accepted requests to run. */
const settleMs = 5_000;

export interface FuzzOptions {
  requests: number;
  /** Restricts the run to the target of this name. */
  only?: string | undefined;
}

/** Prints findings as they occur, and returns one line for each. */
export async function fuzzRequests(random: Random, { requests, only }: FuzzOptions): Promise<string[]> {
  if (requests === 0) return [];
  const world = await openFuzzWorld(random);
  const found = new Map<string, number>();
  const statuses = new Map<number | null, number>();
  const succeeded = new Set<string>();
  const startedAt = performance.now();
  try {
    const document = await readDocument(world.url);
    const ids = new KnownIds(random);
    const targets = fuzzTargets({ random, document, ids, signing, operators, gateway }).filter(
      ({ name }) => only === undefined || name === only,
    );
    const [firstTarget, ...others] = targets;
    if (firstTarget === undefined) throw new Error(`there is no operation ${only}`);
    let tenant = await nextTenant(world, ids);
    let sent = 0;

    const loop = async () => {
      while (sent < requests) {
        sent += 1;
        if (sent % requestsOfATenant === 0) tenant = await nextTenant(world, ids);
        if (sent % reportEvery === 0) console.log(progress(sent, startedAt, statuses));
        const target = random.pick([firstTarget, ...others]);
        const request = target.make(tenant);
        const answer = await send(request);
        if (!(answer instanceof Error)) {
          statuses.set(answer.status, (statuses.get(answer.status) ?? 0) + 1);
          if (answer.status === 200) {
            ids.read(request.target, answer.body);
            succeeded.add(target.name);
          }
        }
        const fault = faultOf(target, request, answer);
        if (fault !== null) note(fault, request, answer);
      }
    };
    await Promise.all(Array.from({ length: inFlight }, loop));
    await sleep(settleMs);
    noteErrors();
    console.log(progress(sent, startedAt, statuses));
    // Requests that are all refused early would test nothing beyond the refusal.
    const names = new Set(targets.map(({ name }) => name));
    const never = [...names].filter((name) => !succeeded.has(name));
    console.log(`never answered with 200: ${never.join(', ') || 'none'}`);
    if (requests / names.size >= enoughOfEach) {
      // Some paths never exist, such as `/api/v1/none`.
      const operations = new Set(operationIdsOf(document));
      for (const name of never) {
        if (operations.has(name)) found.set(`${name}: never answered with 200`, 1);
      }
    }
  } finally {
    await world.close();
  }
  return [...found].map(([fault, times]) => `${fault} (${times} times)`);

  async function send(request: RawRequest): Promise<RawAnswer | Error> {
    const sendOnce = () => sendRaw(world.url, request, answerWithinMs).catch((error: Error) => error);
    let answer = await sendOnce();
    for (let again = 1; again <= againAtMost && isUnavailable(answer); again += 1) {
      await sleep(againAfterMs);
      answer = await sendOnce();
    }
    return answer;
  }

  function note(fault: string, request: RawRequest, answer: RawAnswer | Error): void {
    const times = (found.get(fault) ?? 0) + 1;
    found.set(fault, times);
    if (times > 2) return;
    console.error(`FOUND ${fault}`);
    console.error(`  ${request.method} ${show(request.target)}`);
    console.error(`  ${show(JSON.stringify(request.headers.filter(([name]) => name !== 'X-API-Key')))}`);
    if (request.body !== null) console.error(`  ${show(request.body.toString('latin1'))}`);
    if (!(answer instanceof Error)) console.error(`  ${show(answer.body)}`);
    noteErrors();
  }

  /** Adds errors in the logs to the findings, such as a failed job or an unhandled rejection. */
  function noteErrors(): void {
    for (const { service, line } of world.takeErrors()) {
      // The hostile gateway answers nonsense, which a process rightly logs.
      if (line.includes('"status":503')) continue;
      if (line.includes('the provider fails; its circuit is open')) continue;
      // On a busy machine, the Postgres of the queue may be too slow once; the loop tries again.
      if (/cannot be reached: no answer in \d+ ms/.test(line)) continue;
      const key = `the ${service} logged: ${messageOf(line)}`;
      const times = (found.get(key) ?? 0) + 1;
      found.set(key, times);
      if (times <= 2) console.error(`FOUND ${key}\n  ${line.slice(0, 1_500)}`);
    }
  }
}

function operationIdsOf({ paths }: ApiDocument): string[] {
  return Object.values(paths).flatMap((item) => Object.values(item).map(({ operationId }) => operationId));
}

async function nextTenant(world: FuzzWorld, ids: KnownIds): Promise<Tenant> {
  const tenant = await world.tenant();
  ids.forget(await credentialsOf(world, tenant));
  ids.add('organization_id', tenant.organizationId);
  for (const path of lists) ids.read(path, (await tenant.send(`GET ${path}`)).text);
  for (const [parameter, path] of listsBelow) {
    const below = path.replace('{}', ids.pick(parameter) ?? '');
    ids.read(below, (await tenant.send(`GET ${below}`)).text);
  }
  return tenant;
}

/** The ids of the credentials in use. A request that deletes one would make all later requests fail. */
async function credentialsOf({ db }: FuzzWorld, { organizationId }: Tenant): Promise<string[]> {
  const users = await db
    .selectFrom('users')
    .select('id')
    .where('organization_id', '=', organizationId)
    .execute();
  const keys = await db
    .selectFrom('api_keys')
    .select('id')
    .where('organization_id', '=', organizationId)
    .execute();
  return [...users, ...keys].map(({ id }) => id);
}

/** Returns a fault of the service; null if the answer is acceptable. */
function faultOf({ name }: FuzzTarget, request: RawRequest, answer: RawAnswer | Error): string | null {
  if (answer instanceof Error) return `${name}: ${answer.message}`;
  const { status } = answer;
  // If the server refuses a request before reading all of it, the reset of the connection may discard the answer (RFC 9112, section 9.6).
  if (status === null) {
    const headBytes = request.target.length + request.headers.flat().join('').length;
    return (request.body?.length ?? 0) < 30_000 && headBytes < refusedHeadBytes ? `${name}: cut` : null;
  }
  if (status === 500 || status === 502 || status === 504) return `${name}: ${status}`;
  return isUnavailable(answer) ? `${name}: 503 unavailable` : null;
}

function isUnavailable(answer: RawAnswer | Error): boolean {
  return !(answer instanceof Error) && answer.status === 503 && answer.body.includes('"unavailable"');
}

function messageOf(line: string): string {
  try {
    const read = z
      .looseObject({ msg: z.string(), err: z.looseObject({ message: z.string() }).optional() })
      .parse(JSON.parse(line));
    return `${read.msg}${read.err === undefined ? '' : `: ${read.err.message.slice(0, 120)}`}`;
  } catch {
    return line.slice(0, 120);
  }
}

function progress(sent: number, startedAt: number, statuses: ReadonlyMap<number | null, number>): string {
  const seconds = (performance.now() - startedAt) / 1_000;
  const counts = [...statuses]
    .toSorted(([a], [b]) => (a ?? 0) - (b ?? 0))
    .map(([status, times]) => `${status ?? 'cut'} ${times}`);
  return `${sent} requests, ${Math.round(sent / seconds)} a second: ${counts.join(', ')}`;
}

function show(text: string): string {
  return text.length > 1_200 ? `${text.slice(0, 1_200)}… (${text.length})` : text;
}
