import path from 'node:path'
import type { InlineConfig } from 'vite'

/** Vite configuration that builds the admin area into dist/web. web/build.ts runs it. */
export const root = import.meta.dirname
export const config: InlineConfig = {
  root,
  configFile: false,
  // The path prefix of the service is known only when it starts, so no URL in the build starts with a slash.
  base: './',
  // The libraries' files contain "use client" directives, which would only cause warnings here.
  logLevel: 'error',
  build: {
    outDir: path.join(root, '../dist/web'),
    emptyOutDir: true,
    // light-dark() and nesting are not transpiled: browsers of the last two years support both.
    target: ['chrome123', 'firefox121', 'safari17.5'],
    cssTarget: ['chrome123', 'firefox121', 'safari17.5'],
    // The Content-Security-Policy does not allow data: URLs for scripts and styles.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    // Code that many pages share is in one file. On a slow connection, each additional file costs as much time as its
    // content.
    rolldownOptions: {
      output: { codeSplitting: { groups: [{ name: 'shared', test: /web[\\/](?:ui|api)[\\/]/, minShareCount: 8 }] } },
    },
  },
}

/**
 * Builds the superintendent's page into dist/web/field. This build is separate, so that a phone stores only the code
 * that the page uses.
 */
export const fieldConfig: InlineConfig = {
  ...config,
  root: path.join(root, 'field'),
  build: { ...config.build, rolldownOptions: {} },
}
