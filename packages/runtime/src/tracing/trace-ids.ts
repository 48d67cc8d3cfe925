import { type TextMapPropagator, trace } from '@opentelemetry/api';
import { W3CTraceContextPropagator } from '@opentelemetry/core';

const traceContext = new W3CTraceContextPropagator();

/** Propagates the trace id but not `tracestate`, in which callers could put anything that jobs and providers would then receive. */
export const traceIds: TextMapPropagator = {
  inject: (context, carrier, setter) => traceContext.inject(context, carrier, setter),
  extract(context, carrier, getter) {
    const extracted = traceContext.extract(context, carrier, getter);
    const span = trace.getSpanContext(extracted);
    if (span === undefined) return extracted;
    const { traceId, spanId, traceFlags } = span;
    return trace.setSpanContext(extracted, { traceId, spanId, traceFlags, isRemote: true });
  },
  fields: () => traceContext.fields(),
};
