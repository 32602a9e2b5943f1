import { EventEmitter, once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

/** The network between the service and PostgreSQL. A test can redirect or discard its traffic. */
export interface Network {
  /** The URL of the database over this network. */
  url: string
  /** Redirects new connections to this port. */
  lead(port: number): void
  /** Discards all further traffic on existing connections without closing them. */
  forget(): void
  /** Waits until the service sends this text. Then discards all traffic, so that the response never arrives. */
  forgetAt(text: string): Promise<void>
  /** Closes all existing connections. */
  cut(): void
  close(): Promise<void>
}

export async function createNetwork(url: string): Promise<Network> {
  const target = new URL(url)
  const open = new Set<Socket>()
  const sent = new EventEmitter()
  const server = createServer((near) => {
    const far = connect(Number(target.port), target.hostname)
    near.on('data', (bytes) => sent.emit('bytes', bytes))
    for (const [one, other] of [
      [near, far],
      [far, near],
    ] as const) {
      open.add(one)
      one.on('error', () => {})
      one.once('close', () => {
        open.delete(one)
        other.destroy()
      })
      one.pipe(other)
    }
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const own = new URL(url)
  own.port = String((server.address() as AddressInfo).port)
  const cut = () => {
    for (const socket of open) socket.destroy()
  }
  const forget = () => {
    for (const socket of open) socket.unpipe().pause()
  }
  return {
    url: own.href,
    lead(port) {
      target.port = String(port)
    },
    forget,
    forgetAt(text) {
      return new Promise((done) => {
        const look = (bytes: Buffer) => {
          if (!bytes.includes(text)) return
          sent.off('bytes', look)
          forget()
          done()
        }
        sent.on('bytes', look)
      })
    },
    cut,
    async close() {
      cut()
      await new Promise((done) => server.close(done))
    },
  }
}
