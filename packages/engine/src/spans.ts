import { type Attributes, type Span, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api';

const tracer = trace.getTracer('outdial');

/** Runs `work` in a span. Costs almost nothing without tracing. Attributes have ids, never phone numbers. */
export function inSpan<Result>(
  name: string,
  { attributes, asks }: { attributes: Attributes; asks?: 'another service' },
  work: (span: Span) => Promise<Result>,
): Promise<Result> {
  const kind = asks === undefined ? SpanKind.INTERNAL : SpanKind.CLIENT;
  return tracer.startActiveSpan(name, { kind, attributes }, async (span) => {
    try {
      return await work(span);
    } catch (error) {
      span.recordException(error instanceof Error ? error : String(error));
      span.setStatus({ code: SpanStatusCode.ERROR });
      throw error;
    } finally {
      span.end();
    }
  });
}
