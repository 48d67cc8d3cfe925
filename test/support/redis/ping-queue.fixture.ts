import { setTimeout as delay } from 'node:timers/promises';
import { openPublisher } from '@outdial/queues';

/** Asks the queues at a Redis for an answer, in a process with its own certificates. */
const [url = ''] = process.argv.slice(2);
const why: string[] = [];
const log = {
  info: () => undefined,
  warn: (fields: object) => void why.push(JSON.stringify(fields)),
  error: (fields: object) => void why.push(JSON.stringify(fields)),
};
const publisher = openPublisher({ kind: 'redis', url }, { log });
const deadline = performance.now() + 60_000;
let answers = false;
while (!answers && why.length === 0 && performance.now() < deadline) {
  await delay(50);
  answers = await publisher.ping().then(
    () => true,
    () => false,
  );
}
await publisher.close();
if (answers) process.stdout.write('answers');
else {
  process.stderr.write(why.join('\n'));
  process.exitCode = 1;
}
