import type { Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { Logger } from 'pino'
import type { Config } from './config.ts'
import { networkOf, peerAddress } from './http/client-address.ts'

/**
 * What clients can take of the process without a request of theirs being counted: connections, and the memory of answers
 * that they do not read. An answer belongs to us until the system has taken it, and the system takes no more than the
 * client reads, so whoever asks and does not read would make us keep all that it asked for.
 */
export interface Connections {
  /** Watches over the answers that are made with this prototype. */
  watch(response: Pick<ServerResponse, 'end'>): void
  /** Bytes of answers that nobody has taken yet. */
  readonly unreadBytes: number
}

export interface ConnectionParts {
  config: Pick<Config, 'maxConnections' | 'maxConnectionsPerAddress' | 'maxUnreadBytes' | 'writeTimeoutMs'>
  log: Logger
  /** Whether an address is a proxy that speaks for many. */
  isTrusted(address: string): boolean
}

/** What a connection keeps in our memory, and for which network. */
interface Held {
  network: string
  bytes: number
}

export function watchConnections(server: Server, { config, log, isTrusted }: ConnectionParts): Connections {
  const open = new Map<string, number>()
  // In the order in which they began to hold, so the first one of a network has held for longest.
  const held = new Map<Socket, Held>()
  let unreadBytes = 0

  // What there is of descriptors and memory is shared by all; the system refuses whoever comes when it is used up.
  server.maxConnections = config.maxConnections
  server.on('connection', (socket: Socket) => {
    const address = peerAddress(socket)
    if (isTrusted(address)) return
    const network = networkOf(address)
    const count = open.get(network) ?? 0
    // To answer would cost more than what is refused.
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

  // Node looks whether anything was taken meanwhile and then waits anew, so this is a time without any progress. It calls
  // here for idle connections, too.
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
      socket.once('close', () => release(socket, Number.POSITIVE_INFINITY))
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

  // Whoever holds most pays for it first: of the network that holds most, the connection that has held for longest. Nobody
  // else is refused or cut off because of it.
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
        // Nearly every answer is taken at once.
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

/** Whether a request came whole or in part and its answer has yet to be made; what takes that long has bounds of its own. */
function isWaitingForUs(socket: Socket): boolean {
  const { _httpMessage: answer } = socket as { _httpMessage?: ServerResponse | null }
  return answer !== undefined && answer !== null && !answer.writableEnded
}
