/** A turn; of the agent's words, those that were heard. */
export interface WebCallTurn {
  role: 'agent' | 'person';
  text: string;
  interrupted: boolean;
}

interface WebCallOptions {
  /**
   * Requests the answer of `POST /agents/{agent_id}/web-call` from your own server. Called after the user has allowed the microphone,
   * because the token is only valid for a minute.
   */
  connect: () => Promise<{ url: string; token: string }>;
  /** The URL of this package's `web-call-worklet`, on the page's own origin. */
  workletUrl: string;
  onTurn?: (turn: WebCallTurn) => void;
  /** Once, when the call is over, whichever side ended it. */
  onEnd?: (end: WebCallEnd) => void;
}

/** `agent` and `person` hung up; `lost`: the connection broke, or was refused. */
type WebCallEnd = 'agent' | 'person' | 'lost';

export interface WebCall {
  hangUp(): void;
  /** Presses a key: a digit, `*` or `#`. */
  press(digit: string): void;
}

/** Why a call did not begin. `message` is for people. */
export class WebCallError extends Error {
  readonly reason: 'insecure_page' | 'no_microphone' | 'refused';

  constructor(reason: WebCallError['reason'], message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'WebCallError';
    this.reason = reason;
  }
}

/**
 * Talks to an agent through the microphone and the loudspeaker of this browser. Begin it in a click: browsers play no sound before.
 * @throws WebCallError, and what `connect` throws
 */
export async function startWebCall(options: WebCallOptions): Promise<WebCall> {
  const microphone = await openMicrophone();
  const context = new AudioContext({ latencyHint: 'interactive' });
  let socket: WebSocket | null = null;
  let isOver = false;

  function release(): void {
    isOver = true;
    for (const track of microphone.getTracks()) track.stop();
    socket?.close();
    void context.close();
  }

  function end(how: WebCallEnd): void {
    if (isOver) return;
    release();
    options.onEnd?.(how);
  }

  try {
    await context.audioWorklet.addModule(options.workletUrl);
    await context.resume();
    const line = new AudioWorkletNode(context, 'outdial-telephone-line', { outputChannelCount: [1] });
    const { url, token } = await options.connect();
    const open = await openSocket(url, token);
    socket = open;
    open.addEventListener('message', ({ data }: MessageEvent<unknown>) => {
      if (data instanceof ArrayBuffer) return line.port.postMessage(data, [data]);
      const message = readMessage(data);
      if (message.type === 'clear') line.port.postMessage('clear', []);
      if (message.type === 'turn') options.onTurn?.(message);
      if (message.type === 'ended') end('agent');
    });
    open.addEventListener('close', () => end('lost'));
    line.port.addEventListener('message', ({ data }: MessageEvent<ArrayBuffer>) => {
      // If the network cannot keep up, late audio is dropped.
      if (open.readyState === WebSocket.OPEN && open.bufferedAmount < 16_000) open.send(data);
    });
    line.port.start();
    context.createMediaStreamSource(microphone).connect(line).connect(context.destination);
    return {
      hangUp() {
        if (open.readyState === WebSocket.OPEN) open.send(JSON.stringify({ type: 'hang_up' }));
        end('person');
      },
      press(digit) {
        if (open.readyState === WebSocket.OPEN) open.send(JSON.stringify({ type: 'key', digit }));
      },
    };
  } catch (error) {
    release();
    throw error;
  }
}

async function openMicrophone(): Promise<MediaStream> {
  // Undefined on pages served over plain HTTP, except from this machine, although the types do not show this.
  const devices = navigator.mediaDevices as MediaDevices | undefined;
  if (devices === undefined) {
    throw new WebCallError('insecure_page', 'Browsers give the microphone to pages of https only.');
  }
  const audio = { echoCancellation: true, noiseSuppression: true, autoGainControl: true, channelCount: 1 };
  try {
    return await devices.getUserMedia({ audio });
  } catch (cause) {
    throw new WebCallError(
      'no_microphone',
      'The browser does not give the page a microphone. Allow it beside the address, and try again.',
      { cause },
    );
  }
}

function openSocket(url: string, token: string): Promise<WebSocket> {
  const address = new URL(url);
  address.searchParams.set('token', token);
  return new Promise((resolve, reject) => {
    const socket = new WebSocket(address);
    socket.binaryType = 'arraybuffer';
    socket.addEventListener('open', () => resolve(socket));
    socket.addEventListener('error', () => {
      reject(new WebCallError('refused', 'The voice service cannot be reached from this page.'));
    });
  });
}

function readMessage(
  data: unknown,
): { type: 'clear' | 'ended' | 'other' } | ({ type: 'turn' } & WebCallTurn) {
  const read: unknown = typeof data === 'string' ? JSON.parse(data) : null;
  if (typeof read !== 'object' || read === null || !('type' in read)) return { type: 'other' };
  if (read.type === 'clear' || read.type === 'ended') return { type: read.type };
  if (read.type !== 'turn' || !('role' in read) || !('text' in read)) return { type: 'other' };
  return {
    type: 'turn',
    role: read.role === 'agent' ? 'agent' : 'person',
    text: String(read.text),
    interrupted: 'interrupted' in read && read.interrupted === true,
  };
}
