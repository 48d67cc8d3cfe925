import type { ClaimedDocuments } from '@outdial/db';
import { expect, test } from 'vitest';
import { Room } from './room.ts';

const lease = {
  leaseId: 'lease',
  documentId: 'document',
  itemId: 'item',
  organizationId: 'organization',
  knowledgeBaseId: 'base',
  fileKey: 'key',
  fileType: 'PDF' as const,
  sizeBytes: 1,
};
const claimed = (documents: number) => async (): Promise<ClaimedDocuments> => ({
  leases: Array.from({ length: documents }, () => lease),
  moreWait: false,
});

/** Whether a claim is let in now. */
async function isOpen(room: Room): Promise<boolean> {
  const giveUp = new AbortController();
  const claim = room.claim(giveUp.signal, claimed(0)).then(
    () => true,
    () => false,
  );
  // Whoever is let in is so at once.
  giveUp.abort(new Error('not now'));
  return claim;
}

test('a file that takes long closes the room of one reader, and leaves that of several open to the others', async () => {
  for (const readers of [1, 2]) {
    const room = new Room({ readers, unreadAtMost: 2 * readers });
    await room.claim(new AbortController().signal, claimed(3));
    room.leave({ handedBack: true });
    room.leave({ handedBack: true });
    expect(await isOpen(room)).toBe(readers === 2);
  }
});

test('the next are taken when nearly all are read, and none where all readers are held up', async () => {
  const room = new Room({ readers: 2, unreadAtMost: 4 });
  await room.claim(new AbortController().signal, claimed(6));
  expect(await isOpen(room)).toBe(false);
  room.leave({ handedBack: false });
  room.leave({ handedBack: false });
  expect(await isOpen(room)).toBe(true);
  room.leave({ handedBack: true });
  room.leave({ handedBack: true });
  expect(await isOpen(room)).toBe(false);
});
