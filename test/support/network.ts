import { EventEmitter, once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

/** What lies between the service and PostgreSQL, and can lead elsewhere, or nowhere. */
export interface Network {
  /** The database's address through it. */
  url: string
  /** From now on, connections lead to this port. */
  lead(port: number): void
  /** Nothing that is said on the connections that there are arrives any more, and they stay open. */
  forget(): void
  /** Waits until the service sends this text, and then forgets all connections, so that no answer to it arrives. */
  forgetAt(text: string): Promise<void>
  /** Ends the connections that there are. */
  cut(): void
  close(): Promise<void>
}

export async function networkTo(url: string): Promise<Network> {
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
