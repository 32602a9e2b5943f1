import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { verifyWebhook, type WebhookEvent, WebhookVerificationError } from '../client/webhooks.ts'

/**
 * A minimal webhook receiver on this machine. It accepts only requests that are signed with its secret, and responds
 * with 204. If a delivery arrives twice, it is counted once.
 */
export interface Receiver {
  readonly url: string
  readonly events: ReadonlyMap<string, WebhookEvent>
  /** The requests with a wrong signature. There should be none. */
  readonly refused: readonly string[]
  /** Resolves when all of these events have arrived. Rejects after `seconds`. */
  hears(ids: readonly string[], seconds: number): Promise<void>
  close(): Promise<void>
}

export async function startDemoReceiver(secret: string, onEvent: (event: WebhookEvent) => void): Promise<Receiver> {
  const events = new Map<string, WebhookEvent>()
  const refused: string[] = []
  const waiting = new Set<() => void>()

  const server = createServer((request, response) => {
    receive(request).then(
      (status) => response.writeHead(status).end(),
      () => response.writeHead(500).end(),
    )
  })

  async function receive(request: IncomingMessage): Promise<number> {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    try {
      const event = await verifyWebhook({ headers: request.headers, body: Buffer.concat(chunks) }, secret)
      if (!events.has(event.id)) {
        events.set(event.id, event)
        onEvent(event)
      }
    } catch (error) {
      if (!(error instanceof WebhookVerificationError)) throw error
      refused.push(error.message)
      return 400
    } finally {
      for (const look of waiting) look()
    }
    return 204
  }

  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(0, '127.0.0.1', resolve)
  })
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}/plumbline`,
    events,
    refused,
    hears: (ids, seconds) =>
      new Promise((resolve, reject) => {
        const timer = setTimeout(() => settle(false), seconds * 1000)
        const look = () => {
          if (ids.every((id) => events.has(id))) settle(true)
        }
        function settle(heard: boolean): void {
          clearTimeout(timer)
          waiting.delete(look)
          const missing = ids.filter((id) => !events.has(id)).length
          if (heard) resolve()
          else reject(new Error(`${missing} of ${ids.length} events did not arrive within ${seconds} seconds.`))
        }
        waiting.add(look)
        look()
      }),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}
