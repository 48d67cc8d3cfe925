import assert from 'node:assert/strict';
import { addConfirmedCallerId } from '../../support/confirmed-caller-id.ts';
import type { ScenarioWorld } from './world.ts';

/** Lets the organization call from a number so often a day. */
export async function withCallerId(world: ScenarioWorld, callsPerDay: number): Promise<string> {
  const id = await addConfirmedCallerId(world.db, {
    organizationId: world.organization.id,
    callerId: {
      phoneNumber: '+12125550123',
      country: 'US',
      prefixes: [],
      attestation: null,
      callsPerDay,
      callsPerHour: null,
      warmUpDays: 0,
    },
  });
  assert.ok(id);
  return id;
}
