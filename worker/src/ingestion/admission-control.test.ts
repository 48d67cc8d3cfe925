import type { ClaimedDocuments } from '@outdial/db';
import { expect, test } from 'vitest';
import { AdmissionControl } from './admission-control.ts';

const lease = {
  leaseId: 'lease',
  documentId: 'document',
  itemId: 'item',
  organizationId: 'organization',
  knowledgeBaseId: 'base',
  fileKey: 'key',
  fileType: 'PDF' as const,
  sizeBytes: 1,
  isSlow: false,
};
const claimed = (documents: number) => async (): Promise<ClaimedDocuments> => ({
  leases: Array.from({ length: documents }, () => lease),
  moreWait: false,
});

/** Whether a claim is admitted now. */
async function isOpen(admission: AdmissionControl): Promise<boolean> {
  const giveUp = new AbortController();
  const claim = admission.claim(giveUp.signal, claimed(0)).then(
    () => true,
    () => false,
  );
  // An admitted claim resolves without a wait.
  giveUp.abort(new Error('not now'));
  return claim;
}

test('a file that takes long closes admission with one reader, and leaves it open with several', async () => {
  for (const readers of [1, 2]) {
    const admission = new AdmissionControl({ readers, unreadAtMost: 2 * readers });
    await admission.claim(new AbortController().signal, claimed(3));
    admission.leave({ returned: true });
    admission.leave({ returned: true });
    expect(await isOpen(admission)).toBe(readers === 2);
  }
});

test('more are claimed when nearly all are read, and none while all readers are busy', async () => {
  const admission = new AdmissionControl({ readers: 2, unreadAtMost: 4 });
  await admission.claim(new AbortController().signal, claimed(6));
  expect(await isOpen(admission)).toBe(false);
  admission.leave({ returned: false });
  admission.leave({ returned: false });
  expect(await isOpen(admission)).toBe(true);
  admission.leave({ returned: true });
  admission.leave({ returned: true });
  expect(await isOpen(admission)).toBe(false);
});
