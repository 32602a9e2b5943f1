// @ts-check
// In JavaScript, like what it loads first. Node would load its parser of TypeScript for these files alone, and keep the
// 14 MB that it takes: of all others it finds what it compiled for the process before.
import { flushCompileCache } from 'node:module'
import { keepCompiled } from './platform/runtime/compile-cache.js'

keepCompiled()
const { serve } = await import('./serve.ts')
// As soon as the modules are loaded, because not every process lives to its end.
flushCompileCache()
await serve()
