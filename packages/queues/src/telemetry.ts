import { type Context, context, createContextKey, propagation } from '@opentelemetry/api';
import type { JobDefinition } from '@outdial/contracts';
import { SpanKind, type Telemetry } from 'bullmq';
import { BullMQOtel } from 'bullmq-otel';

/**
 * Traces jobs that are published and run; undefined if the process is not traced. Leaves out the spans of BullMQ's internal maintenance, of
 * which each queue has several a second.
 */
export function queueTelemetry(): Telemetry<Context> | undefined {
  // Only a traced process has a propagator.
  if (propagation.fields().length === 0) return undefined;
  const { tracer, contextManager } = new BullMQOtel({ tracerName: 'bullmq' });
  return {
    contextManager,
    tracer: {
      startSpan: (name, options, parent) =>
        options?.kind === SpanKind.INTERNAL ? droppedSpan : tracer.startSpan(name, options, parent),
    },
  };
}

type Span = ReturnType<Telemetry<Context>['tracer']['startSpan']>;

const nothing = () => undefined;
const droppedSpan: Span = {
  setSpanOnContext: (active: Context) => active,
  setAttribute: nothing,
  setAttributes: nothing,
  addEvent: nothing,
  recordException: nothing,
  end: nothing,
};

const inJob = createContextKey('outdial: runs in a job');

/** Marks the context of a job, so that `beginsTrace` recognizes jobs that it publishes, even from a timer. */
export function asJob<Result>(run: () => Result): Result {
  return context.with(context.active().setValue(inJob, true), run);
}

/**
 * Whether a job that is published now starts a new trace. A campaign's jobs publish one another until it ends, which would make one trace of a
 * hundred thousand spans. So a trace spans from a request to the calls of one advance.
 */
export function beginsTrace(job: JobDefinition): boolean {
  return job.staysInTrace !== true && context.active().getValue(inJob) === true;
}
