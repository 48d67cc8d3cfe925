import { expect, test } from 'vitest';
import { packagesOfPlan } from './unpack-packages.ts';

test('reads only the packages from the output of apt-get', () => {
  const plan = `Reading package lists...
The following NEW packages will be installed:
  liblzf1 redis-server redis-tools
'http://mirror/pool/main/libl/liblzf/liblzf1_3.6-3_amd64.deb' liblzf1_3.6-3_amd64.deb 10224 MD5Sum:a
'http://mirror/pool/main/r/redis/redis-server_7.0.15-1%7edeb12u7_amd64.deb' redis-server_5%3a7.0.15-1~deb12u7_amd64.deb 73392 SHA256:b
`;
  expect(packagesOfPlan(plan)).toEqual(['liblzf1=3.6-3', 'redis-server=5:7.0.15-1~deb12u7']);
});
