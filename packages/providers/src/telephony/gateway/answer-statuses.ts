/**
 * Whose fault a status of `POST /calls` is. With `account` and `address`, every call gets this answer, and nobody was dialed. docs/provider-protocol.md
 * shows the same table, and a test compares the two. Statuses: RFC 9110, section 15, and the RFCs that are named below.
 */
export type Side = 'account' | 'address' | 'number';

export interface StatusMeaning {
  side: Side;
  /** What an operator can do. Null for the number's. */
  remedy: string | null;
}

const account = (remedy: string): StatusMeaning => ({ side: 'account', remedy });
const address = (remedy: string): StatusMeaning => ({ side: 'address', remedy });
const number: StatusMeaning = { side: 'number', remedy: null };

const checkUrl = "check the provider's url (GATEWAY_URL)";

export const answerStatuses: Readonly<Record<number, StatusMeaning>> = {
  401: account(
    "the gateway does not accept the signature: check the provider's secret (GATEWAY_SECRET) and the clocks of both machines",
  ),
  402: account('the account at the gateway has no credit: top it up'),
  403: account('the gateway does not permit this account to call: ask its operator'),
  404: address(`there is no POST /calls at this address: ${checkUrl}`),
  405: address(`this address accepts no POST: ${checkUrl}`),
  406: address(`this address cannot answer with JSON: ${checkUrl}`),
  407: account('a proxy before the gateway requires credentials: let the requests pass without it'),
  408: address('the request does not arrive in time: check the network and the proxy before the gateway'),
  410: number,
  411: address('a proxy removes Content-Length: check the proxy before the gateway'),
  413: address('the gateway or a proxy accepts only smaller requests: raise its limit to 1 MiB or more'),
  414: address(`this address is too long: ${checkUrl}`),
  415: address(`this address accepts no JSON: ${checkUrl}`),
  421: address(`this server does not answer for this host name: ${checkUrl}`),
  422: number,
  426: address('this server requires another protocol: use https in the url, or HTTP/1.1 at the gateway'),
  431: address('the gateway or a proxy accepts only smaller headers: raise its limit'),
  // RFC 7725: a legal reason, such as a country that may not be called.
  451: number,
  501: address(`this address cannot take POST: ${checkUrl}`),
  505: address('this server does not speak HTTP/1.1: put a proxy that does before the gateway'),
  // RFC 6585: from a captive portal, not from the gateway.
  511: address('the network requires a sign-in: sign in, or use a network without it'),
};
