/**
 * Scans every file that git tracks for keys, tokens and passwords. Then plants a key and scans for it, to prove that the scan works:
 *
 * npm run secrets
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../../', import.meta.url));

function scan(paths: readonly string[]): { clean: boolean; said: string } {
  const options = [
    '--secretlintrc',
    join(root, '.secretlintrc.json'),
    '--secretlintignore',
    join(root, '.secretlintignore'),
  ];
  const run = spawnSync('secretlint', [...options, ...paths], { cwd: root, encoding: 'utf8' });
  if (run.error !== undefined) throw run.error;
  return { clean: run.status === 0, said: run.stdout + run.stderr };
}

const tracked = spawnSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], {
  cwd: root,
  encoding: 'utf8',
})
  .stdout.split('\n')
  .filter((path) => path !== '');
if (tracked.length === 0) throw new Error('git lists no files here');
const { clean, said } = scan(tracked);
console.log(clean ? `no secrets in ${tracked.length} files` : said);

const folder = mkdtempSync(join(tmpdir(), 'outdial-secrets-'));
writeFileSync(
  join(folder, 'planted.txt'),
  ['-----BEGIN RSA', 'PRIVATE KEY-----\n'].join(' ') +
    `${'MIIEpAIBAAKCAQEA'.repeat(8)}\n`.repeat(12) +
    ['-----END RSA', 'PRIVATE KEY-----\n'].join(' '),
);
const isFound = !scan([join(folder, 'planted.txt')]).clean;
rmSync(folder, { recursive: true });
if (!isFound) console.log('the scan missed a planted private key');
process.exitCode = clean && isFound ? 0 : 1;
