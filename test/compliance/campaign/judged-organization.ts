import type { CampaignConfigBody } from '@outdial/contracts';
import type { TestOrganization } from '../../support/stack/organization.ts';
import type { Stack } from '../../support/stack/start-stack.ts';
import type { Change } from './history.ts';
import type { Ledger, Terms } from './ledger.ts';

/** An organization with its campaigns, and what the judge knows of it. */
export interface JudgedOrganization {
  organization: TestOrganization;
  ledger: Ledger;
  campaigns: Array<{ terms: Terms; calls: (place: number) => boolean }>;
  /** As it was set. */
  configOf: (terms: Terms) => CampaignConfigBody;
  /** A request as a manager, or in another role, whose answer is JSON. */
  send: (method: 'POST' | 'PUT', path: string, body: object, as?: 'admin') => Promise<unknown>;
}

/** Does something that counts from its answer on, and says between which instants it took effect. */
export async function changed(stack: Stack, act: () => Promise<unknown>): Promise<Change> {
  const askedMs = (await stack.clock.now()).getTime();
  await act();
  return { askedMs, answeredMs: (await stack.clock.now()).getTime() };
}
