/**
 * Runs as a separate process: opens all parts of the queues, sends a job through, and closes the queues. The process then exits only if nothing was
 * left open.
 */
import { placeCallJob } from '@outdial/contracts';
import { onJob, openConsumer, openPublisher, openQueues, type QueueBackendConfig } from '@outdial/queues';
import { countdown, placeCallPayload, recordingLog } from './queues.world.ts';

// The parent test wrote this value from the same type.
const config = JSON.parse(process.argv[2] ?? '') as QueueBackendConfig;
const log = recordingLog();
const handled = countdown(1);
const publisher = openPublisher(config, { log });
const ops = openQueues(config, { log });
const consumer = openConsumer(config, { log }, [
  onJob({
    job: placeCallJob,
    concurrency: 3,
    async handle() {
      handled.tick();
    },
  }),
]);
await publisher.publish(placeCallJob, placeCallPayload());
await handled.reached;
await consumer.close({ drainMs: 5_000 });
await ops.close();
await publisher.close();
process.stdout.write('closed\n');
