import { callingKeyOf, gateHours } from '@outdial/core';
import { findDirectCallee, type DirectHours, type Executor } from '@outdial/db';

/** When a direct call may be made: its number alone says where the person is. Under a policy of `none` at any time. */
export async function readDirectHours(db: Executor, callId: string): Promise<DirectHours> {
  const callee = await findDirectCallee(db, callId);
  if (callee === null) return { policy: 'none', hours: null };
  const { phoneNumber, policy, now } = callee;
  return { policy, hours: gateHours(callingKeyOf(policy, { phoneNumber }, 'UTC'), now) };
}
