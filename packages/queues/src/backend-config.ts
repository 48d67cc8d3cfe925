export type QueueBackendConfig =
  | {
      readonly kind: 'redis';
      readonly url: string;
      /** First part of every key; default `outdial`. */
      readonly prefix?: string;
      /** The url names one node of a Redis Cluster. */
      readonly cluster?: boolean;
      /** Sentinels know the primary. Of the url then only the user, the password, the database and TLS count. */
      readonly sentinel?: SentinelConfig;
    }
  | {
      readonly kind: 'postgres';
      readonly url: string;
      /** The schema of BullMQ's own tables; default `bullmq`. */
      readonly schema?: string;
      /** The size of the pool that all queues of a publisher or consumer share. One more connection listens for jobs. */
      readonly poolMax?: number;
    };

export interface SentinelConfig {
  /** What they call the primary. */
  readonly name: string;
  readonly hosts: ReadonlyArray<{ host: string; port: number }>;
  /** Of the Sentinels themselves. */
  readonly password?: string;
}

export const defaultRedisPrefix = 'outdial';
export const defaultPostgresSchema = 'bullmq';
