/**
 * The service for a process that is to die soon. It is the service that `npm start` runs, but does not compile every
 * validator ahead: that takes seconds of a processor, and such a process answers a handful of requests.
 */
import { enableCompileCache } from 'node:module'

enableCompileCache()
const { pino } = await import('pino')
const { readConfig } = await import('../../server/config.ts')
const { startPlumbline } = await import('../../server/plumbline.ts')

const config = readConfig(process.env)
await startPlumbline({ config, log: pino({ level: config.logLevel }), warm: false })
