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
 *     npm run mock -- --stateful            the service itself, over a database in memory
 *     npm run mock -- --quiet               without a line for each request
 */
const { port, host, dynamic, stateful, quiet } = new Command('mock')
  .description('Answers with the examples of the contract, without a service behind it.')
  .option('--port <port>', 'where it listens; 0 for a free port', portOf, 4010)
  .option('--host <address>', 'on which address', '127.0.0.1')
  .option('--dynamic', 'answers made up from the schemas instead of the examples', false)
  .option('--stateful', 'what was created is found again, in memory; POST /mock/reset begins anew', false)
  .option('--quiet', 'without a line for each request', false)
  .parse()
  .opts<{ port: number; host: string; dynamic: boolean; stateful: boolean; quiet: boolean }>()

const onAnswer = quiet
  ? {}
  : { onAnswer: (method: string, url: string, status: number) => console.log(`${method} ${url} → ${status}`) }
const { url, stop } = await (stateful ? remembering() : answering()).catch((error: NodeJS.ErrnoException) =>
  fail(error.code === 'EADDRINUSE' ? `The port ${port} is taken; choose another with --port.` : String(error.message)),
)
console.log(`  curl -H "Authorization: Bearer ${stateful ? '$KEY' : 'plb_mock'}" ${url}/api/ext/vendors`)
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, stop)

async function answering(): Promise<Running> {
  const server = createServer(createMock(contractNow(), { dynamic, ...onAnswer }))
  await new Promise<void>((done, failed) => server.once('error', failed).listen(port, host, done))
  const { port: taken } = server.address() as AddressInfo
  const url = `http://${host}:${taken}`
  console.log(
    `The mock answers on ${url}, to any key that begins with plb_. Its scenarios are in mock/scenarios.gen.md.`,
  )
  const stop = () => {
    server.close()
    server.closeAllConnections()
  }
  return { url, stop }
}

/** Loaded only when it is asked for, because the service takes longer to start than the mock. */
async function remembering(): Promise<Running> {
  console.log('Starting the service over a database in memory, which takes some seconds.')
  const { startStateful } = await import('./stateful.ts').catch((error: Error) => {
    // The package of the mock has the contract alone.
    if (error.message.includes('stateful.ts')) fail('--stateful runs the service itself, so it takes the repository.')
    throw error
  })
  const { url, key, stop } = await startStateful({ port, host, ...onAnswer })
  console.log(`The mock answers on ${url}, and remembers. POST ${url}/mock/reset begins anew.\n  KEY=${key}`)
  return {
    url,
    stop: () =>
      void stop().then(
        () => process.exit(0),
        (error: Error) => fail(error.message),
      ),
  }
}

interface Running {
  url: string
  stop(): void
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
