import { measureState, type Db } from '@outdial/db';
import { startLoop, type Logger, type Loop, type Metrics } from '@outdial/runtime';

const everyMs = 15_000;

/** Measures the state of the installation at intervals, so that scrapes do not query the database. */
export function watchState(deps: { db: Db; log: Logger; metrics: Metrics }): Loop {
  return startLoop({
    name: 'state metrics',
    log: deps.log,
    runOnce: () => recordState(deps),
    waitMs: () => everyMs,
  });
}

export async function recordState({ db, metrics }: { db: Db; metrics: Metrics }): Promise<void> {
  const state = await measureState(db);
  const { recipientsDue, organizationLines, providerClosed, campaignsBlocked } = metrics;
  // Those that are no longer in the result must lose their series.
  for (const metric of [recipientsDue, organizationLines, providerClosed, campaignsBlocked]) metric.reset();
  for (const one of state.due) recipientsDue.set({ organization: one.organizationId }, one.recipients);
  for (const one of state.linesInUse) organizationLines.set({ organization: one.organizationId }, one.lines);
  for (const { provider, isClosed } of state.closedProviders) {
    providerClosed.set({ provider }, isClosed ? 1 : 0);
  }
  for (const { reason, campaigns } of state.blockedCampaigns) campaignsBlocked.set({ reason }, campaigns);
  metrics.recipientsFailing.set(state.failingRecipients);
  metrics.campaignOverdue.set(state.overdueSeconds);
  metrics.callsUnchecked.set(state.uncheckedCalls);
  metrics.workersAlive.set(state.liveWorkers);
  metrics.webhooksOverdue.set(state.webhooksOverdueSeconds);
  metrics.webhooksFailing.set(state.webhooksFailingSeconds);
  metrics.documentsWaiting.set(state.waitingDocuments);
  metrics.documentsOldest.set(state.oldestDocumentSeconds);
}
