import { context, propagation, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api';
import type { RequestHandler } from 'express';
import type { Principal } from './principal.ts';

/**
 * A span for each request, part of the caller's trace if the request names one (https://www.w3.org/TR/trace-context/). Contains neither
 * paths nor query strings, which may have phone numbers. Null if the process is not traced.
 */
export function requestTraces(): RequestHandler | null {
  // Only a traced process has a propagator.
  if (propagation.fields().length === 0) return null;
  const tracer = trace.getTracer('outdial');
  return (req, res, next) => {
    const parent = propagation.extract(context.active(), req.headers);
    const attributes = { 'http.request.method': req.method };
    const span = tracer.startSpan(req.method, { kind: SpanKind.SERVER, attributes }, parent);
    res.once('close', () => {
      // `locals` is untyped; these names are ours.
      const { route, principal } = res.locals as { route?: string; principal?: Principal };
      if (route !== undefined) {
        span.updateName(`${req.method} ${route}`);
        span.setAttribute('http.route', route);
      }
      if (principal !== undefined) span.setAttribute('outdial.organization_id', principal.organizationId);
      span.setAttribute('http.response.status_code', res.statusCode);
      if (res.statusCode >= 500) span.setStatus({ code: SpanStatusCode.ERROR });
      span.end();
    });
    context.with(trace.setSpan(parent, span), next);
  };
}
