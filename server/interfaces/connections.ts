import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { getNetwork, peerAddressOf } from '../platform/calls/client-address.ts'
import type { Config } from '../platform/config/config.ts'

export interface ConnectionLimits {
  config: Pick<Config, 'maxConnections' | 'maxConnectionsPerAddress' | 'writeTimeoutMs'>
  /** Whether the address belongs to a trusted proxy, which speaks for many clients. */
  isTrusted(address: string): boolean
}

/** Limits the connections to a server, in total and from one address, and how long a client may read nothing. */
export function limitConnections(server: Server, { config, isTrusted }: ConnectionLimits): void {
  // All clients share file descriptors and memory. Once they are used up, the system rejects every new client.
  server.maxConnections = config.maxConnections
  limitConnectionsPerAddress(server, config.maxConnectionsPerAddress, isTrusted)
  closeStalledConnections(server, config.writeTimeoutMs)
}

function limitConnectionsPerAddress(server: Server, max: number, isTrusted: (address: string) => boolean): void {
  const open = new Map<string, number>()
  server.on('connection', (socket: Socket) => {
    const address = peerAddressOf(socket)
    if (isTrusted(address)) return
    const network = getNetwork(address)
    const count = open.get(network) ?? 0
    // Sending a response would cost more than the connection.
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
 * Closes connections whose client has read nothing for the timeout. The unread part of a response stays in memory until
 * then; its size is bounded by the number of connections and requests that one address may have.
 */
function closeStalledConnections(server: Server, timeoutMs: number): void {
  const responses = new WeakMap<Socket, ServerResponse>()
  server.on('request', ({ socket }: IncomingMessage, response: ServerResponse) => responses.set(socket, response))
  // Node restarts this timeout whenever the client has read some bytes. It also fires for idle connections.
  server.setTimeout(timeoutMs, (socket: Socket) => {
    const response = responses.get(socket)
    // The client has read everything written so far and waits for the rest, which other timeouts bound.
    const isWaitingForUs = response !== undefined && !response.writableEnded && response.writableLength === 0
    if (!isWaitingForUs) socket.destroy()
  })
}
