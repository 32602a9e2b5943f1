import { keepCompiled } from '../compile-cache.ts'

keepCompiled()
const { obey } = await import('./program.ts')
await obey(process.argv)
