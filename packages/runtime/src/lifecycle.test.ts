import { type ChildProcess, spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';

const fixture = fileURLToPath(new URL('lifecycle.fixture.ts', import.meta.url));

/** Runs the fixture. `onReady` is called when it reports that it is ready. */
async function runFixture(
  scenario: string,
  onReady: (child: ChildProcess) => void,
  env: Record<string, string> = {},
) {
  const child = spawn(process.execPath, [fixture, scenario], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { DATABASE_URL: 'postgres://u:hush@db/x', ...env }, // secretlint-disable-line -- made up
  });
  let output = '';
  let ready = false;
  const collect = (chunk: Buffer) => {
    output += chunk.toString();
    if (!ready && output.includes('"ready"')) {
      ready = true;
      onReady(child);
    }
  };
  child.stdout?.on('data', collect);
  child.stderr?.on('data', collect);
  const code = await new Promise<number | null>((resolve) => child.on('close', resolve));
  return { code, output };
}

describe('run', () => {
  test.each(['SIGTERM', 'SIGINT'] as const)('%s shuts down in order', async (signal) => {
    const { code, output } = await runFixture('idle', (child) => {
      child.kill(signal);
      child.kill(signal);
    });
    expect(code).toBe(0);
    expect(output.match(/timer cleared/g)).toHaveLength(1);
    expect(output).toContain('"stopped"');
  });

  test('a hanging step does not prevent the exit', async () => {
    const { code, output } = await runFixture('hang', (child) => child.kill('SIGTERM'));
    expect(code).toBe(1);
    expect(output).toContain('"step":"hanging"');
  });

  test('an error during the start closes started parts and exits with status 1', async () => {
    const { code, output } = await runFixture('throw', () => undefined);
    expect(code).toBe(1);
    expect(output).toContain('port is taken');
    expect(output).toContain('timer cleared');
  });

  test('an unhandled rejection is logged and fatal', async () => {
    const { code, output } = await runFixture('reject', () => undefined);
    expect(code).toBe(1);
    expect(output).toContain('forgotten');
    expect(output).toContain('timer cleared');
  });

  test('a wrong environment stops the start, with a line for each fault', async () => {
    const { code, output } = await runFixture('idle', () => undefined, {
      DATABASE_URL: 'http://u:hush@db',
      LOG_LEVEL: 'loud',
    });
    expect(code).toBe(78);
    expect(output).toBe(
      [
        'fixture: the environment is invalid:',
        '  DATABASE_URL: must be a url that begins with postgres:// or postgresql://',
        '  LOG_LEVEL: must be one of fatal, error, warn, info, debug, trace, silent',
        '',
      ].join('\n'),
    );
  });
});
