import { join } from 'node:path';
import { checkFence } from './fence.ts';
import { allowedPackages } from './rules.ts';

/** `npm run check:fence`: prints each forbidden import, and exits with status 1 if there is one. */
const { filesByPackage, violations } = checkFence(join(import.meta.dirname, '../..'));

for (const { file, line, specifier, reason } of violations) {
  console.error(`${file}:${line}: '${specifier}': ${reason}`);
}
const unread = Object.keys(allowedPackages).filter((ownPackage) => !filesByPackage.has(ownPackage));
for (const ownPackage of unread) {
  console.error(`${ownPackage}: no source was read, so the fence checked nothing`);
}

const files = [...filesByPackage.values()].reduce((sum, count) => sum + count, 0);
console.log(
  `import fence: ${files} files in ${filesByPackage.size} packages, ${violations.length} violations`,
);
if (violations.length > 0 || unread.length > 0) process.exitCode = 1;
