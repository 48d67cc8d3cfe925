import { AsyncLocalStorage } from 'node:async_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { advanceCampaignJob, checkCallJob, placeCallJob } from '@outdial/contracts';
import { type Context, context, type ContextManager, ROOT_CONTEXT } from '@opentelemetry/api';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { asJob, beginsTrace, queueTelemetry } from './telemetry.ts';

/** A context manager like the SDK's, which propagates contexts across async calls. */
function contextManager(): ContextManager {
  const contexts = new AsyncLocalStorage<Context>();
  const manager: ContextManager = {
    active: () => contexts.getStore() ?? ROOT_CONTEXT,
    with: (active, run, self, ...args) => contexts.run(active, () => run.apply(self, args)),
    bind: (_active, target) => target,
    enable: () => manager,
    disable: () => manager,
  };
  return manager;
}

beforeAll(() => void context.setGlobalContextManager(contextManager()));
afterAll(() => context.disable());

test('a job that a request publishes is part of its trace', () => {
  expect([advanceCampaignJob, placeCallJob, checkCallJob].map(beginsTrace)).toEqual([false, false, false]);
});

test('the calls of an advance are part of its trace, but not the work that follows from calls', async () => {
  const seen = await asJob(async () => {
    await sleep(1);
    return [placeCallJob, advanceCampaignJob, checkCallJob].map(beginsTrace);
  });
  expect(seen).toEqual([false, true, true]);
});

test('jobs carry no trace data without tracing', () => {
  expect(queueTelemetry()).toBeUndefined();
});
