import { findLineHolders, findWaitingViews, type Executor, type WaitingView } from '@outdial/db';
import { explainWaiting, needsLineHolders, type Waiting } from './explain-waiting.ts';

const holdersAtMost = 5;

export interface CampaignWaiting extends Waiting {
  view: WaitingView;
}

/** Why each campaign does not dial now, by id. Omits unknown ids. */
export async function findWaiting(
  db: Executor,
  args: { organizationId: string; campaignIds: readonly string[] },
): Promise<Map<string, CampaignWaiting>> {
  const views = await findWaitingViews(db, args);
  const found = new Map<string, CampaignWaiting>();
  for (const view of views) {
    const holders = needsLineHolders(view)
      ? await findLineHolders(db, {
          organizationId: args.organizationId,
          provider: view.waiting_for === 'provider_line' ? view.provider : null,
          limit: holdersAtMost,
        })
      : [];
    found.set(view.definition.id, { view, ...explainWaiting(view, holders) });
  }
  return found;
}
