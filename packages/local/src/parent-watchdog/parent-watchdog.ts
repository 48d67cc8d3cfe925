import { Socket } from 'node:net';
import { isMainThread } from 'node:worker_threads';

/*
 * Loaded before a program with `--import`. It ties the program to the process that started it: when the
 * pipe named by OUTDIAL_LIFELINE_FD ends, because its other end was closed or its owner was killed, the
 * program is asked to stop, and killed if it does not. A program started without that variable runs alone.
 */

const STOP_TIMEOUT_MS = 8_000;

const fd = process.env['OUTDIAL_LIFELINE_FD'];
if (fd !== undefined && isMainThread) {
  // Processes that this one starts are its own concern.
  delete process.env['OUTDIAL_LIFELINE_FD'];
  const pipe = new Socket({ fd: Number(fd), readable: true, writable: false });
  let cut = false;
  const onCut = () => {
    if (cut) return;
    cut = true;
    setTimeout(() => process.kill(process.pid, 'SIGKILL'), STOP_TIMEOUT_MS).unref();
    process.kill(process.pid, 'SIGTERM');
  };
  pipe.on('end', onCut).on('close', onCut).on('error', onCut);
  pipe.resume();
  // A program that has nothing left to do ends, watchdog or not.
  pipe.unref();
}
