import { readFileSync } from 'node:fs'
import path from 'node:path'
import type { RequestHandler } from 'express'
import ipaddr from 'ipaddr.js'
import { peerAddressOf } from '../../platform/calls/client-address.ts'
import type { Config } from '../../platform/config/config.ts'

/**
 * Returns the demo builder's key for the forms of the reference as `{ key }`, or 204 without a body if there is no key
 * to give. Only a service with a demo builder gives it, and only to its own pages in a browser on the same machine.
 */
export function createDemoKeyRoute(config: Pick<Config, 'demo' | 'dataDir'>): RequestHandler {
  return (req, res) => {
    const key = config.demo && isLocalRequest(req) ? readDemoKey(config.dataDir) : null
    res.set({ 'Cache-Control': 'no-store', 'X-Content-Type-Options': 'nosniff' })
    if (key === null) res.status(204).end()
    else res.json({ key })
  }
}

/**
 * Whether a browser on this machine requests a page of this service. A foreign host name that resolves to this machine
 * (DNS rebinding) is not among its own names, and proxies and tunnels reveal themselves by their headers.
 */
function isLocalRequest({ socket, headers }: Parameters<RequestHandler>[0]): boolean {
  const isPassedOn =
    headers.forwarded !== undefined || Object.keys(headers).some((name) => name.startsWith('x-forwarded'))
  const { host = '' } = headers
  return (
    !isPassedOn &&
    headers['sec-fetch-site'] === 'same-origin' &&
    isLoopback(peerAddressOf(socket)) &&
    /^(localhost|127\.0\.0\.1|\[::1\])(:\d+)?$/.test(host)
  )
}

function isLoopback(address: string): boolean {
  return ipaddr.isValid(address) && ipaddr.parse(address).range() === 'loopback'
}

/** Reads the key each time, because the demo builder may be created after the first request. */
function readDemoKey(dataDir: string): string | null {
  try {
    const { key } = JSON.parse(readFileSync(path.join(dataDir, 'demo.json'), 'utf8')) as { key?: unknown }
    return typeof key === 'string' ? key : null
  } catch {
    return null
  }
}
