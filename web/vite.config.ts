import path from 'node:path'
import type { InlineConfig } from 'vite'

/** The Vite configuration that builds the admin area into dist/web. web/build.ts uses it. */
export const root = import.meta.dirname
export const config: InlineConfig = {
  root,
  configFile: false,
  // The path of the service on its host is known only when it starts, so no URL in the build starts with a slash.
  base: './',
  // Hides warnings about the "use client" directives in the libraries, which have no meaning here.
  logLevel: 'error',
  build: {
    outDir: path.join(root, '../dist/web'),
    emptyOutDir: true,
    // Browsers of the last two years support light-dark() and nesting, so Vite does not have to convert them.
    target: ['chrome123', 'firefox121', 'safari17.5'],
    cssTarget: ['chrome123', 'firefox121', 'safari17.5'],
    // Keeps every asset in its own file, because the Content-Security-Policy allows no data: URLs for scripts and
    // styles.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    // Puts code that many pages share into one file. On a slow connection, each additional file costs as much time as
    // its content.
    rolldownOptions: {
      output: { codeSplitting: { groups: [{ name: 'shared', test: /web[\\/](?:ui|api)[\\/]/, minShareCount: 8 }] } },
    },
  },
}

/**
 * Builds the superintendent's page into dist/web/field. The build is separate, so that phones store only the code that
 * this page uses.
 */
export const fieldConfig: InlineConfig = {
  ...config,
  root: path.join(root, 'field'),
  build: { ...config.build, rolldownOptions: {} },
}
