import { setTimeout } from 'node:timers/promises';
import { diag, DiagLogLevel, type DiagLogger } from '@opentelemetry/api';
import { OTLPTraceExporter as JsonExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { OTLPTraceExporter as ProtobufExporter } from '@opentelemetry/exporter-trace-otlp-proto';
import { detectResources, envDetector, resourceFromAttributes } from '@opentelemetry/resources';
import { BatchSpanProcessor, NodeTracerProvider } from '@opentelemetry/sdk-trace-node';
import type { Logger } from '../logger.ts';
import { maskSpans } from './mask-spans.ts';
import { traceIds } from './trace-ids.ts';

export interface TracingSettings {
  readonly protocol: 'http/protobuf' | 'http/json';
}

/** A receiver that does not answer may not keep a process from ending. */
const flushMs = 1_500;
/** A receiver that is away fails every few seconds: a line a minute is enough. */
const quietMs = 60_000;

/**
 * Sends spans to the receiver that the `OTEL_*` variables name, until `stop`. They wait in a queue of bounded length, and are dropped
 * where the receiver is away: nothing else waits for it. Only the trace's id is taken over from requests; baggage is not, since callers
 * could put anything in it.
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
      if (end === 'late') diag.warn('the receiver did not answer before the process ended');
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
