import { InvalidArgumentError } from 'commander';
import type { None } from '../options.ts';

export function onOrOff(text: string): boolean {
  if (text === 'on') return true;
  if (text === 'off') return false;
  throw new InvalidArgumentError('Must be `on` or `off`.');
}

/** From 0 to 1. */
export function share(text: string): number | None {
  if (text === 'none') return text;
  const value = Number(text);
  if (!/^\d(\.\d{1,4})?$/.test(text) || value > 1) {
    throw new InvalidArgumentError('Must be a share from 0 to 1, such as 0.05, or `none`.');
  }
  return value;
}
