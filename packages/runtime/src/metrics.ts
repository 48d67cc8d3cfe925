import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';

const jobSeconds = [0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300];
const httpSeconds = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];
/** People on the phone notice a tenth of a second. */
const talkSeconds = [0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.65, 0.8, 1, 1.25, 1.5, 2, 3, 5, 10];
/** Phones ring for up to a minute, and conversations may last hours. */
const callSeconds = [0.5, 1, 2.5, 5, 10, 20, 30, 45, 60, 120, 300, 600, 1_800, 7_200];

export type Metrics = ReturnType<typeof createMetrics>;

/** The metrics of one process, in its own registry. Operators rely on the names and labels. */
export function createMetrics({ service }: { readonly service: string }) {
  const registry = new Registry();
  registry.setDefaultLabels({ service });
  // Each look at the event loop wakes the process. Only conversations suffer from less than a tenth of a second.
  collectDefaultMetrics({ register: registry, eventLoopMonitoringPrecision: service === 'voice' ? 10 : 100 });
  const registers = [registry];
  const counter = <Label extends string>(name: string, help: string, ...labelNames: Label[]) =>
    new Counter({ name, help, labelNames, registers });
  const gauge = <Label extends string>(name: string, help: string, ...labelNames: Label[]) =>
    new Gauge({ name, help, labelNames, registers });
  const histogram = <Label extends string>(
    name: string,
    help: string,
    buckets: number[],
    ...labelNames: Label[]
  ) => new Histogram({ name, help, buckets, labelNames, registers });

  const jobs = counter('outdial_jobs_total', 'Runs of queue jobs, by result.', 'queue', 'result');
  const jobDuration = histogram(
    'outdial_job_duration_seconds',
    'How long runs of queue jobs took.',
    jobSeconds,
    'queue',
  );
  const webhookAttempts = counter(
    'outdial_webhook_attempts_total',
    'Attempts to deliver a webhook: delivered, retry (failed, will be retried) or failed (given up).',
    'result',
  );
  const webhookDuration = histogram(
    'outdial_webhook_attempt_duration_seconds',
    'How long webhook receivers took to respond.',
    httpSeconds,
  );

  return {
    registry,
    callsPlaced: counter('outdial_calls_placed_total', 'Calls that a provider accepted.', 'provider'),
    callsEnded: counter('outdial_calls_ended_total', 'Calls that ended, by outcome.', 'outcome', 'provider'),
    organizationCallsEnded: counter(
      'outdial_organization_calls_ended_total',
      'Calls that ended, by outcome and organization: the first fifty that this process saw, and `other` for the rest.',
      'outcome',
      'organization',
    ),
    providerAnswer: histogram(
      'outdial_provider_answer_seconds',
      'How long requests to place a call took, by how the provider answered.',
      httpSeconds,
      'provider',
      'result',
    ),
    gateToAnswer: histogram(
      'outdial_gate_to_answer_seconds',
      'From the last check before a dial until the person answered.',
      callSeconds,
      'provider',
    ),
    answerToOutcome: histogram(
      'outdial_answer_to_outcome_seconds',
      'From the answer until the outcome was recorded.',
      callSeconds,
      'provider',
    ),
    gateRefused: counter('outdial_gate_refused_total', 'Dials that the gate refused, by reason.', 'reason'),
    sweepRepaired: counter('outdial_sweep_repaired_total', 'Repairs by sweeps.', 'sweep'),
    linesInUse: gauge('outdial_lines_in_use', 'Calls in progress.', 'provider'),
    organizationLines: gauge(
      'outdial_organization_lines_in_use',
      'Calls in progress, for the fifty organizations with the most.',
      'organization',
    ),
    notReady: gauge('outdial_not_ready', '1 while this check keeps the process from being ready.', 'check'),
    recipientsDue: gauge(
      'outdial_recipients_due',
      'Recipients of running campaigns that could be dialed now, for the fifty organizations with the most.',
      'organization',
    ),
    campaignOverdue: gauge(
      'outdial_campaign_overdue_seconds',
      'How late the scheduler is with the campaign that has been due longest.',
    ),
    callsUnchecked: gauge(
      'outdial_calls_unchecked',
      'Calls in progress that should have been looked up a minute ago.',
    ),
    workersAlive: gauge('outdial_workers_alive', 'Workers with a heartbeat within half a minute.'),
    providerClosed: gauge(
      'outdial_provider_closed',
      '1 while no calls are placed through the provider because it refused or failed.',
      'provider',
    ),
    campaignsBlocked: gauge(
      'outdial_campaigns_blocked',
      'Running campaigns that place no calls, by what they wait for.',
      'reason',
    ),
    recipientsFailing: gauge(
      'outdial_recipients_failing',
      'Recipients of running campaigns whose calls failed three or more times in a row because of an error in Outdial.',
    ),
    sweepFailed: counter('outdial_sweep_failures_total', 'Rounds of sweeps that failed.', 'sweep'),
    webhooksOverdue: gauge(
      'outdial_webhook_overdue_seconds',
      'How late the workers are with the webhook that has been due longest.',
    ),
    webhooksFailing: gauge(
      'outdial_webhook_failing_seconds',
      'How long the longest failing enabled endpoint has been failing.',
    ),
    documentsWaiting: gauge(
      'outdial_documents_waiting',
      'Documents waiting to be read, counted up to a thousand.',
    ),
    documentsOldest: gauge(
      'outdial_documents_oldest_seconds',
      'Age of the document that has waited longest to be read.',
    ),
    queueJobs: gauge('outdial_queue_jobs', 'Jobs in a queue, by state.', 'queue', 'state'),
    queueOldest: gauge(
      'outdial_queue_oldest_job_seconds',
      'Age of the job that has waited longest.',
      'queue',
    ),
    callsDeferred: counter(
      'outdial_calls_deferred_total',
      'Calls that a provider asked to place later, by reason; no attempt is used.',
      'provider',
      'reason',
    ),
    httpDuration: histogram(
      'outdial_http_request_duration_seconds',
      'How long requests took. The route is the pattern, not the path.',
      httpSeconds,
      'method',
      'route',
      'status',
    ),
    voiceCalls: gauge('outdial_voice_calls', 'Conversations that this voice process holds.'),
    voiceCapacity: gauge('outdial_voice_capacity', 'Conversations that this voice process may hold.'),
    voiceTurns: counter('outdial_voice_turns_total', 'Turns spoken on calls, by speaker.', 'role'),
    voiceInterruptions: counter(
      'outdial_voice_interruptions_total',
      'Turns of agents that a person interrupted.',
    ),
    voiceLatency: histogram(
      'outdial_voice_latency_seconds',
      'How long a person waits for: the recognizer, the first words of the model, the first sound of the voice, the whole reply, and the first word of a call.',
      talkSeconds,
      'stage',
    ),
    voiceToolCalls: counter(
      'outdial_voice_tool_calls_total',
      'Tool calls of models, by result.',
      'tool',
      'result',
    ),
    voiceEndpointFailures: counter(
      'outdial_voice_endpoint_failures_total',
      'Requests to an endpoint that were refused or failed.',
      'endpoint',
      'reason',
    ),
    voiceEndpointDown: gauge(
      'outdial_voice_endpoint_down',
      '1 while this voice process does not use the endpoint because it failed.',
      'endpoint',
    ),
    voiceCallsRefused: counter(
      'outdial_voice_calls_refused_total',
      'Media connections that were refused, by reason.',
      'reason',
    ),
    webhookAttempted(result: string, durationMs: number): void {
      webhookAttempts.inc({ result });
      webhookDuration.observe(durationMs / 1_000);
    },
    /** Reads the state of a connection pool at each scrape. */
    watchPool(use: () => Readonly<Record<string, number>> | null): void {
      const connections = new Gauge({
        name: 'outdial_pool_connections',
        help: 'Database connections of this process, by state. `waiting` counts queries that wait for one.',
        labelNames: ['state'],
        registers: [],
        collect() {
          for (const [state, count] of Object.entries(use() ?? {})) this.set({ state }, count);
        },
      });
      registry.registerMetric(connections);
    },
    jobFinished(job: string, result: string, durationMs: number): void {
      jobs.inc({ queue: job, result });
      jobDuration.observe({ queue: job }, durationMs / 1_000);
    },
  };
}
