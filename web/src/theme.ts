/** The design language in values; docs/design.md says in words what they are for. */
import {
  type CSSVariablesResolver,
  createTheme,
  localStorageColorSchemeManager,
  type MantineColorsTuple,
} from "@mantine/core";

/** Paper: warm neutrals from the sheet to the ink. */
const gray: MantineColorsTuple = [
  "#faf8f4",
  "#f3f0e9",
  "#e8e3d9",
  "#d9d3c6",
  "#c2baab",
  "#9b9283",
  "#655f53",
  "#4e493f",
  "#36322b",
  "#22201c",
];
/** The same by lamplight, from the ink to the desk. */
const dark: MantineColorsTuple = [
  "#ece7dd",
  "#cfc9be",
  "#b0a99d",
  "#7d776d",
  "#4a4640",
  "#3a3733",
  "#2b2926",
  "#201f1d",
  "#1a1917",
  "#131211",
];
/** Verdigris, the one accent: what can be done, and where one is. */
const verdigris: MantineColorsTuple = [
  "#e9f4f1",
  "#d2e7e2",
  "#a8d3ca",
  "#7fc0b4",
  "#62b0a3",
  "#3f968a",
  "#24796e",
  "#17665d",
  "#10524b",
  "#083f39",
];
/** Red ochre: what is lost or has failed. */
const red: MantineColorsTuple = [
  "#fcefec",
  "#f8dcd6",
  "#efb8ad",
  "#ec9c8d",
  "#e88472",
  "#cf5843",
  "#bd4029",
  "#a3311c",
  "#832615",
  "#631b0e",
];

export const theme = createTheme({
  colors: { gray, dark, verdigris, red },
  primaryColor: "verdigris",
  // Both carry white text; Mantine chooses the text colour by the light scheme alone.
  primaryShade: { light: 7, dark: 6 },
  black: "#22201c",
  white: "#fffdf9",
  defaultRadius: "md",
  cursorType: "pointer",
  fontFamily:
    'system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", "PingFang SC", "Microsoft YaHei", "Noto Sans CJK SC", sans-serif',
  fontFamilyMonospace: 'ui-monospace, "SF Mono", Menlo, Consolas, "Liberation Mono", monospace',
  fontSizes: { xs: "0.8125rem", sm: "0.875rem", md: "0.9375rem", lg: "1.0625rem" },
  headings: {
    fontFamily: '"Iowan Old Style", Palatino, "Palatino Linotype", Georgia, "Songti SC", "Noto Serif CJK SC", serif',
    fontWeight: "600",
    sizes: {
      h1: { fontSize: "1.75rem", lineHeight: "1.25" },
      h2: { fontSize: "1.25rem", lineHeight: "1.35" },
      h3: { fontSize: "1.0625rem", lineHeight: "1.4" },
    },
  },
  components: {
    Table: { defaultProps: { verticalSpacing: "sm", horizontalSpacing: "md", fz: "md" } },
    Modal: {
      defaultProps: { centered: true, overlayProps: { backgroundOpacity: 0.45 } },
      styles: { title: { fontWeight: 600 } },
    },
    Tooltip: { defaultProps: { openDelay: 300 } },
  },
});

/** Quiet text and hints keep enough contrast on paper and by lamplight. */
export const cssVariables: CSSVariablesResolver = () => ({
  variables: { "--pinakes-content-width": "72rem" },
  light: {
    "--mantine-color-body": "#fffdf9",
    "--mantine-color-placeholder": gray[6],
    "--mantine-color-dimmed": gray[6],
    "--mantine-color-default-border": gray[3],
    "--mantine-color-error": red[7],
    "--pinakes-desk": gray[0],
  },
  dark: {
    "--mantine-color-placeholder": dark[2],
    "--mantine-color-dimmed": dark[2],
    "--mantine-color-error": red[3],
    "--mantine-color-red-light-color": red[4],
    "--mantine-color-verdigris-light": "#17332f",
    "--mantine-color-verdigris-light-hover": "#1c3d38",
    "--mantine-color-verdigris-light-color": verdigris[2],
    "--pinakes-desk": dark[8],
  },
});

export const schemeManager = localStorageColorSchemeManager({ key: "pinakes.scheme" });
