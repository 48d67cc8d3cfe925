import { registerHooks } from 'node:module';
import { z } from 'zod';

/*
 * Loaded with `--import` before a process of the product: takes one extension out of the driver (db/src/postgres) as its sources are
 * read, so that the product needs no switch for a measurement. `DRIVER_EDITS` says what is put where.
 */

const edit = z.object({ file: z.string(), from: z.string(), to: z.string() });
const edits = z.array(edit).parse(JSON.parse(process.env['DRIVER_EDITS'] ?? '[]'));

registerHooks({
  load(url, context, nextLoad) {
    const loaded = nextLoad(url, context);
    const ofFile = edits.filter(({ file }) => url.endsWith(file));
    if (ofFile.length === 0) return loaded;
    let source = text(loaded.source);
    for (const { from, to } of ofFile) {
      if (!source.includes(from)) throw new Error(`${url} has no longer: ${from}`);
      source = source.replace(from, to);
    }
    return { ...loaded, source };
  },
});

function text(source: string | ArrayBuffer | NodeJS.TypedArray | undefined): string {
  return typeof source === 'string' ? source : new TextDecoder().decode(source);
}
