import { expect, test } from 'vitest';
import { createCallNotes } from './call-notes.ts';
import { createInbound } from './inbound.ts';
import { fakeAri, trunkSettings } from './trunk.fixture.ts';

test('tells calls apart by their channels, because callers choose the SIP Call-ID', async () => {
  const announced: string[] = [];
  const inbound = createInbound({
    ari: fakeAri(),
    settings: trunkSettings(),
    connections: { nameOf: () => Promise.resolve(null), forget: () => undefined },
    application: 'outdial-trunk-1',
    notes: createCallNotes(),
    listener: {
      deliver: () => Promise.resolve(true),
      inbound({ conversationId }) {
        announced.push(conversationId);
        return Promise.resolve({ kind: 'refused', reason: 'no_line_free', isUnknownNumber: false });
      },
      eventsMissed: () => Promise.resolve(),
      log: { info: () => undefined, warn: () => undefined },
    },
  });
  const args = ['inbound', '+15550001111', '+12125550100'];
  await inbound.begin({ id: 'pbx-1.1', state: 'Ring', protocol_id: 'chosen@caller' }, args);
  await inbound.begin({ id: 'pbx-1.2', state: 'Ring', protocol_id: 'chosen@caller' }, args);
  expect(announced).toEqual(['pbx-1.1', 'pbx-1.2']);
});
