import { openConsumer, openPublisher, openQueues, type QueueBackendConfig } from '@outdial/queues';
import { onTestFinished } from 'vitest';
import { freshBackend } from '../queues.backends.ts';
import { recordingLog, recordingMetrics } from '../queues.world.ts';

/** A backend for one test, with a publisher, and consumers that stop after the test. */
export async function openTestQueues(kind: QueueBackendConfig['kind']) {
  const { config, dispose } = await freshBackend(kind);
  onTestFinished(dispose);
  const log = recordingLog();
  const metrics = recordingMetrics();
  const publisher = openPublisher(config, { log });
  onTestFinished(() => publisher.close());
  return {
    config,
    log,
    metrics,
    publisher,
    /** The queues as operators see them. */
    queues: () => {
      const opened = openQueues(config, { log });
      onTestFinished(() => opened.close());
      return opened.queues;
    },
    consume: (...handlers: Parameters<typeof openConsumer>[2]) => {
      const consumer = openConsumer(config, { log, metrics }, handlers);
      onTestFinished(() => consumer.close({ drainMs: 1_000 }));
      return consumer;
    },
  };
}
