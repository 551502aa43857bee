import { type EChartsOption, init } from "echarts";
import { expect, it } from "vitest";
import { drawSvg } from "../../../src/base/text/static-svg.ts";

it("drawSvg draws a chart without script and style, of its size, with its label", () => {
  const option: EChartsOption = {
    xAxis: { type: "category", data: ["Mon", "Tue"] },
    yAxis: { type: "value" },
    series: [{ type: "bar", data: [5, 7] }],
  };
  const draw = () => drawSvg(init, option, { width: 640, height: 200, label: 'Calls & "leads" <b> & <i>' });
  const svg = draw();
  const label = "Calls &amp; &quot;leads&quot; &lt;b> &amp; &lt;i>";
  expect(svg.slice(0, svg.indexOf("xmlns"))).toBe(`<svg role="img" aria-label="${label}" `);
  expect(svg).toContain('viewBox="0 0 640 200"');
  expect(svg).toContain(">Tue</text>");
  expect(svg).toMatch(/font-size="\d+px"|font-family=/);
  expect(svg).not.toMatch(/style|class=|ecmeta|\n\n/);
  expect(draw()).toBe(svg);
});
