import path from 'node:path'
import type { InlineConfig } from 'vite'

/** How the pages are built, from web/ to dist/web; web/build.ts does it. */
export const root = import.meta.dirname
export const config: InlineConfig = {
  root,
  configFile: false,
  // Where the service is below is known only when it starts, so that no address in what is built begins with a slash.
  base: './',
  // The libraries' files carry a "use client" directive, which would only cause warnings here.
  logLevel: 'error',
  build: {
    outDir: path.join(root, '../dist/web'),
    emptyOutDir: true,
    // light-dark() and nesting as they are: browsers of the last two years have both.
    target: ['chrome123', 'firefox121', 'safari17.5'],
    cssTarget: ['chrome123', 'firefox121', 'safari17.5'],
    // The Content-Security-Policy allows no data: addresses for scripts and styles.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    // What many pages share is one file: each further file costs a slow browser as much as its content.
    rolldownOptions: {
      output: { codeSplitting: { groups: [{ name: 'shared', test: /web[\\/](?:ui|api)[\\/]/, minShareCount: 8 }] } },
    },
  },
}
