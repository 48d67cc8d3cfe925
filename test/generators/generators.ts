/** A program that generates a TypeScript client, run in a folder that has it installed. */
export interface Generator {
  readonly name: string;
  readonly version: string;
  /** Of its command, from `document` to the folder `to`. */
  readonly command: (document: string, to: string) => readonly [program: string, ...args: string[]];
  /** The file of `to` to compile. */
  readonly entry: string;
}

/** Six that need neither Java nor the network once they are installed, of different authors. */
export const generators: readonly Generator[] = [
  {
    name: 'openapi-typescript',
    version: '7.13.0',
    command: (document, to) => ['openapi-typescript', document, '--output', `${to}/index.ts`],
    entry: 'index.ts',
  },
  {
    name: '@hey-api/openapi-ts',
    version: '0.99.0',
    command: (document, to) => ['openapi-ts', '--input', document, '--output', to],
    entry: 'index.ts',
  },
  {
    name: 'orval',
    version: '8.38.0',
    command: (document, to) => [
      'orval',
      '--input',
      document,
      '--output',
      `${to}/index.ts`,
      '--client',
      'fetch',
    ],
    entry: 'index.ts',
  },
  {
    name: 'swagger-typescript-api',
    version: '13.13.0',
    command: (document, to) => [
      'swagger-typescript-api',
      'generate',
      '--path',
      document,
      '--output',
      to,
      '--name',
      'index.ts',
    ],
    entry: 'index.ts',
  },
  {
    name: 'oazapfts',
    version: '7.5.0',
    command: (document, to) => ['oazapfts', document, `${to}/index.ts`],
    entry: 'index.ts',
  },
  {
    name: 'openapi-typescript-codegen',
    version: '0.31.0',
    command: (document, to) => ['openapi', '--input', document, '--output', to],
    entry: 'index.ts',
  },
];

/** What generated clients import, and what some of the generators need beside themselves. */
export const companions: Readonly<Record<string, string>> = {
  '@oazapfts/runtime': '1.2.0',
  typescript: '5.9.3',
};
