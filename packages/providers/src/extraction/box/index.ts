export { type Box, plainBox, possibleBoxes } from './box.ts';
export { openBox, type OpenedBox, probeBox } from './open-box.ts';
