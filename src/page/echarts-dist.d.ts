/** ECharts in one file, which loads five times as fast as its modules do. */
declare module "echarts/dist/echarts.esm.min.mjs" {
  export { init } from "echarts";
}
