import { expect, test } from 'vitest';
import { Answers } from './answers.ts';

const request = { fileType: 'TXT' as const, sizeBytes: 1, bytes: new Uint8Array(1) };
const said = (fileId: number, page: string) => ({
  fileId,
  message: { kind: 'done' as const, pages: [page], passages: [] },
});

test('an answer counts only for the file that it names', async () => {
  const answers = new Answers();
  const first = answers.expect(request);
  const second = answers.expect(request);
  expect(answers.take(said(second.fileId, 'second'))).toBe(false);
  expect(answers.take(said(first.fileId, 'first'))).toBe(true);
  expect(answers.take(said(first.fileId, 'first again'))).toBe(false);
  expect(answers.take(said(second.fileId, 'second'))).toBe(true);
  expect(answers.take(said(second.fileId, 'not requested'))).toBe(false);
  expect(await first.answer).toMatchObject({ text: { pages: ['first'] } });
  expect(await second.answer).toMatchObject({ text: { pages: ['second'] } });
});

test('a file without an answer when its process ends gets none, and neither does a later file', async () => {
  const answers = new Answers();
  const open = answers.expect(request);
  answers.end();
  expect(await open.answer).toBeUndefined();
  expect(await answers.expect(request).answer).toBeUndefined();
});
