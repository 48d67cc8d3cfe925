import twilio from 'twilio';

export interface Callback {
  /** The URL from the request to dial, with its fragment. */
  url: string;
  fields: Record<string, string>;
}

/** A delivery, with the status of each answer; 0 for no answer. */
export interface Delivery extends Callback {
  answers: number[];
}

const betweenTriesMs = 20;

/**
 * Sends a callback like Twilio: a form, signed by the SDK's function over the URL without its fragment, and retried as the fragment says
 * (https://www.twilio.com/docs/usage/webhooks/webhooks-connection-overrides).
 */
export async function deliver(callback: Callback, authToken: string): Promise<Delivery> {
  const [url = '', fragment = ''] = callback.url.split('#');
  const overrides = new URLSearchParams(fragment);
  const tries = 1 + Number(overrides.get('rc') ?? 1);
  const policies = (overrides.get('rp') ?? 'ct').split(',');
  const answers: number[] = [];
  for (let tried = 0; tried < tries; tried++) {
    const status = await post(url, callback.fields, authToken);
    answers.push(status);
    if (status >= 200 && status < 300) break;
    const failure = status === 0 ? 'ct' : status >= 500 ? '5xx' : '4xx';
    if (!policies.includes('all') && !policies.includes(failure)) break;
    await new Promise((resolve) => setTimeout(resolve, betweenTriesMs));
  }
  return { ...callback, answers };
}

async function post(url: string, fields: Record<string, string>, authToken: string): Promise<number> {
  try {
    const response = await fetch(url, {
      method: 'POST',
      headers: {
        'content-type': 'application/x-www-form-urlencoded; charset=UTF-8',
        'x-twilio-signature': twilio.getExpectedTwilioSignature(authToken, url, fields),
      },
      body: new URLSearchParams(fields).toString(),
    });
    await response.arrayBuffer();
    return response.status;
  } catch {
    return 0;
  }
}
