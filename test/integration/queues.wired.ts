import { advanceCampaignJob, placeCallJob } from '@outdial/contracts';
import { onJob, openConsumer, openPublisher, openQueues, type QueueBackendConfig } from '@outdial/queues';
import { freshBackend } from './queues.backends.ts';
import { CuttableWire, eventually, placeCallPayload, recordingLog } from './queues.world.ts';

/** Queues over a connection that the test can cut, with a consumer that counts its jobs. */
export async function openWired(
  kind: QueueBackendConfig['kind'],
  onCleanup: (...cleanups: Array<() => Promise<void>>) => void,
) {
  const { config, url, dispose } = await freshBackend(kind);
  const wire = new CuttableWire(url);
  await wire.reconnect();
  onCleanup(dispose, () => wire.cut());
  const wired = { ...config, url: wire.url };
  const log = recordingLog();
  const handled = new Set<string>();
  const publisher = openPublisher(wired, { log });
  const consumer = openConsumer(wired, { log }, [
    onJob({
      job: placeCallJob,
      concurrency: 5,
      async handle({ call_id: callId }) {
        handled.add(callId);
      },
    }),
    onJob({
      job: advanceCampaignJob,
      concurrency: 5,
      async handle({ campaign_id: campaignId }) {
        handled.add(campaignId);
      },
    }),
  ]);
  onCleanup(
    () => publisher.close(),
    () => consumer.close({ drainMs: 500 }),
  );
  async function roundTrip() {
    const payload = placeCallPayload();
    await publisher.publish(placeCallJob, payload);
    await eventually(() => handled.has(payload.call_id));
  }
  /** Resolves when no job is active, as the queue has it: a handler ends before its job. */
  async function atRest() {
    const opened = openQueues(config, { log: recordingLog() });
    await eventually(async () => {
      const active = await Promise.all(opened.queues.map((queue) => queue.getActiveCount()));
      return active.every((count) => count === 0);
    });
    await opened.close();
  }
  return { config, url, wire, log, publisher, handled, roundTrip, atRest };
}
