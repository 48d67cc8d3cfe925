/**
 * Follows README as somebody does who has just cloned the repository: `npm start`, and then the commands of the page with the key that it prints. Then, each
 * as the first command in a clone of its own: `npm run check`, and `npm pack` of the packages that the pages have readers pack. Part of `npm run long`.
 */
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { blocksOf } from '../integration/guides/page-blocks.ts';

const root = join(import.meta.dirname, '../..');
const folder = mkdtempSync(join(tmpdir(), 'outdial-clone-'));
/** What a shell of somebody else has: none of the variables of an npm that runs this. */
const env = Object.fromEntries(
  [
    'PATH',
    'HOME',
    'USER',
    'LANG',
    'HTTP_PROXY',
    'HTTPS_PROXY',
    'NO_PROXY',
    'NODE_EXTRA_CA_CERTS',
    'npm_config_registry',
  ]
    .flatMap((name) => [[name, process.env[name]]] as const)
    .filter(([, value]) => value !== undefined),
);
// The Node that this repository installs would be found before the machine's own.
env['PATH'] = env['PATH']
  ?.split(':')
  .filter((part) => !part.includes('node_modules'))
  .join(':');

function emptyClone(name: string): string {
  const clone = join(folder, name);
  execFileSync('git', ['clone', '--quiet', '--no-hardlinks', root, clone]);
  return clone;
}

function runFirst(name: string, command: readonly string[], inFolder = '.'): boolean {
  const [program = '', ...args] = command;
  const { status, stdout, stderr } = spawnSync(program, args, {
    cwd: join(emptyClone(name), inFolder),
    env,
    encoding: 'utf8',
    maxBuffer: 64 * 2 ** 20,
  });
  const isRight = status === 0;
  console.log(`${isRight ? 'right' : 'WRONG'} ${command.join(' ')} in ${inFolder} of an empty clone`);
  if (!isRight) console.log(`${stdout}\n${stderr}`.trim().split('\n').slice(-40).join('\n'));
  return isRight;
}

/** Runs `npm start` until it prints the address, keys and agent, then the second block of the page. */
async function followReadme(): Promise<boolean> {
  const clone = emptyClone('readme');
  const [first, second] = blocksOf('README.md', readFileSync(join(clone, 'README.md'), 'utf8'));
  const start = /^npm start\b/m.exec(first?.text ?? '')?.[0];
  if (start === undefined || second === undefined) throw new Error('README does not begin with npm start');
  const child = spawn('bash', ['-c', `exec ${start}`], {
    cwd: clone,
    env,
    detached: true,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  try {
    const printed: string[] = [];
    let values: ReturnType<typeof valuesIn> = null;
    for await (const line of createInterface({ input: child.stdout })) {
      printed.push(line);
      values = valuesIn(printed);
      if (values !== null) break;
    }
    if (values === null) {
      console.log(`WRONG npm start ended:\n${printed.slice(-40).join('\n')}`);
      return false;
    }
    const { base, key, agent } = values;
    const text = second.text
      // Another service may have the port of the page.
      .replace('base=http://localhost:3000', `base=${base}`)
      .replace('key=od_…', `key=${key}`)
      .replace('agent=…', `agent=${agent}`)
      // Readers copy the id out of the answer.
      .replace(
        /^campaign=….*$/m,
        `campaign=$(sed -n 's/.*"id":"\\([0-9a-f-]*\\)".*/\\1/p' answer | head -n 1)`,
      )
      .replace("}}}}}'", "}}}}}' | tee answer");
    const { status, stdout, stderr } = spawnSync(
      'bash',
      ['-c', `set -euo pipefail; curl() { command curl --fail-with-body -s --max-time 20 "$@"; }\n${text}`],
      { cwd: clone, env, encoding: 'utf8' },
    );
    console.log(`${status === 0 ? 'right' : 'WRONG'} the commands of README`);
    if (status !== 0) console.log(`${stdout}\n${stderr}`);
    return status === 0;
  } finally {
    if (child.pid !== undefined && child.exitCode === null) {
      const ended = new Promise((resolve) => child.once('exit', resolve));
      process.kill(-child.pid, 'SIGTERM');
      await ended;
    }
  }
}

/** From the request to call somebody, which it prints with the key of a manager. */
function valuesIn(lines: readonly string[]): { base: string; key: string; agent: string } | null {
  const request = /X-API-Key: (od_[^']+)' .*(http:\S+)\/api\/v1\/agents\/([0-9a-f-]{36})\/call$/;
  for (const line of lines) {
    const [, key, base, agent] = request.exec(line) ?? [];
    if (key !== undefined && base !== undefined && agent !== undefined) return { base, key, agent };
  }
  return null;
}

try {
  const results = [
    await followReadme(),
    runFirst('pack-client', ['npm', 'pack', '--silent'], 'packages/client'),
    runFirst('pack-mcp', ['npm', 'pack', '--silent'], 'packages/mcp'),
    runFirst('check', ['npm', 'run', 'check']),
  ];
  process.exitCode = results.every(Boolean) ? 0 : 1;
} finally {
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
}
