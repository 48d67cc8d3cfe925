import { defaultTextMapGetter, defaultTextMapSetter, ROOT_CONTEXT } from '@opentelemetry/api';
import { expect, test } from 'vitest';
import { traceIds } from './trace-ids.ts';

const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';

test('passes on the trace of a request, and nothing else that its caller wrote', () => {
  const asked = { traceparent, tracestate: 'crm=jane.doe' };
  const context = traceIds.extract(ROOT_CONTEXT, asked, defaultTextMapGetter);
  const passedOn: Record<string, string> = {};
  traceIds.inject(context, passedOn, defaultTextMapSetter);
  expect(passedOn).toEqual({ traceparent });
});

test('begins no trace for a request without one', () => {
  const context = traceIds.extract(ROOT_CONTEXT, { tracestate: 'a=b' }, defaultTextMapGetter);
  const passedOn: Record<string, string> = {};
  traceIds.inject(context, passedOn, defaultTextMapSetter);
  expect(passedOn).toEqual({});
});
