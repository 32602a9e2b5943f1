// @ts-check
// JavaScript, like the modules that it loads first. For TypeScript files Node would load its parser, which occupies 14
// MB, although the compile cache already has all other files.
import { flushCompileCache } from 'node:module'
import { enableCompilationCache } from './platform/runtime/compile-cache.js'

enableCompilationCache()
const { serve } = await import('./serve.ts')
// Writes the compile cache as soon as the modules are loaded, because a process may end abnormally.
flushCompileCache()
await serve()
