// @ts-check
// In JavaScript, for the same reason as server/main.js.
import { keepCompiled } from '../../platform/runtime/compile-cache.js'

keepCompiled()
const { obey } = await import('./program.ts')
await obey(process.argv)
