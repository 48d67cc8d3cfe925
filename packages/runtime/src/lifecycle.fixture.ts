/** A process for the test of `run`; what it does is in its argument. */
import { databaseEnv } from './env/fragments.ts';
import { run } from './lifecycle.ts';

const scenario = process.argv[2];

await run({
  service: 'fixture',
  env: { database: databaseEnv },
  shutdownDeadlineMs: () => 200,
  async main({ log, shutdown }) {
    const alive = setInterval(() => undefined, 60_000);
    shutdown.add('timer', () => {
      clearInterval(alive);
      log.info({}, 'timer cleared');
    });
    if (scenario === 'hang') {
      shutdown.add('hanging', () => new Promise(() => undefined));
    }
    if (scenario === 'throw') {
      throw new Error('port is taken');
    }
    if (scenario === 'reject') {
      void Promise.reject(new Error('forgotten'));
    }
    log.info({}, 'ready');
  },
});
