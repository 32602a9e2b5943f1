import { flushCompileCache } from 'node:module'
import { keepCompiled } from './compile-cache.ts'

keepCompiled()
const { serve } = await import('./serve.ts')
// As soon as the modules are loaded, because not every process lives to its end.
flushCompileCache()
await serve()
