import { hostOfUrl } from '@outdial/core';
import { InvalidArgumentError } from 'commander';

const hostsAtMost = 100;

/** `voice.example.com,media.example.com:8443`, or `none`. */
export function hosts(text: string): string[] {
  if (text === 'none') return [];
  const names = text.split(',').map((name) => {
    const host = hostOfUrl(name.trim());
    if (host === null) {
      throw new InvalidArgumentError(
        `${name.trim()} is not a host: name hosts such as voice.example.com, or \`none\`.`,
      );
    }
    return host;
  });
  if (names.length > hostsAtMost) throw new InvalidArgumentError(`Name at most ${hostsAtMost} hosts.`);
  return [...new Set(names)];
}
