import { spawn, type ChildProcessWithoutNullStreams } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, readlinkSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';
import { z } from 'zod';

const main = fileURLToPath(new URL('../../packages/local/src/main.ts', import.meta.url));

const quickCalls = { SIMULATOR_RING_MS: '0', SIMULATOR_TALK_MS: '0' };

const dropped =
  /^(DATABASE_URL|REDIS_|PORT$|OPS_|JWT_|JWKS_|OUTDIAL_|TELEPHONY_|PUBLIC_URL|HOST$|HEALTH_|MAX_CALL_SECONDS|LOG_LEVEL)/;

const readyFile = z.strictObject({
  base_url: z.url(),
  organization_id: z.uuid(),
  agent_id: z.uuid(),
  keys: z.strictObject({ admin: z.string(), manager: z.string(), member: z.string(), viewer: z.string() }),
  ops: z.strictObject({ user: z.string(), password: z.string() }),
});

/** Reads `ready.json`, which must have exactly the documented fields. */
export function readReady(dataDir: string): z.output<typeof readyFile> {
  return readyFile.parse(JSON.parse(readFileSync(join(dataDir, 'ready.json'), 'utf8')));
}

/** A folder that is removed after the test, and the path of a data directory in it. */
export function makeFolder(): {
  folder: string;
  dataDir: string;
  file: (name: string, text: string) => string;
} {
  const folder = mkdtempSync(join(tmpdir(), 'outdial-start-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }));
  return {
    folder,
    dataDir: join(folder, 'data'),
    file(name, text) {
      writeFileSync(join(folder, name), text);
      return join(folder, name);
    },
  };
}

export interface Started {
  child: ChildProcessWithoutNullStreams;
  /** Resolves with the first past or future line that contains the text. Rejects if the process ends without it. */
  line(text: string): Promise<string>;
  /** Resolves with the whole output when the process has ended. */
  ended: Promise<{ status: number | null; out: string; err: string }>;
  output(): string;
}

/** Runs the program of `npm start`, and kills it after the test. */
export function runStart(args: readonly string[], env: Record<string, string> = {}): Started {
  const inherited = Object.fromEntries(Object.entries(process.env).filter(([name]) => !dropped.test(name)));
  const child = spawn(process.execPath, [main, ...args], {
    // Every process of the stack inherits the last variable, so that `processesOf` finds all of them.
    env: { ...inherited, ...quickCalls, ...env, STARTED_WITH: args.join(' ') },
  });
  const lines: string[] = [];
  const waiting = new Set<() => void>();
  const said = { out: '', err: '' };
  createInterface({ input: child.stdout }).on('line', (line) => {
    lines.push(line);
    for (const look of waiting) look();
  });
  child.stdout.setEncoding('utf8').on('data', (text: string) => (said.out += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (said.err += text));
  let hasEnded = false;
  const ended = once(child, 'close').then(() => {
    hasEnded = true;
    for (const look of waiting) look();
    return { status: child.exitCode, ...said };
  });
  onTestFinished(async () => {
    if (hasEnded) return;
    child.kill('SIGTERM');
    await ended;
  });
  return {
    child,
    ended,
    output: () => said.out + said.err,
    line(text) {
      return new Promise((resolve, reject) => {
        const look = () => {
          const found = lines.find((line) => line.includes(text));
          if (found === undefined && !hasEnded) return;
          waiting.delete(look);
          if (found === undefined) reject(new Error(`it ended without "${text}":\n${said.out}${said.err}`));
          else resolve(found);
        };
        waiting.add(look);
        look();
      });
    },
  };
}

/** Processes that belong to the data directory by command line, environment or working directory. Linux only. */
export function processesOf(dataDir: string): string[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
    .filter((pid) => belongsTo(pid, dataDir))
    .map((pid) => `${pid} ${readProc(pid, 'cmdline').replaceAll('\0', ' ')}`);
}

function belongsTo(pid: string, dataDir: string): boolean {
  return (
    readProc(pid, 'cmdline').includes(dataDir) ||
    readProc(pid, 'environ').includes(dataDir) ||
    workingDirectory(pid).startsWith(dataDir)
  );
}

function readProc(pid: string, file: string): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'utf8');
  } catch {
    return '';
  }
}

function workingDirectory(pid: string): string {
  try {
    return readlinkSync(`/proc/${pid}/cwd`);
  } catch {
    return '';
  }
}

/** The pattern of a refusal: one line. */
export const oneLine = /^outdial: [^\n]+\n$/;

/** Reads the counts from the table of the summary. */
export function countsIn(output: string): Record<string, number> {
  const rows = [...output.matchAll(/^ {2}(\w[\w ]*?) {2,}(\d+)$/gm)];
  return Object.fromEntries(rows.map(([, name = '', count]) => [name, Number(count)]));
}
