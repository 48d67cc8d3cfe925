import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { countsIn, makeFolder, oneLine, processesOf, readReady, runStart } from './start.world.ts';

const agentCalls = z.object({
  data: z.object({
    calls: z.array(z.object({ phone_number: z.string(), meta: z.object({ outcome: z.string() }) })),
  }),
});

async function get(url: string, headers: Record<string, string>): Promise<{ status: number; text: string }> {
  const answer = await fetch(url, { headers });
  return { status: answer.status, text: await answer.text() };
}

/** A directory in use and a taken port are refused in one line, and the process that uses them is left alone. */
async function expectRefusals(owner: number | undefined, baseUrl: string, dataDir: string): Promise<void> {
  const inUse = await runStart(['--no-demo', '--port', '0', '--data-dir', dataDir]).ended;
  expect([inUse.status, inUse.err]).toEqual([1, expect.stringMatching(oneLine)]);
  expect(inUse.err).toContain(`in use by another Outdial (process ${owner})`);

  const { port } = new URL(baseUrl);
  const other = makeFolder().dataDir;
  const taken = await runStart(['--no-demo', '--port', port, '--data-dir', other]).ended;
  expect([taken.status, taken.err]).toEqual([1, expect.stringMatching(oneLine)]);
  expect(taken.err).toContain(`Port ${port} is taken`);
  expect(existsSync(join(other, 'postgres'))).toBe(false);

  expect(readReady(dataDir).base_url).toBe(baseUrl);
  expect((await get(`${baseUrl}/readyz`, {})).status).toBe(200);
}

// Each test starts Postgres and four processes, some more than once, while other tests use the machine.
describe('npm start', () => {
  test('serves as ready.json says, locks its directory, ends within ten seconds of SIGTERM, and restarts unchanged', async () => {
    const { dataDir, file } = makeFolder();
    const csv = file('one.csv', 'phone,name\n+12125550100,Ada\n');
    const args = ['--port', '0', '--csv', csv, '--data-dir', dataDir];
    const address = '127.0.0.2';
    const first = runStart([...args, '--host', address], { HEALTH_HOST: address });
    await first.line(`Outdial is ready on http://${address}:`);
    const ready = readReady(dataDir);
    for (const name of ['ready.json', 'database.json', 'secrets.json', 'demo-keys.json']) {
      expect([name, statSync(join(dataDir, name)).mode & 0o777]).toEqual([name, 0o600]);
    }

    await first.line('To try');
    const { keys, ops, base_url: baseUrl, agent_id: agentId } = ready;
    for (const key of Object.values(keys)) {
      const agent = await get(`${baseUrl}/api/v1/agents/${agentId}`, { 'X-API-Key': key });
      expect(agent.status).toBe(200);
      expect(agent.text).toContain(ready.organization_id);
    }
    const basic = `Basic ${Buffer.from(`${ops.user}:${ops.password}`).toString('base64')}`;
    expect((await get(`${baseUrl}/metrics`, { Authorization: basic })).status).toBe(200);
    expect((await get(`${baseUrl}/metrics`, {})).status).toBe(401);

    // The printed commands work as printed.
    await first.line('calls?size=3');
    const curls = first.output().match(/^ {2}curl .*$/gm) ?? [];
    expect(curls).toHaveLength(3);
    for (const line of curls) {
      const answer = spawnSync('sh', ['-c', line], { encoding: 'utf8' });
      expect(JSON.parse(answer.stdout)).toHaveProperty('data');
    }

    // At least main, supervisor, Postgres, api, scheduler and worker.
    expect(processesOf(dataDir).length).toBeGreaterThanOrEqual(6);
    await expectRefusals(first.child.pid, baseUrl, dataDir);

    first.child.kill('SIGTERM');
    first.child.kill('SIGTERM');
    const { status, err } = await first.ended;
    expect([status, err]).toEqual([0, '']);
    expect(existsSync(join(dataDir, 'ready.json'))).toBe(false);
    expect(processesOf(dataDir)).toEqual([]);

    const second = runStart([...args, '--exit']);
    await second.line('Outdial is ready');
    expect(readReady(dataDir)).toEqual({ ...ready, base_url: readReady(dataDir).base_url });
    const { out } = await second.ended;
    expect(out).toContain('Using the data');
    expect(countsIn(out)).toMatchObject({ completed: 1, 'on the list': 1 });
  });

  test('starts Postgres again when it is killed, and serves as before', async () => {
    const { dataDir } = makeFolder();
    const started = runStart(['--port', '0', '--no-demo', '--data-dir', dataDir]);
    await started.line('To try');
    const { base_url: baseUrl, keys, agent_id: agentId } = readReady(dataDir);
    const pidFile = join(dataDir, 'postgres/postmaster.pid');
    const postgres = () => Number(readFileSync(pidFile, 'utf8').split('\n')[0]);
    const killed = postgres();
    process.kill(killed, 'SIGKILL');
    expect(await started.line('will restart')).toBe('! Postgres ended (SIGKILL) and will restart in 0.5 s');
    const read = () => get(`${baseUrl}/api/v1/agents/${agentId}`, { 'X-API-Key': keys.viewer });
    await expect.poll(async () => (await read().catch(() => null))?.status, { interval: 250 }).toBe(200);
    expect(postgres()).not.toBe(killed);
    started.child.kill('SIGTERM');
    expect((await started.ended).status).toBe(0);
    expect(processesOf(dataDir)).toEqual([]);
  });

  test('leaves nothing behind when it is killed; the next start continues the running campaign', async () => {
    const { dataDir, file } = makeFolder();
    // More people than lines of the demo, so that some are on the phone and some waiting when the process is killed.
    const numbers = Array.from({ length: 60 }, (_, n) => `+121255501${String(n).padStart(2, '0')}`);
    const csv = file('sixty.csv', ['phone', ...numbers].join('\n'));
    // Long enough for a busy machine to have all lines in use at once.
    const talks = { SIMULATOR_TALK_MS: '15000' };
    const killed = runStart(['--port', '0', '--csv', csv, '--data-dir', dataDir], talks);
    await killed.line('in call 40');
    const { base_url: baseUrl } = readReady(dataDir);
    killed.child.kill('SIGKILL');
    await killed.ended;
    expect(existsSync(join(dataDir, 'ready.json'))).toBe(true);

    // At once and on the same port, while the processes of the first start are still ending.
    const port = new URL(baseUrl).port;
    const next = runStart(['--port', port, '--no-demo', '--data-dir', dataDir]);
    expect(await next.line('was running')).toContain('continues');
    await next.line('To try');
    const { keys, agent_id: agentId } = readReady(dataDir);
    const read = async (path: string) =>
      (await get(`${baseUrl}/api/v1/${path}`, { 'X-API-Key': keys.viewer })).text;
    await expect.poll(() => read('campaigns'), { interval: 250 }).toContain('"status":"finished"');
    const { data } = agentCalls.parse(JSON.parse(await read(`agents/${agentId}/calls`)));
    expect(data.calls.map((call) => call.phone_number).toSorted()).toEqual(numbers);
    expect(new Set(data.calls.map((call) => call.meta.outcome))).toEqual(new Set(['completed']));
    next.child.kill('SIGTERM');
    expect((await next.ended).status).toBe(0);
    expect(processesOf(dataDir)).toEqual([]);
  });

  test('shuts down in order if it is interrupted while it starts', async () => {
    const { dataDir } = makeFolder();
    const started = runStart(['--port', '0', '--data-dir', dataDir]);
    await started.line('Created a demo organization');
    started.child.kill('SIGINT');
    const { status, err } = await started.ended;
    expect([status, err]).toEqual([130, '']);
    expect(existsSync(join(dataDir, 'ready.json'))).toBe(false);
    expect(processesOf(dataDir)).toEqual([]);
  });
});
