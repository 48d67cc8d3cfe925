import { callingKeyOf, gateHours } from '@outdial/core';
import { findDirectCallee, type DirectHours, type Executor } from '@outdial/db';
import { directGrounds } from './gate-grounds.ts';

/** When a direct call may be made: with the policy `none` at any time, else in the calling hours of its number. */
export async function readDirectHours(db: Executor, callId: string): Promise<DirectHours> {
  const callee = await findDirectCallee(db, callId);
  if (callee === null) return { policy: 'none', hours: null, groundsId: null };
  const { organizationId, phoneNumber, policy, now } = callee;
  const key = callingKeyOf(policy, { phoneNumber }, 'UTC');
  const hours = gateHours(key, now);
  const groundsId = await directGrounds(db, organizationId, { callingPolicy: policy, key, hours });
  return { policy, hours, groundsId };
}
