import { randomUUID } from 'node:crypto';
import { afterEach, describe, expect, test } from 'vitest';
import { Webhook } from 'standardwebhooks';
import { startRecordingGateway, type RecordingGateway } from './recording-gateway.ts';

const closes: Array<() => Promise<void>> = [];
afterEach(async () => {
  for (const close of closes.splice(0)) await close();
});

async function startGateway(): Promise<RecordingGateway> {
  const gateway = await startRecordingGateway({ post: () => ({ kind: 'accept' }), script: () => null });
  closes.push(() => gateway.close());
  return gateway;
}

async function place(gateway: RecordingGateway, signedAt: Date): Promise<number> {
  const callId = randomUUID();
  const body = JSON.stringify({
    call_id: callId,
    organization_id: randomUUID(),
    campaign_id: null,
    attempt: 1,
    to_phone: '+4930901820',
    events_url: 'http://127.0.0.1:9/events',
  });
  const response = await fetch(`${gateway.url}/calls`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'webhook-id': callId,
      'webhook-timestamp': String(Math.floor(signedAt.getTime() / 1_000)),
      'webhook-signature': new Webhook(gateway.secret).sign(callId, signedAt, body),
    },
    body,
  });
  return response.status;
}

describe('a gateway whose clock was turned forward by six minutes', () => {
  test('reports and refuses a call that was signed before', async () => {
    const gateway = await startGateway();
    const aSecondBefore = new Date(Date.now() - 1_000);
    gateway.turnForward(360_000);

    expect(await place(gateway, aSecondBefore)).toBe(401);
    expect(gateway.unsigned).toEqual(['POST /calls, signed before the clock was turned forward']);
  });

  test('accepts a call that was signed right afterwards, within the same second', async () => {
    const gateway = await startGateway();
    gateway.turnForward(360_000);

    expect(await place(gateway, new Date())).toBe(201);
    expect(gateway.unsigned).toEqual([]);
  });
});
