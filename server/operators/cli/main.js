// @ts-check
// In JavaScript, for the same reason as server/main.js.
import { keepCompiled } from '../../platform/runtime/compile-cache.js'

keepCompiled()
const { runCli } = await import('./program.ts')
await runCli(process.argv)
