/** A process for the test of `run`. Its argument selects its behaviour. */
import { trace } from '@opentelemetry/api';
import { databaseEnv } from './env/fragments.ts';
import { run } from './lifecycle.ts';

const scenario = process.argv[2];

await run({
  service: 'fixture',
  env: { database: databaseEnv },
  shutdownDeadlineMs: () => (scenario === 'trace' ? 5_000 : 200),
  async main({ log, shutdown }) {
    const alive = setInterval(() => undefined, 60_000);
    shutdown.add('timer', () => {
      clearInterval(alive);
      log.info({}, 'timer cleared');
    });
    if (scenario === 'hang') shutdown.add('hanging', () => new Promise(() => undefined));
    if (scenario === 'throw') throw new Error('port is taken');
    if (scenario === 'reject') void Promise.reject(new Error('forgotten'));
    if (scenario === 'trace') {
      const span = trace.getTracer('fixture').startSpan('asks', {
        attributes: { url: 'postgres://u:hush@db/x' }, // secretlint-disable-line -- made up
      });
      span.recordException(new Error('no answer from +15551230001'));
      span.end();
      log.info({ kept: span.isRecording() || span.spanContext().traceFlags === 1 }, 'traced');
    }
    log.info({}, 'ready');
  },
});
