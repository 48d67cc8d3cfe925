import { describe, expect, test } from 'vitest';
import { createLogger } from './logger.ts';

type LogLine = Readonly<Record<string, unknown>>;

function setup(level = 'info') {
  const lines: LogLine[] = [];
  const log = createLogger({
    service: 'worker',
    level,
    destination: {
      write(line) {
        // pino writes one object per line.
        lines.push(JSON.parse(line) as LogLine);
      },
    },
  });
  return { lines, log };
}

describe('createLogger', () => {
  test('writes one JSON object a line, with its service, level and fields', () => {
    const { lines, log } = setup();
    log.child({ campaign_id: 'c1' }).info({ call_id: 'k1' }, 'placed');
    log.debug('not written');
    expect(lines).toHaveLength(1);
    expect(lines[0]).toMatchObject({
      service: 'worker',
      level: 'info',
      campaign_id: 'c1',
      call_id: 'k1',
      msg: 'placed',
    });
    expect(lines[0]?.['time']).toMatch(/^\d{4}-\d\d-\d\dT/);
  });

  test('no phone number is readable in a field, a message, an error or a list', () => {
    const { lines, log } = setup();
    log.warn(
      { to_phone: '+15551230042', err: new Error('bad +15551230042'), list: [{ n: '+15551230042' }] },
      'dialing +15551230042',
    );
    const text = JSON.stringify(lines);
    expect(text).not.toContain('15551230042');
    expect(text.match(/\+15\*{7}42/g)?.length).toBeGreaterThanOrEqual(4);
  });

  test('secrets are left out by name, at every depth that a request has', () => {
    const { lines, log } = setup();
    log.info({
      password: 'hush',
      req: { authorization: 'hush', headers: { authorization: 'hush', 'x-api-key': 'hush', host: 'shown' } },
      headers: { 'x-api-key': 'hush' },
      url: 'redis://:hush@r:6379',
    });
    expect(JSON.stringify(lines)).not.toContain('hush');
    expect(JSON.stringify(lines)).toContain('shown');
  });
});
