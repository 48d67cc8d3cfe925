import { organizationShare } from '@outdial/core';
import {
  findLineWaiters,
  isLimited,
  lockCapacity,
  noLineWaiters,
  type AdvanceView,
  type Capacity,
  type LineWaiters,
  type Tx,
} from '@outdial/db';
import { dialsAtOnce } from './step.ts';

/** The free lines of organization and provider. Without caps, their rows are neither counted nor locked. */
export async function capacityFor(tx: Tx, view: AdvanceView): Promise<Capacity> {
  if (!isLimited(view.capacity)) return view.capacity;
  return lockCapacity(tx, {
    organizationId: view.definition.organizationId,
    provider: view.provider,
    campaignId: view.definition.id,
    priority: view.definition.priority,
  });
}

/** Wakes others if this campaign was woken for a free line that it no longer needs. */
export async function wakeLineWaiters(tx: Tx, view: AdvanceView, capacity?: Capacity): Promise<LineWaiters> {
  if (view.waitingFor !== 'organization_line' && view.waitingFor !== 'provider_line') return noLineWaiters;
  return wakeLineWaitersForRest(tx, view, capacity ?? (await capacityFor(tx, view)), 0);
}

/** Wakes line waiters for the lines that are still free after this campaign took some. */
export async function wakeLineWaitersForRest(
  tx: Tx,
  view: AdvanceView,
  capacity: Capacity,
  taken: number,
): Promise<LineWaiters> {
  const { organization, provider, waiters } = capacity;
  const others = provider.organizations?.others.length ?? 0;
  if (waiters + organization.queuedCalls + provider.queuedCalls + others === 0) return noLineWaiters;
  const free = Math.min(
    organization.max === null ? dialsAtOnce : organization.max - organization.inUse - taken,
    provider.max === null ? dialsAtOnce : provider.max - provider.inUse - taken,
  );
  if (free <= 0) return noLineWaiters;
  const { organizationId } = view.definition;
  return findLineWaiters(tx, {
    organizations: [organizationId],
    providers: [view.provider],
    freed: free,
    now: view.now,
    except: { id: view.definition.id, organizationId: hasNoShare(capacity, taken) ? organizationId : null },
  });
}

/** Whether all free lines of the provider belong to other organizations, so that no other campaign of this one can use them. */
function hasNoShare({ provider }: Capacity, taken: number): boolean {
  const { organizations, max } = provider;
  if (!organizations || max === null) return false;
  const own = { ...organizations.own, inUse: organizations.own.inUse + taken };
  return organizationShare(own, organizations.others, max - provider.inUse - taken) === 0;
}
