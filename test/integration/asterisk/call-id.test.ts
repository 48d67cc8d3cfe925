import { describe, expect, test } from 'vitest';
import { isTrunkMissing, useTrunk } from './trunk-world.ts';

describe.skipIf(isTrunkMissing)('a call id that Asterisk has already', () => {
  const { openWorld } = useTrunk();

  test('takes a second send of a call that lives for the first one', async () => {
    const { carrier, startProcess, place } = await openWorld();
    const process = startProcess();
    const { callId, toPhone } = await place(process, '99');
    await process.until(callId, 'answered');
    expect((await place(process, '99', { callId, toPhone })).result).toMatchObject({ kind: 'accepted' });
    expect(carrier.invited().filter((number) => number === toPhone)).toHaveLength(1);
  });

  // The last test, because ARI keeps the error on the connections that all tests of the file share.
  test('does not believe ARI that it has a call which it does not have', async () => {
    const { startProcess, place } = await openWorld();
    const process = startProcess();
    const { callId } = await place(process, '99');
    // From now on, a connection that answers this request returns 409 for every error.
    await Promise.all(Array.from({ length: 16 }, () => place(process, '99', { callId })));
    const { result } = await place(startProcess({ endpoint: 'PJSIP/{number}@none' }), '91');
    expect(['ambiguous', 'unreachable']).toContain(result.kind);
  });
});
