import type { Attributes } from '@opentelemetry/api';
import type { ReadableSpan, SpanExporter } from '@opentelemetry/sdk-trace-node';
import { maskLine } from '../mask-line.ts';

/** Masks phone numbers and passwords in spans before they leave the process. Error messages may contain some. */
export function maskSpans(exporter: SpanExporter): SpanExporter {
  return {
    export(spans, done) {
      for (const span of spans) maskSpan(span);
      exporter.export(spans, done);
    },
    shutdown: () => exporter.shutdown(),
    forceFlush: () => exporter.forceFlush?.() ?? Promise.resolve(),
  };
}

function maskSpan({ attributes, events, status }: ReadableSpan): void {
  maskAttributes(attributes);
  for (const event of events) if (event.attributes !== undefined) maskAttributes(event.attributes);
  if (status.message !== undefined) status.message = maskLine(status.message);
}

function maskAttributes(attributes: Attributes): void {
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === 'string') attributes[name] = maskLine(value);
  }
}
