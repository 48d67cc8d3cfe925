import { expect, test } from 'vitest';
import { parsePasswd } from './server-user.ts';

test('reads users, and passes over comments and lines cut short', () => {
  const text =
    '# macOS begins so\nroot:x:0:0:root:/root:/bin/sh\nnobody:x:65534:65534::/:/bin/false\nodd:x\n\n';
  expect(parsePasswd(text)).toEqual([
    { name: 'root', uid: 0, gid: 0 },
    { name: 'nobody', uid: 65534, gid: 65534 },
  ]);
});
