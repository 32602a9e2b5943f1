#!/usr/bin/env node
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Command, InvalidArgumentError } from 'commander'
import { contractNow } from './contract.ts'
import { createMock } from './mock.ts'

/**
 *     npm run mock                          on http://127.0.0.1:4010
 *     npm run mock -- --port 8080 --host 0.0.0.0
 *     npm run mock -- --dynamic             answers made up from the schemas
 *     npm run mock -- --quiet               without a line for each request
 */
const { port, host, dynamic, quiet } = new Command('mock')
  .description('Answers with the examples of the contract, without a service behind it.')
  .option('--port <port>', 'where it listens; 0 for a free port', portOf, 4010)
  .option('--host <address>', 'on which address', '127.0.0.1')
  .option('--dynamic', 'answers made up from the schemas instead of the examples', false)
  .option('--quiet', 'without a line for each request', false)
  .parse()
  .opts<{ port: number; host: string; dynamic: boolean; quiet: boolean }>()

const server = createServer(
  createMock(contractNow(), {
    dynamic,
    ...(!quiet && { onAnswer: (method, url, status) => console.log(`${method} ${url} → ${status}`) }),
  }),
)
server.once('error', (error: NodeJS.ErrnoException) =>
  fail(error.code === 'EADDRINUSE' ? `The port ${port} is taken; choose another with --port.` : error.message),
)
server.listen(port, host, () => {
  const { port: taken } = server.address() as AddressInfo
  console.log(`The mock answers on http://${host}:${taken}, to any key that begins with plb_:`)
  console.log(`  curl -H "Authorization: Bearer plb_mock" http://${host}:${taken}/api/ext/vendors`)
  console.log('Its scenarios are in mock/scenarios.gen.md.')
})
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => {
    server.close()
    server.closeAllConnections()
  })
}

function portOf(text: string): number {
  const port = Number(text)
  if (!Number.isInteger(port) || port < 0 || port > 65_535) throw new InvalidArgumentError('That is not a port.')
  return port
}

function fail(why: string): never {
  console.error(why)
  process.exit(1)
}
