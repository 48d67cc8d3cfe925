export type { QueueBackendConfig } from './backend-config.ts';
export { type BoundHandler, type Consumer, onJob, openConsumer } from './consumer.ts';
export {
  ConsumerClosedError,
  InvalidJobPayloadError,
  JobTimeoutError,
  QueueUnavailableError,
} from './errors.ts';
export { type OpsQueues, openQueues } from './ops-queues.ts';
export type { JobMetrics, JobResult, QueueLog } from './ports.ts';
export { prepareQueueBackend } from './prepare.ts';
export { openPublisher, type Publisher, type PublishOptions } from './publisher.ts';
export type { JobContext, JobHandler } from './run-job.ts';
