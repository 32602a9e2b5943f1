import { Command, InvalidArgumentError } from 'commander'
import { typeid } from 'typeid-js'
import { findExamplePayload } from '../server/platform/events/event-types.ts'
import type { EventType } from '../server/platform/events/record-event.ts'
import { signPayload } from '../server/platform/webhooks/signature.ts'
import { decodeSecret } from '../server/platform/webhooks/webhook-secret.ts'
import { readCurrentContract } from './current-contract.ts'

/**
 * Sends events to a receiver that is under development. Each event is an example from the contract with a new ID and
 * the current time, and is signed with the receiver's secret.
 *
 *     npm run mock:webhooks -- --url http://localhost:8080/hooks --type bid.submitted
 *     npm run mock:webhooks -- --url … --type bid.submitted --type po.created --secret whsec_…
 *     npm run mock:webhooks -- --url … --type '*'            one of every type
 *
 * Exits with 1 unless each response had a status from 200 to 299. Failed requests are not retried.
 */
const contract = readCurrentContract()
const knownTypes = Object.keys(contract.document.webhooks ?? {}) as EventType[]

const options = new Command('mock:webhooks')
  .description('Send signed events to a receiver, as the service does.')
  .requiredOption('--url <url>', 'URL of the receiver, such as http://localhost:8080/hooks', parseUrl)
  .requiredOption('--type <type>', `event type; can be repeated; '*' sends one event of each type`, parseTypes)
  // Every machine uses the same default secret, so a receiver needs to be set up only once. This secret protects
  // nothing.
  .option('--secret <secret>', 'signing secret', `whsec_${Buffer.from('plumbline mock webhooks!').toString('base64')}`)
  .parse()
  .opts<{ url: string; type: EventType[]; secret: string }>()

console.log(`Signed with ${options.secret}`)
let refused = 0
for (const type of options.type) refused += (await sendEvent(options.url, type)) ? 0 : 1
if (refused > 0) process.exitCode = 1

async function sendEvent(url: string, type: EventType): Promise<boolean> {
  const id = typeid('evt').toString()
  const now = new Date()
  const event = {
    ...findExamplePayload(contract, type),
    id,
    timestamp: now.toISOString(),
    apiVersion: contract.version,
  }
  const body = Buffer.from(JSON.stringify(event))
  const timestamp = Math.floor(now.getTime() / 1000)
  const signed = signPayload([decodeSecret(options.secret)], id, timestamp, body)
  const headers = {
    'content-type': 'application/json',
    'user-agent': 'Plumbline-Webhooks/1',
    'webhook-id': id,
    'webhook-timestamp': String(timestamp),
    'webhook-signature': signed,
    'X-Webhook-Signature': signed,
  }
  const started = performance.now()
  try {
    // As in the service, the timeout is ten seconds, and redirects are not followed.
    const response = await fetch(url, {
      method: 'POST',
      headers,
      body,
      redirect: 'manual',
      signal: AbortSignal.timeout(10_000),
    })
    const said = response.ok ? '' : `: ${(await response.text()).slice(0, 1024)}`
    console.log(`${type} ${id} → ${response.status} in ${Math.round(performance.now() - started)} ms${said}`)
    return response.ok
  } catch (error) {
    const { message, cause } = error as Error
    console.log(`${type} ${id} → no response: ${(cause as Error | undefined)?.message || message}`)
    return false
  }
}

function parseUrl(text: string): string {
  if (!URL.canParse(text)) throw new InvalidArgumentError('The value must be a URL.')
  return text
}

function parseTypes(text: string, before: EventType[] = []): EventType[] {
  if (text === '*') return knownTypes
  const type = knownTypes.find((one) => one === text)
  if (type === undefined)
    throw new InvalidArgumentError(`Unknown event type. Available types: ${knownTypes.join(', ')}.`)
  return [...new Set([...before, type])]
}
