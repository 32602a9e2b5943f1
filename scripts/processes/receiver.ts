import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** A webhook receiver on a free port. It stores the requests that it receives and responds as the test specifies. */
export interface Receiver {
  url: string
  readonly received: ReceivedRequest[]
  /** Sets how to respond to later requests. The default is 204. */
  answer(how: (received: ReceivedRequest, response: ServerResponse) => void): void
  /** Waits until this number of requests has arrived, or until the condition is true for the received requests. */
  until(holds: number | ((received: ReceivedRequest[]) => boolean)): Promise<ReceivedRequest[]>
  close(): Promise<void>
}

export interface ReceivedRequest {
  method: string
  path: string
  headers: IncomingHttpHeaders
  body: string
  // biome-ignore lint/suspicious/noExplicitAny: a test asserts on whatever came over the wire.
  event: any
  atMs: number
}

export async function startReceiver(): Promise<Receiver> {
  const received: ReceivedRequest[] = []
  const waiting = new Set<() => void>()
  let how: Parameters<Receiver['answer']>[0] = (_received, response) => {
    response.writeHead(204).end()
  }
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const body = Buffer.concat(chunks).toString('utf8')
      const one = {
        method: request.method ?? '',
        path: request.url ?? '',
        headers: request.headers,
        body,
        event: parseBody(body),
        atMs: Date.now(),
      }
      received.push(one)
      how(one, response)
      for (const look of waiting) look()
    })
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hooks`,
    received,
    answer(next) {
      how = next
    },
    until(holds) {
      const isThere = () => (typeof holds === 'number' ? received.length >= holds : holds(received))
      return new Promise((done, fail) => {
        const look = () => {
          if (!isThere()) return
          clearTimeout(timer)
          waiting.delete(look)
          done(received)
        }
        const timer = setTimeout(() => {
          waiting.delete(look)
          fail(new Error(`Received ${received.length} requests, but not the expected ones.`))
        }, 15_000)
        waiting.add(look)
        look()
      })
    },
    async close() {
      server.closeAllConnections()
      await new Promise((done) => server.close(done))
    },
  }
}

function parseBody(body: string): unknown {
  try {
    return JSON.parse(body)
  } catch {
    return null
  }
}
