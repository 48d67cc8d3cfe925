export type { ConsoleFile, ConsoleFiles } from './console-file.ts';
export { consoleFiles } from './console-files.ts';
