import { randomUUID } from 'node:crypto';
import { Webhook } from 'standardwebhooks';
import { type JsonSchema, readSchemas } from './from-schema.ts';
import { headerText, oddHeaders } from './headers.ts';
import { hostileText } from './hostile-values.ts';
import { jsonText } from './json-text.ts';
import type { FuzzTarget, Surroundings } from './target.ts';
import { oddSegment } from './wire.ts';

/** A gateway event with a valid signature and hostile content. */
export function eventTarget({ random, ids, gateway }: Surroundings): FuzzTarget {
  const data: JsonSchema = {
    type: 'object',
    properties: {
      outcome: { enum: ['completed', 'no_answer', 'busy', 'voicemail', 'failed', 'unknown'] },
      duration: { type: 'number', maximum: Number.MAX_SAFE_INTEGER },
      cost: { type: 'number', maximum: Number.MAX_SAFE_INTEGER },
      transcript: { type: 'string' },
      recording_url: { type: 'string' },
      call_extract: { type: 'object' },
      external_status: { type: 'string' },
      conversation_id: { type: 'string' },
    },
    required: ['outcome'],
  };
  const event: JsonSchema = {
    type: 'object',
    properties: {
      event_id: { type: 'string' },
      call_id: { type: 'string', format: 'uuid' },
      type: {
        enum: [
          'call.ringing',
          'call.answered',
          'call.ended',
          'call.transcript',
          'call.recording',
          'call.else',
        ],
      },
      occurred_at: { type: 'string', format: 'date-time' },
      data,
    },
    required: ['event_id', 'call_id', 'type', 'data', 'occurred_at'],
  };
  const schemas = readSchemas(random, {}, (field) => ids.pick(field));
  return {
    name: 'provider-events',
    make() {
      const body = jsonText(schemas.value(event, random.pick([0, 0.05, 0.2])));
      const bytes = Buffer.from(body);
      const at = new Date();
      const id = random.chance(0.9) ? `evt_${randomUUID()}` : headerText(hostileText(random)).slice(0, 300);
      const signature = new Webhook(gateway.secret).sign(id, at, bytes.toString('utf8'));
      const path = random.chance(0.95) ? gateway.name : oddSegment(random);
      return {
        method: 'POST',
        target: `/provider-events/${path}`,
        headers: [
          ['Host', 'fuzz.example'],
          ['Connection', 'close'],
          ['Content-Type', 'application/json'],
          ['Content-Length', String(bytes.length)],
          ['webhook-id', id],
          ['webhook-timestamp', String(Math.floor(at.getTime() / 1_000))],
          ['webhook-signature', signature],
          ...(random.chance(0.1) ? oddHeaders(random) : []),
        ],
        body: bytes,
      };
    },
  };
}
