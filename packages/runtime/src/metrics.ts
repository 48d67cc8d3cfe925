import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';

const jobSeconds = [0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300];
const httpSeconds = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

export type Metrics = ReturnType<typeof createMetrics>;

/** The metrics of one process, in a registry of its own. Names and labels are part of what operators rely on. */
export function createMetrics({ service }: { readonly service: string }) {
  const registry = new Registry();
  registry.setDefaultLabels({ service });
  collectDefaultMetrics({ register: registry });
  const registers = [registry];

  const jobs = new Counter({
    name: 'outdial_jobs_total',
    help: 'Runs of queue jobs that ended, by how they ended.',
    labelNames: ['job', 'result'],
    registers,
  });
  const jobDuration = new Histogram({
    name: 'outdial_job_duration_seconds',
    help: 'How long runs of queue jobs took.',
    labelNames: ['job'],
    buckets: jobSeconds,
    registers,
  });
  const webhookAttempts = new Counter({
    name: 'outdial_webhook_attempts_total',
    help: 'Attempts to deliver a webhook: delivered, retry (it failed and is tried again) or failed (it is given up).',
    labelNames: ['result'],
    registers,
  });
  const webhookDuration = new Histogram({
    name: 'outdial_webhook_attempt_duration_seconds',
    help: 'How long receivers of webhooks took to answer.',
    buckets: httpSeconds,
    registers,
  });

  return {
    registry,
    callsPlaced: new Counter({
      name: 'outdial_calls_placed_total',
      help: 'Calls that a provider accepted.',
      labelNames: ['provider'],
      registers,
    }),
    callsEnded: new Counter({
      name: 'outdial_calls_ended_total',
      help: 'Calls that ended, by outcome.',
      labelNames: ['outcome'],
      registers,
    }),
    gateRefused: new Counter({
      name: 'outdial_gate_refused_total',
      help: 'Dials that the gate refused, by reason.',
      labelNames: ['reason'],
      registers,
    }),
    sweepRepaired: new Counter({
      name: 'outdial_sweep_repaired_total',
      help: 'What the sweeps put right.',
      labelNames: ['sweep'],
      registers,
    }),
    linesInUse: new Gauge({
      name: 'outdial_lines_in_use',
      help: 'Calls in progress.',
      labelNames: ['provider'],
      registers,
    }),
    httpDuration: new Histogram({
      name: 'outdial_http_request_duration_seconds',
      help: 'How long requests took. The route is the pattern, never the path.',
      labelNames: ['method', 'route', 'status'],
      buckets: httpSeconds,
      registers,
    }),
    webhookAttempted(result: string, durationMs: number): void {
      webhookAttempts.inc({ result });
      webhookDuration.observe(durationMs / 1_000);
    },
    /** Fits the queues' port for metrics. */
    jobFinished(job: string, result: string, durationMs: number): void {
      jobs.inc({ job, result });
      jobDuration.observe({ job }, durationMs / 1_000);
    },
  };
}
