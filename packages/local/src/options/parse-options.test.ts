import { describe, expect, test } from 'vitest';
import { UsageError } from '../start-error.ts';
import { parseOptions } from './parse-options.ts';

const context = { env: {}, folder: '/home/ada', home: '/srv/outdial' };

function faultOf(...args: string[]): string {
  try {
    parseOptions(args, context);
  } catch (error) {
    if (error instanceof UsageError) return error.message;
    throw error;
  }
  return '';
}

describe('parseOptions', () => {
  test('runs the demo and serves by default', () => {
    expect(parseOptions([], context)).toEqual({
      demo: { kind: 'shipped' },
      exit: false,
      port: null,
      host: null,
      dataDir: '/srv/outdial/.outdial',
      verbose: false,
    });
  });

  test("resolves paths relative to the user's folder", () => {
    const options = parseOptions(['--csv', 'my.csv', '--data-dir=data', '--port', '0', '--exit'], context);
    expect(options).toMatchObject({
      demo: { kind: 'own', csv: '/home/ada/my.csv' },
      dataDir: '/home/ada/data',
      port: 0,
      exit: true,
    });
  });

  test('lets the command line go before the environment, and takes an empty variable for none', () => {
    const env = { OUTDIAL_DATA_DIR: 'from-env' };
    expect(parseOptions([], { ...context, env })?.dataDir).toBe('/home/ada/from-env');
    expect(parseOptions(['--data-dir', '/x'], { ...context, env })?.dataDir).toBe('/x');
    expect(parseOptions([], { ...context, env: { OUTDIAL_DATA_DIR: ' ' } })?.dataDir).toMatch(/^\/srv/);
  });

  test.each([
    [['--colour'], /--colour/],
    [['demo'], /demo/],
    [['--port'], /--port/],
    [['--port', '65536'], /65536/],
    [['--port', '-1'], /--port/],
    [['--port', '1e3'], /1e3/],
    [['--csv', ''], /--csv/],
    [['--no-demo', '--csv', 'x'], /--no-demo and --csv/],
    [['--exit=yes'], /--exit/],
  ])('refuses %j in one line', (args, words) => {
    expect(faultOf(...args)).toMatch(words);
    expect(faultOf(...args)).not.toContain('\n');
  });

  test('prints help before it reports other wrong values', () => {
    expect(parseOptions(['--help', '--port', 'x'], context)).toBeNull();
  });
});
