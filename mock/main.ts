#!/usr/bin/env node
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Command, InvalidArgumentError } from 'commander'
import { readCurrentContract } from './current-contract.ts'
import { createMock } from './mock.ts'

/**
 * npm run mock                          on http://127.0.0.1:4010
 *     npm run mock -- --port 8080 --host 0.0.0.0
 *     npm run mock -- --dynamic             responses generated from the schemas
 *     npm run mock -- --stateful            the service itself, over a database in memory
 *     npm run mock -- --quiet               print no line for each request
 */
const { port, host, dynamic, stateful, quiet } = new Command('mock')
  .description('Respond with the examples from the contract, without running the service.')
  .option('--port <port>', 'port to listen on; 0 selects a free port', parsePort, 4010)
  .option('--host <address>', 'address to listen on', '127.0.0.1')
  .option('--dynamic', 'generate responses from the schemas instead of the examples', false)
  .option('--stateful', 'run the service with a database in memory; POST /mock/reset deletes its data', false)
  .option('--quiet', 'do not print a line for each request', false)
  .parse()
  .opts<{ port: number; host: string; dynamic: boolean; stateful: boolean; quiet: boolean }>()

const onAnswer = quiet
  ? {}
  : { onAnswer: (method: string, url: string, status: number) => console.log(`${method} ${url} → ${status}`) }
const { url, stop } = await (stateful ? startStatefulMock() : startStateless()).catch((error: NodeJS.ErrnoException) =>
  fail(
    error.code === 'EADDRINUSE' ? `Port ${port} is in use. Choose another port with --port.` : String(error.message),
  ),
)
console.log(`  curl -H "Authorization: Bearer ${stateful ? '$KEY' : 'plb_mock'}" ${url}/api/ext/vendors`)
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, stop)

async function startStateless(): Promise<RunningMock> {
  const server = createServer(createMock(readCurrentContract(), { dynamic, ...onAnswer }))
  await new Promise<void>((done, failed) => server.once('error', failed).listen(port, host, done))
  const { port: taken } = server.address() as AddressInfo
  const url = `http://${host}:${taken}`
  console.log(
    `The mock is running at ${url} and accepts any key that begins with plb_. Its scenarios are in mock/scenarios.gen.md.`,
  )
  const stop = () => {
    server.close()
    server.closeAllConnections()
  }
  return { url, stop }
}

/** The service is loaded only if it is requested, because it takes longer to start than the mock. */
async function startStatefulMock(): Promise<RunningMock> {
  console.log('Starting the service with an in-memory database. This takes a few seconds.')
  const { startStateful } = await import('./stateful.ts').catch((error: Error) => {
    // The published package of the mock does not include the service.
    if (error.message.includes('stateful.ts'))
      fail('--stateful runs the service itself, so it works only in the repository.')
    throw error
  })
  const { url, key, stop } = await startStateful({ port, host, ...onAnswer })
  console.log(
    `The mock is running at ${url} and keeps data in memory. POST ${url}/mock/reset deletes the data.\n  KEY=${key}`,
  )
  return {
    url,
    stop: () =>
      void stop().then(
        () => process.exit(0),
        (error: Error) => fail(error.message),
      ),
  }
}

interface RunningMock {
  url: string
  stop(): void
}

function parsePort(text: string): number {
  const port = Number(text)
  if (!Number.isInteger(port) || port < 0 || port > 65_535)
    throw new InvalidArgumentError('The port must be a number from 0 to 65535.')
  return port
}

function fail(why: string): never {
  console.error(why)
  process.exit(1)
}
