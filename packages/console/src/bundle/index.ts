export { type ConsoleFiles, consoleFiles } from './console-files.ts';
export { staticFile, type StaticFile } from './static-file.ts';
