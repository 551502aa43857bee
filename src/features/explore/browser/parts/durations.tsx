import { formatCount } from "../../../../base/text/quantity-text.ts";
import { formatSeconds } from "../format.ts";
import type { DurationBand } from "../more-answers.ts";
import { Bar } from "./bar.tsx";

export function Durations({ bands }: { bands: readonly DurationBand[] }) {
  const most = Math.max(1, ...bands.map(({ calls }) => calls));
  return (
    <section>
      <h2>Durations</h2>
      <table class="bands">
        <tbody>
          {bands.map(({ from, to, calls }) => (
            <tr key={`${from} ${to}`}>
              <th scope="row">{describeBand(from, to)}</th>
              <td>{formatCount(calls)}</td>
              <td class="wide">
                <Bar share={calls / most} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

function describeBand(from: number | null, to: number | null): string {
  if (from === null) return to === null ? "unknown" : "below 0";
  return to === null ? `${formatSeconds(from)} or longer` : `${formatSeconds(from)} – ${formatSeconds(to)}`;
}
