import type { CampaignConfigBody } from '@outdial/contracts';
import type { TestOrganization } from '../../support/stack/organization.ts';
import type { Stack } from '../../support/stack/start-stack.ts';
import type { Change } from './history.ts';
import type { Ledger, Terms } from './ledger.ts';

/** An organization with its campaigns and its ledger. */
export interface JudgedOrganization {
  organization: TestOrganization;
  ledger: Ledger;
  campaigns: Array<{ terms: Terms; calls: (place: number) => boolean }>;
  /** The policy that was set. */
  configOf: (terms: Terms) => CampaignConfigBody;
  /** Sends a request, as a manager by default, and parses the JSON answer. */
  send: (method: 'POST' | 'PUT', path: string, body: object, as?: 'admin') => Promise<unknown>;
}

/** Makes a change, and returns the instants of its request and its answer. */
export async function changed(stack: Stack, act: () => Promise<unknown>): Promise<Change> {
  const askedMs = (await stack.clock.now()).getTime();
  await act();
  return { askedMs, answeredMs: (await stack.clock.now()).getTime() };
}
