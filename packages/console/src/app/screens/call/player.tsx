import { useEffect, useRef, useState } from 'preact/hooks';
import { peaksOf } from '../../plots/peaks.ts';
import { Button, Fault } from '../../ui/basics.tsx';
import { duration } from '../../words/dates.ts';

interface Props {
  src: string;
  /** The position, from 0 to 1. */
  share: number;
  onShare: (share: number) => void;
  /** Jumps there when it changes. */
  seek: { share: number } | null;
}

const parts = 96;
/** Longer recordings have no waveform, which would take the browser's memory. */
const drawnBytesAtMost = 30_000_000;

/** A player with the picture of its sound, which is a slider: arrow keys move by five seconds. */
export function Player({ src, share, onShare, seek }: Props) {
  const audio = useRef<HTMLAudioElement>(null);
  const [playing, setPlaying] = useState(false);
  const [length, setLength] = useState(0);
  const [failed, setFailed] = useState(false);
  const peaks = usePeaks(src);

  useEffect(() => {
    const player = audio.current;
    if (player === null || seek === null || !Number.isFinite(player.duration)) return;
    player.currentTime = seek.share * player.duration;
    void player.play().catch(() => undefined);
  }, [seek]);

  function move(to: number): void {
    const player = audio.current;
    if (player === null || length === 0) return;
    player.currentTime = Math.min(length, Math.max(0, to));
    onShare(player.currentTime / length);
  }
  const at = share * length;
  return (
    <div class="player">
      <audio
        ref={audio}
        src={src}
        preload="metadata"
        onLoadedMetadata={(event) => setLength(event.currentTarget.duration)}
        onTimeUpdate={({ currentTarget: { currentTime, duration: whole } }) =>
          onShare(whole > 0 ? currentTime / whole : 0)
        }
        onPlay={() => setPlaying(true)}
        onPause={() => setPlaying(false)}
        onError={() => setFailed(true)}
      />
      {failed ? (
        <Fault text="The recording cannot be played. The carrier may not have delivered it yet." />
      ) : (
        <>
          <Button
            kind="main"
            icon={playing ? 'pause' : 'play'}
            label={playing ? 'Pause the recording' : 'Play the recording'}
            onClick={() => {
              if (playing) audio.current?.pause();
              else void audio.current?.play().catch(() => setFailed(true));
            }}
          >
            <span class="hidden">{playing ? 'Pause' : 'Play'}</span>
          </Button>
          <div
            class="wave"
            role="slider"
            tabIndex={0}
            aria-label="Position in the recording"
            aria-valuemin={0}
            aria-valuemax={Math.round(length)}
            aria-valuenow={Math.round(at)}
            aria-valuetext={`${duration(at)} of ${duration(length)}`}
            onClick={(event) => {
              const box = event.currentTarget.getBoundingClientRect();
              move(((event.clientX - box.left) / box.width) * length);
            }}
            onKeyDown={(event) => {
              const to = { ArrowRight: at + 5, ArrowLeft: at - 5, Home: 0, End: length }[event.key];
              if (to === undefined) return;
              event.preventDefault();
              move(to);
            }}
          >
            {peaks.map((peak, part) => (
              <span
                key={part}
                class={part / peaks.length < share ? 'played' : ''}
                style={{ height: `${Math.max(6, peak * 100)}%` }}
              />
            ))}
          </div>
          <span class="player-time">
            {duration(at)} / {duration(length)}
          </span>
        </>
      )}
    </div>
  );
}

/** The waveform; a flat line until it is loaded, or if it cannot be. */
function usePeaks(src: string): readonly number[] {
  const [peaks, setPeaks] = useState<readonly number[]>(() => Array.from({ length: parts }, () => 0));
  useEffect(() => {
    const stop = new AbortController();
    void readPeaks(src, stop.signal).then(
      (read) => !stop.signal.aborted && setPeaks(read),
      () => undefined,
    );
    return () => stop.abort();
  }, [src]);
  return peaks;
}

async function readPeaks(src: string, signal: AbortSignal): Promise<number[]> {
  const answer = await fetch(src, { signal });
  const bytes = Number(answer.headers.get('content-length') ?? 0);
  if (!answer.ok || bytes > drawnBytesAtMost) throw new Error('there is nothing to draw');
  const context = new OfflineAudioContext(1, 1, 8_000);
  const sound = await context.decodeAudioData(await answer.arrayBuffer());
  return peaksOf(sound.getChannelData(0), parts);
}
