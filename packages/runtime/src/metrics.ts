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

  const jobs = new Counter({
    name: 'outdial_jobs_total',
    help: 'Runs of queue jobs that ended, by how they ended.',
    labelNames: ['queue', 'result'],
    registers,
  });
  const jobDuration = new Histogram({
    name: 'outdial_job_duration_seconds',
    help: 'How long runs of queue jobs took.',
    labelNames: ['queue'],
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
      labelNames: ['outcome', 'provider'],
      registers,
    }),
    organizationCallsEnded: new Counter({
      name: 'outdial_organization_calls_ended_total',
      help: 'Calls that ended, of the first fifty organizations that this process met; all others are `other`.',
      labelNames: ['outcome', 'organization'],
      registers,
    }),
    providerAnswer: new Histogram({
      name: 'outdial_provider_answer_seconds',
      help: 'How long a provider took to say what becomes of a call that it was sent.',
      labelNames: ['provider', 'result'],
      buckets: httpSeconds,
      registers,
    }),
    gateToAnswer: new Histogram({
      name: 'outdial_gate_to_answer_seconds',
      help: 'From the last check before a dial until the person answered.',
      labelNames: ['provider'],
      buckets: callSeconds,
      registers,
    }),
    answerToOutcome: new Histogram({
      name: 'outdial_answer_to_outcome_seconds',
      help: 'From the answer until the outcome was written down.',
      labelNames: ['provider'],
      buckets: callSeconds,
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
    organizationLines: new Gauge({
      name: 'outdial_organization_lines_in_use',
      help: 'Calls in progress, of the fifty organizations with most.',
      labelNames: ['organization'],
      registers,
    }),
    notReady: new Gauge({
      name: 'outdial_not_ready',
      help: '1 while this keeps the process from its work.',
      labelNames: ['check'],
      registers,
    }),
    recipientsDue: new Gauge({
      name: 'outdial_recipients_due',
      help: 'Recipients of running campaigns that could be dialed now; of the fifty organizations with most.',
      labelNames: ['organization'],
      registers,
    }),
    campaignOverdue: new Gauge({
      name: 'outdial_campaign_overdue_seconds',
      help: 'How late the scheduler is with the campaign that is due longest.',
      registers,
    }),
    callsUnchecked: new Gauge({
      name: 'outdial_calls_unchecked',
      help: 'Calls in progress that should have been looked up a minute ago.',
      registers,
    }),
    workersAlive: new Gauge({
      name: 'outdial_workers_alive',
      help: 'Workers that were heard of within half a minute.',
      registers,
    }),
    providerClosed: new Gauge({
      name: 'outdial_provider_closed',
      help: '1 while nothing is dialed through the provider because it refused or failed.',
      labelNames: ['provider'],
      registers,
    }),
    campaignsBlocked: new Gauge({
      name: 'outdial_campaigns_blocked',
      help: 'Running campaigns that dial nothing, by what they wait for.',
      labelNames: ['reason'],
      registers,
    }),
    recipientsFailing: new Gauge({
      name: 'outdial_recipients_failing',
      help: 'Recipients of running campaigns whose calls failed in the service three times in a row or more.',
      registers,
    }),
    sweepFailed: new Counter({
      name: 'outdial_sweep_failures_total',
      help: 'Rounds of sweeps that ended in an error.',
      labelNames: ['sweep'],
      registers,
    }),
    webhooksOverdue: new Gauge({
      name: 'outdial_webhook_overdue_seconds',
      help: 'How late the workers are with the webhook that is due longest.',
      registers,
    }),
    webhooksFailing: new Gauge({
      name: 'outdial_webhook_failing_seconds',
      help: 'For how long the enabled endpoint has failed that has done so longest.',
      registers,
    }),
    documentsWaiting: new Gauge({
      name: 'outdial_documents_waiting',
      help: 'Documents that wait to be read, counted up to a thousand.',
      registers,
    }),
    documentsOldest: new Gauge({
      name: 'outdial_documents_oldest_seconds',
      help: 'Age of the document that waits longest to be read.',
      registers,
    }),
    queueJobs: new Gauge({
      name: 'outdial_queue_jobs',
      help: 'Jobs in a queue, by state.',
      labelNames: ['queue', 'state'],
      registers,
    }),
    queueOldest: new Gauge({
      name: 'outdial_queue_oldest_job_seconds',
      help: 'Age of the job that waits longest.',
      labelNames: ['queue'],
      registers,
    }),
    callsDeferred: new Counter({
      name: 'outdial_calls_deferred_total',
      help: 'Calls that a provider asked to place later, by reason; no attempt is used.',
      labelNames: ['provider', 'reason'],
      registers,
    }),
    httpDuration: new Histogram({
      name: 'outdial_http_request_duration_seconds',
      help: 'How long requests took. The route is the pattern, never the path.',
      labelNames: ['method', 'route', 'status'],
      buckets: httpSeconds,
      registers,
    }),
    voiceCalls: new Gauge({
      name: 'outdial_voice_calls',
      help: 'Conversations that this voice process holds.',
      registers,
    }),
    voiceCapacity: new Gauge({
      name: 'outdial_voice_capacity',
      help: 'Conversations that this voice process may hold.',
      registers,
    }),
    voiceTurns: new Counter({
      name: 'outdial_voice_turns_total',
      help: 'Turns that were spoken on calls, by who spoke.',
      labelNames: ['role'],
      registers,
    }),
    voiceInterruptions: new Counter({
      name: 'outdial_voice_interruptions_total',
      help: 'Turns of agents that a person cut off.',
      registers,
    }),
    voiceLatency: new Histogram({
      name: 'outdial_voice_latency_seconds',
      help: 'What a person waits for: the recognizer, the first words of the model, the first sound of the voice; the whole reply, and the first word of a call.',
      labelNames: ['stage'],
      buckets: talkSeconds,
      registers,
    }),
    voiceToolCalls: new Counter({
      name: 'outdial_voice_tool_calls_total',
      help: 'Tools that models have called, by what became of it.',
      labelNames: ['tool', 'result'],
      registers,
    }),
    voiceEndpointFailures: new Counter({
      name: 'outdial_voice_endpoint_failures_total',
      help: 'Requests to an endpoint that it refused, or that failed.',
      labelNames: ['endpoint', 'reason'],
      registers,
    }),
    voiceEndpointDown: new Gauge({
      name: 'outdial_voice_endpoint_down',
      help: '1 while this voice process leaves the endpoint alone because it failed.',
      labelNames: ['endpoint'],
      registers,
    }),
    voiceCallsRefused: new Counter({
      name: 'outdial_voice_calls_refused_total',
      help: 'Media connections that were not taken, by reason.',
      labelNames: ['reason'],
      registers,
    }),
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
