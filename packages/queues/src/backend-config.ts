/** Where the queues are stored. */
export type QueueBackendConfig =
  | {
      readonly kind: 'redis';
      readonly url: string;
      /** First part of every key; default `outdial`. */
      readonly prefix?: string;
      /** The url names one node of a Redis Cluster. */
      readonly cluster?: boolean;
    }
  | {
      readonly kind: 'postgres';
      readonly url: string;
      /** The schema of BullMQ's own tables; default `bullmq`. */
      readonly schema?: string;
      /** The size of the pool that all queues of a publisher or consumer share. One more connection listens for jobs. */
      readonly poolMax?: number;
    };

export const defaultRedisPrefix = 'outdial';
export const defaultPostgresSchema = 'bullmq';
