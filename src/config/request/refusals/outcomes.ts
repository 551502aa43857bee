import { OUTCOME_FIGURES, RETURN_FIGURES } from "../../../figures/metrics.ts";
import { OPTIONS } from "../options.ts";
import {
  figureAmong,
  isOfCharts,
  isOfFormat,
  type RequestParts,
  type RequestRefusal,
  type RequestRefusals,
} from "./request-parts.ts";

const isByJob = ({ request: { revenue_by } }: RequestParts) =>
  revenue_by !== undefined && revenue_by !== OPTIONS.revenue_by.default;
export const OUTCOME_REFUSALS: RequestRefusals = [
  ...(["outcomes", "filter.outcome"] as const).map(
    (option): RequestRefusal => ({
      options: [option],
      when: ({ source }) => !source.lists,
      text: `{${option}} cannot be used with {engine}: outcomes are not published`,
    }),
  ),
  {
    without: ["outcomes"],
    when: ({ request }) => figureAmong(request, OUTCOME_FIGURES),
    text: "{columns} {found} needs {outcomes}",
  },
  {
    without: ["spend"],
    when: ({ request }) => figureAmong(request, RETURN_FIGURES),
    text: "{columns} {found} needs {spend}",
  },
  {
    when: (parts) => isByJob(parts) && isOfFormat("explore")(parts) && parts.request.revenue_by,
    text: "{revenue_by} {found} does not apply to the page to explore: it counts outcomes in the period of their call",
  },
  {
    without: ["outcomes"],
    when: (parts) => isByJob(parts) && !isOfCharts(parts),
    text: "{revenue_by} needs {outcomes}",
  },
  {
    when: (parts) => {
      const local = parts.dimensions.find((name) => name === "weekday" || name === "hour");
      return isByJob(parts) && local && `${parts.request.revenue_by} cannot be used with ${local}`;
    },
    text: "{revenue_by} {found}, which is of the call",
  },
  {
    options: ["versus"],
    when: (parts) => isByJob(parts) && parts.request.revenue_by,
    text: "{versus} cannot be used with {revenue_by} {found}: the booked calls of a period are not among its calls",
  },
  {
    options: ["min_cell"],
    when: (parts) => isByJob(parts) && parts.request.revenue_by,
    text: "{revenue_by} {found} adds rows of jobs without calls: not with {min_cell}",
  },
  {
    when: (parts) =>
      isByJob(parts) && parts.request.columns?.includes("revenue_per_call") && parts.request.revenue_by,
    text: "{columns} revenue_per_call cannot be used with {revenue_by} {found}: the calls of a period are not those of its jobs",
  },
];
