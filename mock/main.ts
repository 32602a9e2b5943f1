import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { parseArgs } from 'node:util'
import { contractNow } from './contract.ts'
import { createMock } from './mock.ts'

/**
 *     npm run mock                          on http://127.0.0.1:4010
 *     npm run mock -- --port 8080 --host 0.0.0.0
 *     npm run mock -- --dynamic             answers made up from the schemas
 *     npm run mock -- --quiet               without a line for each request
 */
const { values } = parseArgs({
  options: {
    port: { type: 'string', default: '4010' },
    host: { type: 'string', default: '127.0.0.1' },
    dynamic: { type: 'boolean', default: false },
    quiet: { type: 'boolean', default: false },
  },
})

const port = Number(values.port)
if (!Number.isInteger(port) || port < 0 || port > 65_535) fail(`--port ${values.port} is not a port.`)

const server = createServer(
  createMock(contractNow(), {
    dynamic: values.dynamic,
    ...(!values.quiet && { onAnswer: (method, url, status) => console.log(`${method} ${url} → ${status}`) }),
  }),
)
server.once('error', (error: NodeJS.ErrnoException) =>
  fail(error.code === 'EADDRINUSE' ? `The port ${port} is taken; choose another with --port.` : error.message),
)
server.listen(port, values.host, () => {
  const { port: taken } = server.address() as AddressInfo
  console.log(`The mock answers on http://${values.host}:${taken}, to any key that begins with plb_:`)
  console.log(`  curl -H "Authorization: Bearer plb_mock" http://${values.host}:${taken}/api/ext/vendors`)
  console.log('Its scenarios are in mock/scenarios.gen.md.')
})
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => {
    server.close()
    server.closeAllConnections()
  })
}

function fail(why: string): never {
  console.error(why)
  process.exit(1)
}
