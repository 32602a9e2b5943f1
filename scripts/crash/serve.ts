/**
 * The service for a process that is about to be killed. It is the same service as `npm start`, but does not compile
 * every validator up front: that takes seconds of processor time, and such a process only answers a few requests.
 */
import { enableCompileCache } from 'node:module'

enableCompileCache()
const { pino } = await import('pino')
const { readConfig } = await import('../../server/config.ts')
const { startPlumbline } = await import('../../server/plumbline.ts')

const config = readConfig(process.env)
await startPlumbline({ config, log: pino({ level: config.logLevel }), warm: false })
