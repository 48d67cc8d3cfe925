import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { childEnvironment } from '../../support/child-environment.ts';
import { openCliWorld } from './cli-world.ts';
import { runOutdial, spawnOutdial } from './run-outdial.ts';

const main = fileURLToPath(new URL('../../../packages/cli/src/main.ts', import.meta.url));
const { directory, refusal } = await openCliWorld();

describe('outdial', () => {
  test('wrong usage prints one line and exits with status 2', async () => {
    expect(await spawnOutdial(['nonsense'], { directory })).toEqual({
      status: 2,
      out: '',
      err: "outdial: unknown command 'nonsense' (Did you mean consent?)\n",
    });
    expect(await refusal('key', 'create')).toMatchObject({ status: 2, code: 'usage' });
    expect(await refusal('org', 'set', 'Acme')).toMatchObject({ status: 2, code: 'usage' });
    // Otherwise no command would work.
    expect(await refusal('org', 'set', 'Acme', '--requests-per-minute', '0')).toMatchObject({ status: 2 });
    for (const pairs of [['rate=1', 'rate=2'], ['rate={"a":1,"a":2}'], ['rate=9007199254740993']]) {
      const given = pairs.flatMap((pair) => ['--set', pair]);
      expect(await refusal('provider', 'set', 'twilio', ...given)).toMatchObject({
        status: 2,
        code: 'usage',
      });
    }
    const noDatabase = await runOutdial(['key', 'list'], { directory });
    expect(noDatabase).toMatchObject({ status: 2, out: '' });
    expect(noDatabase.err).toMatch(
      /^outdial: DATABASE_URL is not set, and no local stack runs on \S+: .* OUTDIAL_DATA_DIR to its folder\n$/,
    );
    const unreachable = await runOutdial(['key', 'list'], {
      directory,
      env: { DATABASE_URL: 'postgres://x@127.0.0.1:1/x' },
    });
    expect(unreachable).toMatchObject({
      status: 1,
      err: 'outdial: the database of DATABASE_URL cannot be reached: nothing listens at its host and port; is the server running?\n',
    });
  });

  test('ends quietly if the reader of its output has gone', async () => {
    const child = spawn(process.execPath, [main, '--help'], { env: childEnvironment });
    child.stdout.destroy();
    let err = '';
    child.stderr.setEncoding('utf8').on('data', (text: string) => (err += text));
    expect(await once(child, 'close')).toEqual([0, null]);
    expect(err).toBe('');
  });

  test('says which release it is', async () => {
    const root = new URL('../../../package.json', import.meta.url);
    const { version } = z.object({ version: z.string() }).parse(JSON.parse(readFileSync(root, 'utf8')));
    expect(await runOutdial(['--version'], { directory })).toEqual({
      status: 0,
      out: `${version}\n`,
      err: '',
    });
  });
});
