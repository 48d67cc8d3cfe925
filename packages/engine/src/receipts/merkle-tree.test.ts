import fc from 'fast-check';
import { expect, test } from 'vitest';
import { leafHash, pathOf, rootOf } from './seal-receipts.ts';

test('the root of the leaves of Certificate Transparency’s reference tests', () => {
  const leaves = ['', '00', '10', '2021', '3031', '40414243', '5051525354555657'].map((text) =>
    leafHash(Buffer.from(text, 'hex')),
  );
  expect(rootOf(leaves.slice(0, 1)).toString('hex')).toBe(
    '6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d',
  );
  expect(rootOf(leaves.slice(0, 3)).toString('hex')).toBe(
    'aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77',
  );
  expect(rootOf(leaves).toString('hex')).toBe(
    'ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c',
  );
});

test('a path has at most as many hashes as the tree has levels', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 200 }), fc.nat(), (count, at) => {
      const leaves = Array.from({ length: count }, (_, n) => leafHash(String(n)));
      expect(pathOf(at % count, leaves).length).toBeLessThanOrEqual(Math.ceil(Math.log2(count)));
    }),
  );
});
