// @ts-check
// In JavaScript, for the same reason as server/main.js.
import { enableCompilationCache } from '../../platform/runtime/compile-cache.js'

enableCompilationCache()
const { runCli } = await import('./program.ts')
await runCli(process.argv)
