import { once } from 'node:events';
import twilio from 'twilio';
import { type RawData, WebSocket } from 'ws';
import { authToken } from './stand-in.ts';

/** The noun in `<Connect>`: a `<Stream>` or a `<ConversationRelay>`. */
export interface ConnectNoun {
  name: string;
  attributes: Record<string, string>;
  parameters: Record<string, string>;
}

/** Parses the part of TwiML that this service writes. */
export function readConnect(twiml: string): ConnectNoun {
  const [, name = '', list = ''] = /<Connect><(\w+)([^>]*)>/.exec(twiml) ?? [];
  const parameters = [...twiml.matchAll(/<Parameter ([^>]*?)\/?>/g)].map(([, text = '']) => {
    const { name: key = '', value = '' } = attributesOf(text);
    return [key, value] as const;
  });
  return { name, attributes: attributesOf(list), parameters: Object.fromEntries(parameters) };
}

function attributesOf(text: string): Record<string, string> {
  const pairs = [...text.matchAll(/([\w-]+)="([^"]*)"/g)];
  return Object.fromEntries(pairs.map(([, name = '', value = '']) => [name, value] as const));
}

/** The JSON of a text message; null if it is not one. */
export function readJson(data: RawData, isBinary: boolean): { text: string; value: unknown } {
  const text = !isBinary && Buffer.isBuffer(data) ? data.toString('utf8') : '';
  const value: unknown = text === '' ? null : JSON.parse(text);
  return { text, value };
}

export interface Dialing {
  /** The local address for the URL of the instructions. */
  port: number;
  /** Replaces the account's token; null for no signature. */
  signature?: string | null;
  /** Changes of the instructions' parameters. */
  parameters?: Record<string, string>;
}

/**
 * Connects like Twilio, signed by the SDK's function over the URL of the instructions.
 * @throws if the handshake is refused
 */
export async function connectAsTwilio(noun: ConnectNoun, { port, signature }: Dialing): Promise<WebSocket> {
  const url = noun.attributes['url'] ?? '';
  const { pathname, protocol, search } = new URL(url);
  if (protocol !== 'wss:' || search !== '') throw new Error(`Twilio takes no such address: ${url}`);
  const signed = signature ?? twilio.getExpectedTwilioSignature(authToken, url, {});
  const socket = new WebSocket(`ws://127.0.0.1:${port}${pathname}`, {
    headers: signature === null ? {} : { 'x-twilio-signature': signed },
  });
  await once(socket, 'open');
  return socket;
}
