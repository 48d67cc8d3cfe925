import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';

const jobSeconds = [0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300];
const httpSeconds = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];
/** A person on the telephone notices a tenth of a second. */
const talkSeconds = [0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.65, 0.8, 1, 1.25, 1.5, 2, 3, 5, 10];
/** A phone rings for most of a minute, and a conversation lasts for up to hours. */
const callSeconds = [0.5, 1, 2.5, 5, 10, 20, 30, 45, 60, 120, 300, 600, 1_800, 7_200];

export type Metrics = ReturnType<typeof createMetrics>;

/** The metrics of one process, in a registry of its own. Names and labels are part of what operators rely on. */
export function createMetrics({ service }: { readonly service: string }) {
  const registry = new Registry();
  registry.setDefaultLabels({ service });
  collectDefaultMetrics({ register: registry });
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

  const jobs = counter(
    'outdial_jobs_total',
    'Runs of queue jobs that ended, by how they ended.',
    'queue',
    'result',
  );
  const jobDuration = histogram(
    'outdial_job_duration_seconds',
    'How long runs of queue jobs took.',
    jobSeconds,
    'queue',
  );
  const webhookAttempts = counter(
    'outdial_webhook_attempts_total',
    'Attempts to deliver a webhook: delivered, retry (it failed and is tried again) or failed (it is given up).',
    'result',
  );
  const webhookDuration = histogram(
    'outdial_webhook_attempt_duration_seconds',
    'How long receivers of webhooks took to answer.',
    httpSeconds,
  );

  return {
    registry,
    callsPlaced: counter('outdial_calls_placed_total', 'Calls that a provider accepted.', 'provider'),
    callsEnded: counter('outdial_calls_ended_total', 'Calls that ended, by outcome.', 'outcome', 'provider'),
    organizationCallsEnded: counter(
      'outdial_organization_calls_ended_total',
      'Calls that ended, of the first fifty organizations that this process met; all others are `other`.',
      'outcome',
      'organization',
    ),
    providerAnswer: histogram(
      'outdial_provider_answer_seconds',
      'How long a provider took to say what becomes of a call that it was sent.',
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
      'From the answer until the outcome was written down.',
      callSeconds,
      'provider',
    ),
    gateRefused: counter('outdial_gate_refused_total', 'Dials that the gate refused, by reason.', 'reason'),
    sweepRepaired: counter('outdial_sweep_repaired_total', 'What the sweeps put right.', 'sweep'),
    linesInUse: gauge('outdial_lines_in_use', 'Calls in progress.', 'provider'),
    organizationLines: gauge(
      'outdial_organization_lines_in_use',
      'Calls in progress, of the fifty organizations with most.',
      'organization',
    ),
    notReady: gauge('outdial_not_ready', '1 while this keeps the process from its work.', 'check'),
    recipientsDue: gauge(
      'outdial_recipients_due',
      'Recipients of running campaigns that could be dialed now; of the fifty organizations with most.',
      'organization',
    ),
    campaignOverdue: gauge(
      'outdial_campaign_overdue_seconds',
      'How late the scheduler is with the campaign that is due longest.',
    ),
    callsUnchecked: gauge(
      'outdial_calls_unchecked',
      'Calls in progress that should have been looked up a minute ago.',
    ),
    workersAlive: gauge('outdial_workers_alive', 'Workers that were heard of within half a minute.'),
    providerClosed: gauge(
      'outdial_provider_closed',
      '1 while nothing is dialed through the provider because it refused or failed.',
      'provider',
    ),
    campaignsBlocked: gauge(
      'outdial_campaigns_blocked',
      'Running campaigns that dial nothing, by what they wait for.',
      'reason',
    ),
    recipientsFailing: gauge(
      'outdial_recipients_failing',
      'Recipients of running campaigns whose calls failed in the service three times in a row or more.',
    ),
    sweepFailed: counter('outdial_sweep_failures_total', 'Rounds of sweeps that ended in an error.', 'sweep'),
    webhooksOverdue: gauge(
      'outdial_webhook_overdue_seconds',
      'How late the workers are with the webhook that is due longest.',
    ),
    webhooksFailing: gauge(
      'outdial_webhook_failing_seconds',
      'For how long the enabled endpoint has failed that has done so longest.',
    ),
    documentsWaiting: gauge(
      'outdial_documents_waiting',
      'Documents that wait to be read, counted up to a thousand.',
    ),
    documentsOldest: gauge(
      'outdial_documents_oldest_seconds',
      'Age of the document that waits longest to be read.',
    ),
    queueJobs: gauge('outdial_queue_jobs', 'Jobs in a queue, by state.', 'queue', 'state'),
    queueOldest: gauge('outdial_queue_oldest_job_seconds', 'Age of the job that waits longest.', 'queue'),
    callsDeferred: counter(
      'outdial_calls_deferred_total',
      'Calls that a provider asked to place later, by reason; no attempt is used.',
      'provider',
      'reason',
    ),
    httpDuration: histogram(
      'outdial_http_request_duration_seconds',
      'How long requests took. The route is the pattern, never the path.',
      httpSeconds,
      'method',
      'route',
      'status',
    ),
    voiceCalls: gauge('outdial_voice_calls', 'Conversations that this voice process holds.'),
    voiceCapacity: gauge('outdial_voice_capacity', 'Conversations that this voice process may hold.'),
    voiceTurns: counter(
      'outdial_voice_turns_total',
      'Turns that were spoken on calls, by who spoke.',
      'role',
    ),
    voiceInterruptions: counter(
      'outdial_voice_interruptions_total',
      'Turns of agents that a person cut off.',
    ),
    voiceLatency: histogram(
      'outdial_voice_latency_seconds',
      'What a person waits for: the recognizer, the first words of the model, the first sound of the voice; the whole reply, and the first word of a call.',
      talkSeconds,
      'stage',
    ),
    voiceToolCalls: counter(
      'outdial_voice_tool_calls_total',
      'Tools that models have called, by what became of it.',
      'tool',
      'result',
    ),
    voiceEndpointFailures: counter(
      'outdial_voice_endpoint_failures_total',
      'Requests to an endpoint that it refused, or that failed.',
      'endpoint',
      'reason',
    ),
    voiceEndpointDown: gauge(
      'outdial_voice_endpoint_down',
      '1 while this voice process leaves the endpoint alone because it failed.',
      'endpoint',
    ),
    voiceCallsRefused: counter(
      'outdial_voice_calls_refused_total',
      'Media connections that were not taken, by reason.',
      'reason',
    ),
    webhookAttempted(result: string, durationMs: number): void {
      webhookAttempts.inc({ result });
      webhookDuration.observe(durationMs / 1_000);
    },
    /** Shows a pool of database connections as it is when it is asked for. */
    watchPool(use: () => Readonly<Record<string, number>> | null): void {
      const connections = new Gauge({
        name: 'outdial_pool_connections',
        help: 'Database connections of this process, by state; waiting are queries that wait for one.',
        labelNames: ['state'],
        registers: [],
        collect() {
          for (const [state, count] of Object.entries(use() ?? {})) this.set({ state }, count);
        },
      });
      registry.registerMetric(connections);
    },
    /** Fits the queues' port for metrics. */
    jobFinished(job: string, result: string, durationMs: number): void {
      jobs.inc({ queue: job, result });
      jobDuration.observe({ queue: job }, durationMs / 1_000);
    },
  };
}
