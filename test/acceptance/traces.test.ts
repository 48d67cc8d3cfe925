import { randomBytes } from 'node:crypto';
import { createOutdialClient, ok } from '@outdial/client';
import { expect, onTestFinished, test } from 'vitest';
import { freshBackend } from '../integration/queues.backends.ts';
import { secret, startScriptedGateway, takesEverything } from '../integration/gateway/scripted-gateway.ts';
import { queueBackends } from '../support/queues.ts';
import { waitFor } from '../support/stack/wait-for.ts';
import { runService } from './fleet-of-service.ts';
import { type ReceivedSpan, startOtlpReceiver } from './otlp-receiver.ts';

const numbers = Array.from({ length: 5 }, (_, index) => `+1555830000${index}`);
const calls = numbers.length;

test('a request, the jobs that follow from it, the gates and the calls to the provider are one trace, without a number of anybody', async () => {
  const receiver = await startOtlpReceiver();
  const gateway = await startScriptedGateway(takesEverything);
  onTestFinished(() => gateway.close());
  const redis = queueBackends().includes('redis') ? await freshBackend('redis') : null;
  onTestFinished(() => redis?.dispose());
  const { organization, baseUrl, fleet } = await runService({
    ...(redis?.config.kind === 'redis' && { REDIS_URL: redis.url, REDIS_PREFIX: redis.config.prefix }),
    TELEPHONY_PROVIDER: 'gateway',
    GATEWAY_URL: gateway.url,
    GATEWAY_SECRET: secret,
    PUBLIC_URL: 'http://127.0.0.1:9',
    OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url,
    OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
    OTEL_BSP_SCHEDULE_DELAY: '100',
  });
  // A sweep that finds the campaign before the job of the request does dials it in a trace of its own.
  await fleet.terminate('scheduler');
  const client = createOutdialClient({ baseUrl, apiKey: organization.apiKeys.admin });
  const [traceId, caller] = [randomBytes(16).toString('hex'), randomBytes(8).toString('hex')];
  const body = { name: 'Traced', agent_id: organization.agentId, phone_numbers: numbers };
  const { data: campaign } = await ok(client.POST('/api/v1/campaigns', { body }));
  const params = { path: { campaign_id: campaign?.id ?? '' } };
  const config = { call_on_weekend: true };
  await ok(client.PUT('/api/v1/campaigns/{campaign_id}/config', { params, body: config }));
  const response = await fetch(`${baseUrl}/api/v1/campaigns/${campaign?.id}/status`, {
    method: 'PUT',
    headers: {
      'content-type': 'application/json',
      'x-api-key': organization.apiKeys.admin,
      traceparent: `00-${traceId}-${caller}-01`,
      // Baggage must not be forwarded.
      baggage: 'person=+15558300000',
    },
    body: JSON.stringify({ status: 'running' }),
  });
  expect(response.status).toBe(200);

  const own = () => receiver.spans.filter((span) => span.traceId === traceId);
  const named = (name: string) => own().filter((span) => span.name === name);
  // Each process exports a span when it has ended, so parents come after their children.
  await waitFor(
    'every span of the trace',
    () =>
      named('PUT /api/v1/campaigns/{campaign_id}/status').length === 1 &&
      gated(named('gate')) === calls &&
      named('place call').length === calls &&
      own().every(({ parentSpanId }) => parentSpanId === caller || own().some(isSpan(parentSpanId))),
  );

  expect(pathOf(own(), named('place call')[0])).toEqual([
    'outdial-worker: place call',
    'outdial-worker: process advance-campaign',
    expect.stringMatching(/^outdial-api: add(Bulk)? .*advance-campaign$/),
    'outdial-api: PUT /api/v1/campaigns/{campaign_id}/status',
    caller,
  ]);
  expect(pathOf(own(), named('gate')[0]).at(-1)).toBe(caller);

  // The gateway can continue the trace: each request carries the span that waits for its answer.
  const placed = gateway.seen.filter(
    ({ method, headers }) => method === 'POST' && String(headers['traceparent']).includes(traceId),
  );
  const asked = new Set(named('place call').map(({ spanId }) => `00-${traceId}-${spanId}-01`));
  expect(new Set(placed.map(({ headers }) => headers['traceparent']))).toEqual(asked);
  expect(placed.flatMap(({ headers }) => headers['baggage'] ?? [])).toEqual([]);

  const everything = receiver.bodies.join('\n');
  expect(everything).not.toContain('155583000');
  // A queue operation is a span; its Redis commands and SQL statements are not.
  const stores = ['db.system', 'db.system.name', 'db.statement', 'db.query.text'];
  expect(
    receiver.spans
      .filter(({ attributes }) => stores.some((name) => name in attributes))
      .map(({ name }) => name),
  ).toEqual([]);
  // Polling and housekeeping of the queues make no spans.
  const names = new Set(receiver.spans.map(({ name }) => name.split(' ')[0]));
  expect([...names].filter((name) => name === 'getNextJob' || name === 'moveStalledJobsToWait')).toEqual([]);
});

/** How many calls passed through these gates; one gate takes many. */
function gated(gates: readonly ReceivedSpan[]): number {
  return gates.reduce((sum, { attributes }) => sum + Number(attributes['outdial.calls']), 0);
}

const isSpan = (id: string) => (span: ReceivedSpan) => span.spanId === id;

/** The path from a span to the root of its trace: `service: name` of each span, and the id of the caller's span. */
function pathOf(spans: readonly ReceivedSpan[], from: ReceivedSpan | undefined): string[] {
  if (from === undefined) return [];
  const parent = spans.find(isSpan(from.parentSpanId));
  const above = parent === undefined ? [from.parentSpanId] : pathOf(spans, parent);
  return [`${from.service}: ${from.name}`, ...above];
}
