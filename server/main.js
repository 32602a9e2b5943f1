// @ts-check
// JavaScript, like the modules that it loads first. For TypeScript files Node would load its parser, which occupies 14
// MB, although the compile cache already has all other files.
import { flushCompileCache } from 'node:module'
import { keepCompiled } from './platform/runtime/compile-cache.js'

keepCompiled()
const { serve } = await import('./serve.ts')
// Flush as soon as the modules are loaded, because not every process exits normally.
flushCompileCache()
await serve()
