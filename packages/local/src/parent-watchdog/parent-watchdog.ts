import { isMainThread } from 'node:worker_threads';
import { whenPipeEnds } from '@outdial/runtime/parent-pipe';

/*
 * Loaded before a program with `--import`. It ties the program to the process that started it, which holds the other end of the pipe
 * OUTDIAL_LIFELINE_FD: when that ends, the program is asked to stop, and killed if it does not. A program started without that variable
 * runs alone.
 */

const STOP_TIMEOUT_MS = 8_000;

const fd = process.env['OUTDIAL_LIFELINE_FD'];
if (fd !== undefined && isMainThread) {
  // Processes that this one starts are its own concern.
  delete process.env['OUTDIAL_LIFELINE_FD'];
  whenPipeEnds(Number(fd), () => {
    setTimeout(() => process.kill(process.pid, 'SIGKILL'), STOP_TIMEOUT_MS).unref();
    process.kill(process.pid, 'SIGTERM');
  });
}
