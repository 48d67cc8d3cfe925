import { type Context, context, createContextKey, propagation } from '@opentelemetry/api';
import type { JobDefinition } from '@outdial/contracts';
import { SpanKind, type Telemetry } from 'bullmq';
import { BullMQOtel } from 'bullmq-otel';

/**
 * BullMQ's telemetry of jobs for OpenTelemetry; undefined if the process is not traced. The spans of jobs that are published and run are
 * kept. Those of BullMQ's own housekeeping, several a second and queue, are not.
 */
export function queueTelemetry(): Telemetry<Context> | undefined {
  // Only a process that is traced has a propagator.
  if (propagation.fields().length === 0) return undefined;
  const { tracer, contextManager } = new BullMQOtel({ tracerName: 'bullmq' });
  return {
    contextManager,
    tracer: {
      startSpan: (name, options, parent) =>
        options?.kind === SpanKind.INTERNAL ? unkept : tracer.startSpan(name, options, parent),
    },
  };
}

type Span = ReturnType<Telemetry<Context>['tracer']['startSpan']>;

const nothing = () => undefined;
const unkept: Span = {
  setSpanOnContext: (active: Context) => active,
  setAttribute: nothing,
  setAttributes: nothing,
  addEvent: nothing,
  recordException: nothing,
  end: nothing,
};

const ofJob = createContextKey('outdial: runs in a job');

/** Runs a job so that what it publishes, at once or by a timer, is known to follow from a job. */
export function asJob<Result>(run: () => Result): Result {
  return context.with(context.active().setValue(ofJob, true), run);
}

/**
 * Whether a job that is published now begins a trace of its own. The jobs of a campaign follow from one another until it is over: in one trace they
 * would be a hundred thousand spans. So a trace reaches from a request to the calls of one advance.
 */
export function beginsTrace(job: JobDefinition): boolean {
  return job.staysInTrace !== true && context.active().getValue(ofJob) === true;
}
