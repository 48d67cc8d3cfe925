import { createMetrics, startHealthServer, systemClock, type Metrics } from '@outdial/runtime';
import { recordState } from '@outdial/scheduler/state-metrics';
import { onTestFinished } from 'vitest';
import { type Stack, type StackOptions } from '../../support/stack/start-stack.ts';
import { useStack } from '../../support/stack/use-stack.ts';
import { Scrapes, type Target } from './scrapes.ts';

export const ops = { user: 'ops', password: 'a-password-for-operators' };
export const authorization = `Basic ${Buffer.from(`${ops.user}:${ops.password}`).toString('base64')}`;

export interface WatchedWorld {
  stack: Stack;
  scrapes: Scrapes;
  /** Scrapes api, scheduler and worker once, like Prometheus. */
  scrape(): Promise<void>;
  /** The same if the state of the database cannot be read. */
  scrapeProcesses(): Promise<void>;
  failuresOf(sweep: string): Promise<number>;
  repairsOf(sweep: string): Promise<number>;
  failedDeliveries(): Promise<number>;
  /** Sets the api's clock ahead from now on. */
  setApiClockAhead(byMs: number): void;
}

/** The service, whose processes are scraped over HTTP. */
export async function useWatchedStack(options: StackOptions): Promise<WatchedWorld> {
  let aheadMs = 0;
  const metrics = {
    api: createMetrics({ service: 'api' }),
    scheduler: createMetrics({ service: 'scheduler' }),
    worker: createMetrics({ service: 'worker' }),
  };
  const clock = { ...systemClock, now: () => new Date(Date.now() + aheadMs) };
  const stack = await useStack({ ...options, watched: { ...metrics, ops, clock } });
  const targets = [
    target('api', () => `${stack.baseUrl}/metrics`),
    await served('scheduler', metrics.scheduler),
    await served('worker', metrics.worker),
  ].map(withoutNode);
  const scrapes = new Scrapes();
  return {
    stack,
    scrapes,
    async scrape() {
      // The scheduler does this four times between two scrapes.
      await recordState({ db: stack.db, metrics: metrics.scheduler });
      await scrapes.scrape(targets);
    },
    scrapeProcesses: () => scrapes.scrape(targets),
    async failuresOf(sweep) {
      const { values } = await metrics.scheduler.sweepFailed.get();
      return values.find(({ labels }) => labels.sweep === sweep)?.value ?? 0;
    },
    async repairsOf(sweep) {
      const { values } = await metrics.scheduler.sweepRepaired.get();
      return values.find(({ labels }) => labels.sweep === sweep)?.value ?? 0;
    },
    async failedDeliveries() {
      const { values = [] } =
        (await metrics.worker.registry.getSingleMetric('outdial_webhook_attempts_total')?.get()) ?? {};
      return values.reduce(
        (sum, { labels, value }) => (labels['result'] === 'delivered' ? sum : sum + value),
        0,
      );
    },
    setApiClockAhead(byMs) {
      aheadMs = byMs;
    },
  };
}

/** Node's default metrics would describe the test's process. */
export function withoutNode({ instance, read }: Target): Target {
  return { instance, read: async () => (await read())?.replaceAll(/^nodejs_.*$/gm, '') ?? null };
}

export function target(instance: string, url: () => string): Target {
  return {
    instance,
    async read() {
      // Prometheus times out after ten seconds.
      const signal = AbortSignal.timeout(10_000);
      const response = await fetch(url(), { headers: { authorization }, signal });
      return response.ok ? response.text() : null;
    },
  };
}

export async function served(instance: string, { registry }: Metrics): Promise<Target> {
  const server = await startHealthServer({
    port: 0,
    host: '127.0.0.1',
    ready: async () => ({}),
    metrics: registry,
    ops,
    log: { warn: () => undefined },
  });
  onTestFinished(() => server.close());
  return target(instance, () => `http://127.0.0.1:${server.port}/metrics`);
}
