import { readFileSync } from 'node:fs';

const checkEveryMs = 500;

/**
 * Calls `onGone` when the npm that started us is gone: a killed npm cannot forward a signal, and users of `npm start` expect the service to end
 * with it. Without npm, the process may outlive its shell.
 */
export function watchStarter(onGone) {
  if (!process.env.npm_lifecycle_event) return;
  const parent = process.ppid;
  const npm = parentOf(parent);
  const timer = setInterval(() => {
    // npm runs scripts in a shell, which may outlive npm.
    const isGone = process.ppid !== parent || (isShell(parent) && parentOf(parent) !== npm);
    if (!isGone) return;
    clearInterval(timer);
    onGone();
  }, checkEveryMs);
  timer.unref();
}

function stat(pid) {
  try {
    return readFileSync(`/proc/${pid}/stat`, 'utf8');
  } catch {
    return null;
  }
}

function parentOf(pid) {
  const text = stat(pid);
  return text === null ? null : text.slice(text.lastIndexOf(')') + 2).split(' ')[1];
}

function isShell(pid) {
  return /\((ba|da|z|k)?sh\)/.test(stat(pid) ?? '');
}
