import { z } from 'zod';

export interface RedisHost {
  host: string;
  port: number;
}

/** Where Redis is. `hosts` are several only if they are Sentinels; `url` has the first of them. */
export interface RedisAddress {
  url: string;
  hosts: readonly RedisHost[];
}

const sentinelPort = 26_379;
const hostsAtMost = 16;
const form = /^(rediss?:\/\/)([^@/?#]*@)?([^@/?#]*)(\/[^?#]*)?(\?[^#]*)?$/;
const oneHost = /^(\[[0-9a-fA-F:.]+\]|[^:,[\]\s]+)(?::(\d{1,5}))?$/;

/** The URL of a Redis, or one with the hosts of its Sentinels: `redis://user:password@s1:26379,s2:26379,s3:26379/0`. */
export const redisAddress = z.string().transform((text, context): RedisAddress => {
  const refuse = (message: string) => {
    context.addIssue({ code: 'custom', message });
    return z.NEVER;
  };
  const [, scheme, user = '', authority = '', path = '', query = ''] = form.exec(text) ?? [];
  if (scheme === undefined) return refuse('must be a url that begins with redis:// or rediss://');
  const named = authority.split(',');
  if (named.length > hostsAtMost) return refuse(`names more than ${hostsAtMost} hosts`);
  const hosts = named.flatMap((one) => readHost(one) ?? []);
  const url = `${scheme}${user}${named[0] ?? ''}${path}${query}`;
  const areHosts = hosts.length === named.length && URL.canParse(url);
  if (!areHosts) return refuse('must have hosts like host or host:port');
  return { url, hosts };
});

function readHost(text: string): RedisHost | null {
  const [, host, port] = oneHost.exec(text) ?? [];
  if (host === undefined || Number(port ?? 0) > 65_535) return null;
  return { host: host.replace(/^\[(.+)\]$/, '$1'), port: Number(port ?? sentinelPort) };
}
