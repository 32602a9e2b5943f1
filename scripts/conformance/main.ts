#!/usr/bin/env node
import { createWriteStream } from 'node:fs'
import path from 'node:path'
import { finished } from 'node:stream/promises'
import { run } from 'node:test'
import { junit, spec } from 'node:test/reporters'
import { Command, Option } from 'commander'
import { shortenBody } from './describe-response-errors.ts'
import { type Key, storeOptions } from './options.ts'
import manifest from './package.json' with { type: 'json' }
import { sendRequest } from './service.ts'
import { contract, document } from './walked-contract.ts'

/**
 * Checks whether a server conforms to this contract.
 *
 *   npm run conformance -- --base-url http://localhost:3000 --key plb_…
 *
 * Prints a report during the run, and optionally writes a report for a CI system. Exits with 0 if all checks pass and
 * with 1 otherwise.
 */
interface CommandOptions {
  baseUrl: string
  key: string
  restrictedKey?: string
  receiver: string
  proxied: boolean
  profile: 'service' | 'stateless'
  junit?: string
  only?: string
}

if (!satisfiesMinimum(process.versions.node, manifest.engines.node)) {
  const required = manifest.engines.node.replace('>=', '')
  console.error(`plumbline-conformance requires Node ${required} or newer. This is Node ${process.versions.node}.`)
  process.exit(1)
}

const program = new Command('plumbline-conformance')
  .description(`Check whether a server conforms to version ${document.info.version} of the Plumbline contract.`)
  .addOption(new Option('--base-url <url>', 'URL of the server').env('PLUMBLINE_URL').makeOptionMandatory())
  .addOption(
    new Option('--key <key>', 'API key with all permissions, preferably of an organization created for this test')
      .env('PLUMBLINE_KEY')
      .makeOptionMandatory(),
  )
  .addOption(
    new Option('--restricted-key <key>', 'API key of the same organization with few or no permissions').env(
      'PLUMBLINE_RESTRICTED_KEY',
    ),
  )
  .option(
    '--receiver <url>',
    'URL for the webhook subscriptions that are created',
    'https://plumbline-conformance.example.com/hooks',
  )
  .option('--proxied', 'accept errors from a validating proxy in front of the server', false)
  .addOption(
    new Option('--profile <profile>', 'kind of server; "stateless" for a mock that keeps no records')
      .choices(['service', 'stateless'])
      .default('service'),
  )
  .addOption(new Option('--only <operationId>', 'check only this operation').choices([...contract.operations.keys()]))
  .option('--junit <file>', 'also write a JUnit XML report')
  .parse()
const given = program.opts<CommandOptions>()

const baseUrl = given.baseUrl.replace(/\/+$/, '')
storeOptions({
  baseUrl,
  key: await readKey(given.key),
  ...(given.restrictedKey !== undefined && { restrictedKey: await readKey(given.restrictedKey) }),
  ...(given.only !== undefined && { only: given.only }),
  receiver: given.receiver,
  isProxied: given.proxied,
  isStateless: given.profile === 'stateless',
  progress: (line) => process.stderr.write(`… ${line}\n`),
})

const results = run({
  files: [path.join(import.meta.dirname, import.meta.filename.endsWith('.ts') ? 'checks.ts' : 'checks.js')],
  isolation: 'none',
  concurrency: false,
})
results.on('test:fail', () => {
  process.exitCode = 1
})
results.compose(new spec()).pipe(process.stdout)
if (given.junit !== undefined) await finished(results.compose(junit).pipe(createWriteStream(given.junit)))

/** Returns the key with its permissions. Ends the run if the server does not respond or rejects the key. */
async function readKey(secret: string): Promise<Key> {
  const response = await sendRequest(baseUrl, 'GET', '/api/ext/me', undefined, { key: secret }).catch(
    (error: NodeJS.ErrnoException) => {
      // If the host name has several addresses, the error has no message, only a code.
      return program.error(`${baseUrl} is not responding: ${error.message || error.code}`)
    },
  )
  if (response.status !== 200)
    program.error(`The server rejected the key: ${response.status} ${shortenBody(response.body)}`)
  return { secret, permissions: response.body.permissions }
}

/** Compares a version with a minimum such as `>=22.18`. */
function satisfiesMinimum(version: string, minimum: string): boolean {
  const [major = 0, minor = 0] = version.split('.').map(Number)
  const [leastMajor = 0, leastMinor = 0] = minimum.replace('>=', '').split('.').map(Number)
  return major > leastMajor || (major === leastMajor && minor >= leastMinor)
}
