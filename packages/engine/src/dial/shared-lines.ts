import { organizationShare } from '@outdial/core';
import {
  findLineWaiters,
  isLimited,
  lockCapacities,
  noLineWaiters,
  type AdvanceView,
  type Capacity,
  type LineWaiters,
  type Tx,
} from '@outdial/db';
import { dialsAtOnce } from './step.ts';

export type ReadCapacity = (view: AdvanceView) => Promise<Capacity>;

/**
 * Reads the free lines of organization and provider, for campaigns of one organization and provider, once they are needed. Without caps, their rows are
 * neither counted nor locked.
 */
export function capacityReader(tx: Tx, views: readonly AdvanceView[]): ReadCapacity {
  let locked: Promise<Map<string, Capacity>> | null = null;
  return async ({ capacity, definition: { organizationId, id }, provider }) => {
    if (!isLimited(capacity)) return capacity;
    const campaigns = views.map(({ definition }) => definition);
    locked ??= lockCapacities(tx, { organizationId, provider, campaigns });
    return (await locked).get(id) ?? capacity;
  };
}

/** The lines that are left when others of the same transaction have taken some, and as many as `rivals` of them still want some. */
export function afterOthers(
  capacity: Capacity,
  { taken, rivals }: { taken: number; rivals: number },
): Capacity {
  const { organization, provider } = capacity;
  const shared = provider.organizations;
  return {
    ...capacity,
    organization: {
      ...organization,
      inUse: organization.inUse + taken,
      rivals: organization.rivals + rivals,
    },
    provider: {
      ...provider,
      inUse: provider.inUse + taken,
      rivals: provider.rivals + rivals,
      ...(shared && {
        organizations: { ...shared, own: { ...shared.own, inUse: shared.own.inUse + taken } },
      }),
    },
  };
}

/** Whether a campaign was woken for a free line, which another may use if it does not. */
export function wasWokenForLine({ waiting_for: reason }: AdvanceView): boolean {
  return reason === 'organization_line' || reason === 'provider_line';
}

/** Wakes line waiters for the lines that these campaigns left. */
export async function wakeLineWaiters(
  tx: Tx,
  views: readonly AdvanceView[],
  capacity: Capacity,
): Promise<LineWaiters> {
  const [first] = views;
  const { organization, provider, waiters } = capacity;
  const others = provider.organizations?.others.length ?? 0;
  if (first === undefined || waiters + organization.queuedCalls + provider.queuedCalls + others === 0) {
    return noLineWaiters;
  }
  const free = Math.min(
    organization.max === null ? dialsAtOnce : organization.max - organization.inUse,
    provider.max === null ? dialsAtOnce : provider.max - provider.inUse,
  );
  if (free <= 0) return noLineWaiters;
  const { organizationId } = first.definition;
  return findLineWaiters(tx, {
    organizations: [organizationId],
    providers: [first.provider],
    freed: free,
    now: first.now,
    except: {
      ids: views.map(({ definition }) => definition.id),
      organizationId: hasNoShare(capacity) ? organizationId : null,
    },
  });
}

/**
 * Whether all free lines belong to other organizations or to the queued calls of this one, so that no other campaign of it can use them. Those calls were
 * woken when the lines came free, and may wait for something else.
 */
function hasNoShare({ organization, provider }: Capacity): boolean {
  return [organization, provider].some((lines) => {
    const { organizations, max, inUse, queuedCalls } = lines;
    if (max === null) return false;
    const free = max - inUse;
    const own = organizations ? organizationShare(organizations.own, organizations.others, free) : free;
    return own <= queuedCalls;
  });
}
