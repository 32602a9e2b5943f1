import type { Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { Logger } from 'pino'
import type { Config } from './config.ts'
import { networkOf, peerAddress } from './http/client-address.ts'

/**
 * Bounds what clients can take from the process without their requests being counted: connections, and the memory of
 * responses that they do not read. A response stays in our memory until the system takes it, and the system takes no
 * more than the client reads, so a client that sends requests but never reads would make us keep every response.
 */
export interface Connections {
  /** Tracks the responses that are created with this prototype. */
  watch(response: Pick<ServerResponse, 'end'>): void
  /** Bytes of responses that have not been taken yet. */
  readonly unreadBytes: number
}

export interface ConnectionParts {
  config: Pick<Config, 'maxConnections' | 'maxConnectionsPerAddress' | 'maxUnreadBytes' | 'writeTimeoutMs'>
  log: Logger
  /** Whether an address is a proxy that speaks for many clients. */
  isTrusted(address: string): boolean
}

/** What a connection keeps in our memory, and for which network. */
interface Held {
  network: string
  bytes: number
}

export function watchConnections(server: Server, { config, log, isTrusted }: ConnectionParts): Connections {
  const open = new Map<string, number>()
  // In the order in which they began to hold memory, so the first of a network has held it longest.
  const held = new Map<Socket, Held>()
  let unreadBytes = 0

  // File descriptors and memory are shared by all; once they are used up the system refuses every newcomer.
  server.maxConnections = config.maxConnections
  server.on('connection', (socket: Socket) => {
    // Once for each connection, which may hold memory again and again.
    socket.once('close', () => release(socket, Number.POSITIVE_INFINITY))
    const address = peerAddress(socket)
    if (isTrusted(address)) return
    const network = networkOf(address)
    const count = open.get(network) ?? 0
    // A response would cost more than what it refuses.
    if (count >= config.maxConnectionsPerAddress) {
      socket.destroy()
      return
    }
    open.set(network, count + 1)
    socket.once('close', () => {
      const left = (open.get(network) ?? 1) - 1
      if (left === 0) open.delete(network)
      else open.set(network, left)
    })
  })

  // Node checks whether anything was taken in the meantime and then restarts the timeout, so this is a period without
  // any progress. It also fires for idle connections.
  server.setTimeout(config.writeTimeoutMs, (socket: Socket) => {
    if (isWaitingForUs(socket)) return
    const waiting = held.get(socket)
    if (waiting !== undefined) log.info({ ...waiting }, 'nobody reads this answer')
    socket.destroy()
  })

  function hold(response: ServerResponse): void {
    const { socket } = response.req
    const bytes = response.writableLength
    if (socket.destroyed || bytes === 0) return
    let holding = held.get(socket)
    if (holding === undefined) {
      holding = { network: networkOf(peerAddress(socket)), bytes: 0 }
      held.set(socket, holding)
    }
    holding.bytes += bytes
    unreadBytes += bytes
    response.once('close', () => release(socket, bytes))
    while (unreadBytes > config.maxUnreadBytes && held.size > 0) dropSlowest()
  }

  function release(socket: Socket, bytes: number): void {
    const holding = held.get(socket)
    if (holding === undefined) return
    const released = Math.min(bytes, holding.bytes)
    holding.bytes -= released
    unreadBytes -= released
    if (holding.bytes === 0) held.delete(socket)
  }

  // The heaviest user pays first: of the network that holds the most memory, we drop the connection that has held its
  // share longest. Nobody else is refused or cut off.
  function dropSlowest(): void {
    const byNetwork = new Map<string, number>()
    for (const { network, bytes } of held.values()) byNetwork.set(network, (byNetwork.get(network) ?? 0) + bytes)
    const [greediest] = [...byNetwork].reduce((most, each) => (each[1] > most[1] ? each : most))
    for (const [socket, { network, bytes }] of held) {
      if (network !== greediest) continue
      log.warn({ network, bytes, unreadBytes }, 'too many answers are not read; the slowest reader is cut off')
      release(socket, bytes)
      socket.destroy()
      return
    }
  }

  return {
    watch(response) {
      const { end } = response
      function watchedEnd(this: ServerResponse, ...parts: Parameters<typeof end>): ServerResponse {
        Reflect.apply(end, this, parts)
        // Nearly every response is taken at once.
        if (!this.writableFinished) hold(this)
        return this
      }
      response.end = watchedEnd as typeof end
    },
    get unreadBytes() {
      return unreadBytes
    },
  }
}

/** Whether a request has at least begun to arrive and has no response yet; that time is bounded elsewhere. */
function isWaitingForUs(socket: Socket): boolean {
  const { _httpMessage: answer } = socket as { _httpMessage?: ServerResponse | null }
  return answer !== undefined && answer !== null && !answer.writableEnded
}
