/**
 * Asks the registry for known vulnerabilities of the production dependencies, and fails if any is high or critical:
 *
 * npm run audit
 *
 * Some registries, such as mirrors and company proxies, do not answer audits. Then nothing is audited, and the output says so.
 */
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { z } from 'zod';

const { packageManager } = z
  .object({ packageManager: z.string() })
  .parse(JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')));

const report = z.object({
  metadata: z.object({ vulnerabilities: z.record(z.string(), z.number()) }),
});

const run = spawnSync(
  'npx',
  ['--yes', packageManager, 'audit', '--prod', '--audit-level', 'high', '--json'],
  {
    encoding: 'utf8',
    timeout: 60_000,
  },
);
const answer = report.safeParse(parsed(run.stdout));
if (answer.success) {
  const found = Object.entries(answer.data.metadata.vulnerabilities).filter(([, count]) => count > 0);
  console.log(
    found.length === 0
      ? 'no known vulnerabilities'
      : found.map(([level, count]) => `${count} ${level}`).join(', '),
  );
  const grave = found.filter(([level]) => level === 'high' || level === 'critical');
  if (grave.length > 0) {
    console.log(run.stdout);
    process.exitCode = 1;
  }
} else {
  const why =
    `${run.stdout}${run.stderr}`.match(/responded with \d+|ERR_\w+/)?.[0] ??
    run.error?.message ??
    'no answer';
  console.log(`NOT AUDITED: this registry does not answer audits (${why})`);
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
