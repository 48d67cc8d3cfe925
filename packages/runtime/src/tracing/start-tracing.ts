import { setTimeout } from 'node:timers/promises';
import { diag, DiagLogLevel, type DiagLogger, type Attributes } from '@opentelemetry/api';
import { OTLPTraceExporter as JsonExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { OTLPTraceExporter as ProtobufExporter } from '@opentelemetry/exporter-trace-otlp-proto';
import { detectResources, envDetector, resourceFromAttributes } from '@opentelemetry/resources';
import {
  BatchSpanProcessor,
  NodeTracerProvider,
  type ReadableSpan,
  type SpanExporter,
} from '@opentelemetry/sdk-trace-node';
import type { Logger } from '../logger.ts';
import { traceIds } from './trace-ids.ts';
import { maskLine } from '../mask-line.ts';

export interface TracingSettings {
  readonly protocol: 'http/protobuf' | 'http/json';
}

/** A receiver that does not respond must not delay the end of a process. */
const flushMs = 1_500;
/** While the receiver is down, exports fail every few seconds. One log line a minute is enough. */
const quietMs = 60_000;

/**
 * Sends spans to the receiver that the `OTEL_*` variables name, until `stop`. The queue is bounded and drops spans while the receiver is down,
 * so that calls never wait for it. Requests only contribute their trace id, not their baggage, in which callers could put anything.
 */
export function startTracing({
  service,
  settings: { protocol },
  log,
}: {
  service: string;
  settings: TracingSettings;
  log: Pick<Logger, 'warn'>;
}): { stop(): Promise<void> } {
  diag.setLogger(quietLogger(log), DiagLogLevel.WARN);
  const exporter = protocol === 'http/json' ? new JsonExporter() : new ProtobufExporter();
  const provider = new NodeTracerProvider({
    resource: resourceFromAttributes({ 'service.name': `outdial-${service}` }).merge(
      detectResources({ detectors: [envDetector] }),
    ),
    spanProcessors: [new BatchSpanProcessor(maskSpans(exporter))],
  });
  provider.register({ propagator: traceIds });
  return {
    async stop() {
      const late = setTimeout(flushMs, 'late' as const, { ref: false });
      const end = await Promise.race([provider.shutdown().catch(() => undefined), late]);
      if (end === 'late') diag.warn('the receiver did not respond before the process ended');
    },
  };
}

function quietLogger(log: Pick<Logger, 'warn'>): DiagLogger {
  let quietUntilMs = 0;
  const warn = (message: string) => {
    if (performance.now() < quietUntilMs) return;
    quietUntilMs = performance.now() + quietMs;
    log.warn({ cause: message.slice(0, 1_000) }, 'traces could not be sent');
  };
  const ignore = () => undefined;
  return { error: warn, warn, info: ignore, debug: ignore, verbose: ignore };
}

/** Masks phone numbers and passwords in spans before they leave the process. Error messages may contain some. */
function maskSpans(exporter: SpanExporter): SpanExporter {
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
