import { sql } from 'kysely';
import type { Db } from '../transaction.ts';

/** Makes the leases of deliveries that a worker is sending last longer. One that ran out is not renewed: another worker may have it. */
export async function renewDeliveryLeases(
  db: Db,
  args: { endpointId: string; deliveryIds: readonly string[]; leaseSeconds: number },
): Promise<void> {
  await sql`
    update webhook_deliveries set leased_until = t.now + ${args.leaseSeconds} * interval '1 second'
    from (select engine_now() as now) t
    where id = any(${args.deliveryIds}::uuid[]) and endpoint_id = ${args.endpointId} and status = 'pending'
      and leased_until > t.now`.execute(db);
}
