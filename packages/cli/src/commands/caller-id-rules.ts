import { InvalidArgumentError } from 'commander';
import type { None } from '../options.ts';

export function onOrOff(text: string): boolean {
  if (text === 'on') return true;
  if (text === 'off') return false;
  throw new InvalidArgumentError('It is neither `on` nor `off`.');
}

/** From 0 to 1. */
export function share(text: string): number | None {
  if (text === 'none') return text;
  const value = Number(text);
  if (!/^\d(\.\d{1,4})?$/.test(text) || value > 1) {
    throw new InvalidArgumentError('It is no share from 0 to 1, such as 0.05, nor `none`.');
  }
  return value;
}
