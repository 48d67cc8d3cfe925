import { basename } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build, type BuildOptions, type Metafile, stop } from 'esbuild';

export interface BundledFile {
  name: string;
  bytes: Buffer;
}

const entry = fileURLToPath(new URL('../app/main.tsx', import.meta.url));
const worklet = fileURLToPath(import.meta.resolve('@outdial/client/web-call-worklet'));
const icon = fileURLToPath(new URL('../app/icon.svg', import.meta.url));

const options = {
  bundle: true,
  minify: true,
  format: 'esm',
  target: 'es2022',
  jsx: 'automatic',
  jsxImportSource: 'preact',
  loader: { '.svg': 'copy' },
  entryNames: '[name]-[hash]',
  assetNames: '[name]-[hash]',
  chunkNames: '[name]-[hash]',
  outdir: '/',
  legalComments: 'none',
  metafile: true,
  write: false,
  logLevel: 'silent',
} as const satisfies BuildOptions;

/** Bundles the console in a few hundred milliseconds, in memory: scripts, a style sheet, an icon, and the page that names them. */
export async function bundle(): Promise<BundledFile[]> {
  try {
    const { outputFiles, metafile } = await build({
      ...options,
      entryPoints: { console: entry, icon },
      // The first view needs a third of the screens' code.
      splitting: true,
    });
    // Built separately: a file shared with the screens would be one more request for the first view.
    const apart = await build({ ...options, entryPoints: { worklet } });
    const files = [...outputFiles, ...apart.outputFiles].map(({ path, contents }) => ({
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
      modules: modulesOf(metafile, 'console-'),
      worklet: named('worklet-', '.js'),
      styles: named('console-', '.css'),
      icon: named('icon-', '.svg'),
    });
    return [...files, { name: 'index.html', bytes: Buffer.from(page) }];
  } finally {
    // Otherwise its process would run as long as this one.
    await stop();
  }
}

/** The static imports of a script, which the page preloads. */
function modulesOf({ outputs }: Metafile, beginning: string): string[] {
  const [, output] =
    Object.entries(outputs).find(([path]) => basename(path).startsWith(beginning) && path.endsWith('.js')) ??
    [];
  const isStatic = ({ kind }: { kind: string }) => kind === 'import-statement';
  return (output?.imports ?? []).filter(isStatic).map(({ path }) => `/console/assets/${basename(path)}`);
}

function pageOf(names: {
  script: string;
  modules: readonly string[];
  worklet: string;
  styles: string;
  icon: string;
}): string {
  const { script, worklet, styles, icon } = names;
  const modules = names.modules.map((module) => `\n    <link rel="modulepreload" href="${module}">`).join('');
  return `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <meta name="color-scheme" content="light dark">
    <meta name="web-call-worklet" content="${worklet}">
    <title>Outdial</title>
    <link rel="icon" type="image/svg+xml" href="${icon}">
    <link rel="stylesheet" href="${styles}">${modules}
    <script type="module" src="${script}"></script>
  </head>
  <body>
    <div id="app"><noscript>The console needs JavaScript.</noscript></div>
  </body>
</html>
`;
}
