import { useEffect, useRef } from 'preact/hooks';
import uPlot from 'uplot';

interface Props {
  label: string;
  /** Seconds since 1970, and a value for each. */
  times: readonly number[];
  values: readonly number[];
  kind: 'bars' | 'steps';
  timeZone: string;
  /** The alternative for screen readers. */
  summary: string;
}

const plotHeight = 170;

/** One line over time, in the colours of the page. */
export function LinePlot({ label, times, values, kind, timeZone, summary }: Props) {
  const box = useRef<HTMLDivElement>(null);
  const plot = useRef<uPlot | null>(null);

  // Redrawn in the new colours, with the range that is shown now.
  const shown = useRef<uPlot.AlignedData>([[], []]);
  shown.current = [[...times], [...values]];

  useEffect(() => {
    const element = box.current;
    if (element === null) return undefined;
    const draw = () => {
      plot.current?.destroy();
      plot.current = new uPlot(optionsOf({ label, kind, timeZone, element }), shown.current, element);
    };
    draw();
    const resized = new ResizeObserver(() => {
      plot.current?.setSize({ width: Math.max(120, element.clientWidth), height: plotHeight });
    });
    resized.observe(element);
    const scheme = matchMedia('(prefers-color-scheme: dark)');
    scheme.addEventListener('change', draw);
    return () => {
      resized.disconnect();
      scheme.removeEventListener('change', draw);
      plot.current?.destroy();
      plot.current = null;
    };
  }, [label, kind, timeZone]);

  useEffect(() => {
    plot.current?.setData(shown.current);
  }, [times, values]);

  return <div class="plot" ref={box} role="img" aria-label={`${label}: ${summary}`} />;
}

function optionsOf(args: {
  label: string;
  kind: Props['kind'];
  timeZone: string;
  element: HTMLElement;
}): uPlot.Options {
  const { label, kind, timeZone, element } = args;
  const colour = (name: string) => resolved(element, name);
  const axis = {
    stroke: colour('--muted'),
    grid: { stroke: colour('--line'), width: 1 },
    ticks: { show: false },
  };
  const font = `12px ${getComputedStyle(element).fontFamily}`;
  const paths =
    kind === 'bars'
      ? uPlot.paths.bars?.({ size: [0.7, 28], radius: 0.25 })
      : uPlot.paths.stepped?.({ align: 1 });
  return {
    width: Math.max(120, element.clientWidth),
    height: plotHeight,
    legend: { show: false },
    cursor: { show: false },
    tzDate: (seconds) => uPlot.tzDate(new Date(seconds * 1_000), timeZone),
    scales: {
      x: { range: (_, first, last) => [first - 30, last + 60] },
      y: { range: (_, __, most) => [0, Math.max(4, Math.ceil(most * 1.15))] },
    },
    axes: [
      { ...axis, font, size: 28, values: [[60, '{HH}:{mm}', null, null, null, null, null, null, 1]] },
      { ...axis, font, size: 36, incrs: [1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000, 2_000, 5_000] },
    ],
    series: [
      {},
      {
        label,
        stroke: colour('--c-reached'),
        fill: colour(kind === 'bars' ? '--c-reached' : '--accent-soft'),
        width: kind === 'bars' ? 0 : 2,
        points: { show: false },
        ...(paths !== undefined && { paths }),
      },
    ],
  };
}

/** A canvas does not support `light-dark()`, so the browser resolves the colour. */
function resolved(element: HTMLElement, variable: string): string {
  const probe = document.createElement('span');
  probe.style.color = `var(${variable})`;
  element.append(probe);
  const { color } = getComputedStyle(probe);
  probe.remove();
  return color;
}
