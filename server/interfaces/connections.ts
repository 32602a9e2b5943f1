import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { getNetwork, getPeerAddress } from '../platform/calls/client-address.ts'
import type { Config } from '../platform/config/config.ts'

export interface ConnectionLimits {
  config: Pick<Config, 'maxConnections' | 'maxConnectionsPerAddress' | 'writeTimeoutMs'>
  /** Returns whether the address belongs to a trusted proxy, which forwards the requests of many clients. */
  isTrusted(address: string): boolean
}

/** Limits the connections to a server, in total and per address, and the time for which a client may read nothing. */
export function limitConnections(server: Server, { config, isTrusted }: ConnectionLimits): void {
  // All clients share file descriptors and memory. If either runs out, the system rejects every new client.
  server.maxConnections = config.maxConnections
  limitConnectionsPerAddress(server, config.maxConnectionsPerAddress, isTrusted)
  closeStalledConnections(server, config.writeTimeoutMs)
}

function limitConnectionsPerAddress(server: Server, max: number, isTrusted: (address: string) => boolean): void {
  const open = new Map<string, number>()
  server.on('connection', (socket: Socket) => {
    const address = getPeerAddress(socket)
    if (isTrusted(address)) return
    const network = getNetwork(address)
    const count = open.get(network) ?? 0
    // Closes the connection without a response, because a response would cost more than accepting the connection.
    if (count >= max) {
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
}

/**
 * Closes a connection if its client reads nothing for `timeoutMs`. The unread part of a response stays in memory until
 * the connection closes. The limits on connections and requests per address bound this memory.
 */
function closeStalledConnections(server: Server, timeoutMs: number): void {
  const responses = new WeakMap<Socket, ServerResponse>()
  server.on('request', ({ socket }: IncomingMessage, response: ServerResponse) => responses.set(socket, response))
  // Node restarts this timeout whenever the client has read some bytes. The timeout also applies to idle connections.
  server.setTimeout(timeoutMs, (socket: Socket) => {
    const response = responses.get(socket)
    // The client has read everything so far and is waiting for more. Other timeouts limit this wait.
    const isWaitingForUs = response !== undefined && !response.writableEnded && response.writableLength === 0
    if (!isWaitingForUs) socket.destroy()
  })
}
