import { type Attributes, type Context, context, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api';

export const tracer = trace.getTracer('outdial');

/** Takes the steps of a stream in a context, so that their spans are below its span. */
export async function* stepsWithin<T>(
  parent: Context,
  steps: AsyncIterable<T>,
): AsyncGenerator<T, void, void> {
  const iterator = steps[Symbol.asyncIterator]();
  try {
    for (;;) {
      const next = await context.with(parent, () => iterator.next());
      if (next.done === true) return;
      yield next.value;
    }
  } finally {
    await iterator.return?.();
  }
}

/** A span that lasts as long as a stream. Errors are named without their text, which may quote what was said. */
export async function* spannedSteps<T>(
  name: string,
  attributes: Attributes,
  steps: () => AsyncIterable<T>,
  parent = context.active(),
): AsyncGenerator<T, void, void> {
  const span = tracer.startSpan(name, { kind: SpanKind.CLIENT, attributes }, parent);
  try {
    yield* stepsWithin(trace.setSpan(parent, span), steps());
  } catch (error) {
    span.setStatus({ code: SpanStatusCode.ERROR });
    span.setAttribute('error.type', error instanceof Error ? error.name : 'unknown');
    throw error;
  } finally {
    span.end();
  }
}

/** A span that lasts as long as a piece of work. */
export async function spanned<T>(
  name: string,
  attributes: Attributes,
  work: () => Promise<T>,
  parent = context.active(),
): Promise<T> {
  const only = async function* (): AsyncGenerator<T> {
    yield await work();
  };
  let result: { value: T } | null = null;
  for await (const value of spannedSteps(name, attributes, only, parent)) result = { value };
  if (result === null) throw new Error('the work has no result');
  return result.value;
}
