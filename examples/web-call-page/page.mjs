import { startWebCall } from './outdial/web-call.ts';

const talk = document.querySelector('#talk');
const hangUp = document.querySelector('#hang-up');
const state = document.querySelector('#state');
const said = document.querySelector('#said');
const ends = {
  agent: 'The agent has hung up.',
  person: 'You have hung up.',
  lost: 'The connection is lost.',
};
let call = null;

function show(isTalking, text) {
  talk.disabled = isTalking;
  hangUp.disabled = !isTalking;
  state.textContent = text;
}

/** Asks our own server for a call, so that the API key stays there. */
async function connect() {
  const response = await fetch('/talk', { method: 'POST' });
  if (!response.ok) throw new Error(await response.text());
  return response.json();
}

async function begin() {
  said.replaceChildren();
  show(true, 'Connecting…');
  try {
    call = await startWebCall({
      connect,
      workletUrl: '/outdial/worklet.ts',
      onTurn({ role, text, interrupted }) {
        const line = document.createElement('li');
        line.textContent = `${role === 'agent' ? 'Agent' : 'You'}: ${text}${interrupted ? ' —' : ''}`;
        said.append(line);
      },
      onEnd: (how) => show(false, ends[how]),
    });
    state.textContent = 'Connected.';
  } catch (error) {
    show(false, error.message);
  }
}

// Browsers play no sound and open no microphone before a click.
talk.addEventListener('click', () => void begin());
hangUp.addEventListener('click', () => call?.hangUp());
