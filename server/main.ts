import { enableCompileCache, flushCompileCache } from 'node:module'

// What was compiled once is kept in the system's temporary folder: a start then takes half as long. It has to be asked for
// before the modules are loaded, and is kept as soon as they are, because not every process lives to its end.
enableCompileCache()
const { serve } = await import('./serve.ts')
flushCompileCache()
await serve()
