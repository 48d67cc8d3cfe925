import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { scenarios } from '../scenarios/index.ts';
import type { ScenarioServers } from '../scenarios/servers.ts';
import { EditDoesNotApplyError, type CheckoutCopy } from './checkout-copy.ts';
import type { Mutation } from './mutation.ts';

export type MutationResult =
  | { kind: 'caught'; by: string }
  | { kind: 'missed' }
  /** The result is meaningless, because the edit does not apply or the program does not start. */
  | { kind: 'broken'; reason: string };

/** Per scenario; longer than the scenario's own limit (scenarios/run-scenarios.ts). */
const timeoutMs = 90_000;

export async function runMutation(
  copy: CheckoutCopy,
  servers: ScenarioServers,
  mutation: Mutation,
): Promise<MutationResult> {
  let revert: () => void;
  try {
    revert = copy.apply(mutation.edits);
  } catch (error) {
    if (error instanceof EditDoesNotApplyError) return { kind: 'broken', reason: error.message };
    throw error;
  }
  try {
    // The template has the migrations of the unchanged sources.
    const isOfDatabase = mutation.edits.some(({ file }) => file.startsWith('db/migrations/'));
    const used = isOfDatabase ? { ...servers, template: null } : servers;
    const { status, output } = await runScenarios(copy, used, [mutation.caughtBy]);
    if (status === 0) return { kind: 'missed' };
    // A program that does not start has caught no mutation.
    const fault = /^ {2}FAIL .*\n\s+(.*)$/m.exec(output)?.[1];
    if (fault === undefined) return { kind: 'broken', reason: output.trim().split('\n').slice(-3).join(' ') };
    return { kind: 'caught', by: fault };
  } finally {
    revert();
  }
}

/** Runs scenarios of the copy in a separate process; all of them if none is named. */
export function runScenarios(
  copy: CheckoutCopy,
  servers: ScenarioServers,
  names: readonly string[],
): Promise<{ status: number | null; output: string }> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [join(copy.path, 'test/chaos/scenarios.ts'), ...names], {
      env: {
        PATH: process.env['PATH'],
        SCENARIO_POSTGRES_URL: servers.adminUrl,
        SCENARIO_REDIS_URL: servers.redisUrl ?? '',
        ...(servers.template !== null && { SCENARIO_TEMPLATE: servers.template }),
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let output = '';
    child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()));
    child.stderr.on('data', (chunk: Buffer) => (output += chunk.toString()));
    const timer = setTimeout(() => child.kill('SIGKILL'), (names.length || scenarios.size) * timeoutMs);
    child.once('error', reject);
    child.once('close', (status) => {
      clearTimeout(timer);
      resolve({ status, output });
    });
  });
}
