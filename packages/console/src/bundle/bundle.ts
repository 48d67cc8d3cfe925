import { basename } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build, stop } from 'esbuild';

export interface BundledFile {
  name: string;
  bytes: Buffer;
}

const entry = fileURLToPath(new URL('../app/main.tsx', import.meta.url));
const worklet = fileURLToPath(import.meta.resolve('@outdial/client/web-call-worklet'));
const icon = fileURLToPath(new URL('../app/icon.svg', import.meta.url));

/** Bundles the console in a few hundred milliseconds, in memory: a script, a style sheet, an icon, and the page that names them. */
export async function bundle(): Promise<BundledFile[]> {
  try {
    const { outputFiles, metafile } = await build({
      entryPoints: { console: entry, worklet, icon },
      bundle: true,
      minify: true,
      format: 'esm',
      target: 'es2022',
      jsx: 'automatic',
      jsxImportSource: 'preact',
      loader: { '.svg': 'copy' },
      entryNames: '[name]-[hash]',
      assetNames: '[name]-[hash]',
      outdir: '/',
      legalComments: 'none',
      metafile: true,
      write: false,
      logLevel: 'silent',
    });
    const files = outputFiles.map(({ path, contents }) => ({
      name: basename(path),
      bytes: Buffer.from(contents),
    }));
    const named = (beginning: string, extension: string) => {
      const found = files.find(({ name }) => name.startsWith(beginning) && name.endsWith(extension));
      if (found === undefined) {
        throw new Error(
          `the console has no ${beginning}*${extension}: ${Object.keys(metafile.outputs).join(', ')}`,
        );
      }
      return `/console/assets/${found.name}`;
    };
    const page = pageOf({
      script: named('console-', '.js'),
      worklet: named('worklet-', '.js'),
      styles: named('console-', '.css'),
      icon: named('icon-', '.svg'),
    });
    return [...files, { name: 'index.html', bytes: Buffer.from(page) }];
  } finally {
    // Its process would go on for the life of this one.
    await stop();
  }
}

function pageOf(names: { script: string; worklet: string; styles: string; icon: string }): string {
  const { script, worklet, styles, icon } = names;
  return `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <meta name="color-scheme" content="light dark">
    <meta name="web-call-worklet" content="${worklet}">
    <title>Outdial</title>
    <link rel="icon" type="image/svg+xml" href="${icon}">
    <link rel="stylesheet" href="${styles}">
    <script type="module" src="${script}"></script>
  </head>
  <body>
    <div id="app"><noscript>The console needs JavaScript.</noscript></div>
  </body>
</html>
`;
}
