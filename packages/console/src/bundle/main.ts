import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { bundle } from './bundle.ts';
import { builtFolder } from './console-files.ts';

// For the image, which has no bundler.
await mkdir(builtFolder, { recursive: true });
for (const { name, bytes } of await bundle()) await writeFile(join(builtFolder, name), bytes);
