export { plainBox, possibleBoxes } from './box.ts';
export { openBox, probeBox } from './open-box.ts';
