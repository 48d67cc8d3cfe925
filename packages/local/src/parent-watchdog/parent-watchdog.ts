import { isMainThread } from 'node:worker_threads';
import { whenPipeEnds } from '@outdial/runtime/parent-pipe';

/*
 * Loaded before a program with `--import`. The parent process holds the other end of the pipe OUTDIAL_PARENT_PIPE_FD. When the parent dies,
 * the program is asked to stop, and killed if it does not. Without that variable the program runs on its own.
 */

const stopTimeoutMs = 8_000;

const fd = process.env['OUTDIAL_PARENT_PIPE_FD'];
if (fd !== undefined && isMainThread) {
  // Children of this process must not read it.
  delete process.env['OUTDIAL_PARENT_PIPE_FD'];
  whenPipeEnds(Number(fd), () => {
    setTimeout(() => process.kill(process.pid, 'SIGKILL'), stopTimeoutMs).unref();
    process.kill(process.pid, 'SIGTERM');
  });
}
