import { fileURLToPath } from "node:url";
import { defineConfig } from "vite";

const below = (path: string): string => fileURLToPath(new URL(path, import.meta.url));

/** Builds the page of the inspector into static files: `npm run build:inspector`. */
export default defineConfig({
  root: below("src/inspector/page"),
  // The page is served below any path.
  base: "./",
  resolve: {
    // What package.json chooses by platform.
    alias: {
      "#runtime": below("src/runtime/web.ts"),
      "#grpc": below("src/inspector/page/session/grpc-connection.ts"),
      "#connections": below("src/push/url-guard/web-connections.ts"),
    },
  },
  build: {
    outDir: process.env.INSPECTOR_PAGE ?? below("dist/inspector"),
    emptyOutDir: true,
    target: "es2022",
    // The content security policy permits no inline script, style or data URL.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    license: { fileName: "licenses.md" },
  },
});
