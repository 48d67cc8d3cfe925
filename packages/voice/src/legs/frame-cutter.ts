import { frameBytes } from '../audio/mu-law.ts';

const nothing: Uint8Array = new Uint8Array();

/** Cuts audio messages of any length into frames of 20 ms. */
export function createFrameCutter(onFrame: (frame: Uint8Array) => void): (data: Uint8Array) => void {
  let rest = nothing;
  return (data) => {
    const all = rest.length === 0 ? data : Buffer.concat([rest, data]);
    let at = 0;
    for (; at + frameBytes <= all.length; at += frameBytes) onFrame(all.subarray(at, at + frameBytes));
    // Most messages are whole frames, with no rest. The rest is copied, so that the message can be freed.
    rest = at === all.length ? nothing : Uint8Array.from(all.subarray(at));
  };
}
