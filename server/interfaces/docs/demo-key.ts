import { readFileSync } from 'node:fs'
import path from 'node:path'
import type { RequestHandler } from 'express'
import ipaddr from 'ipaddr.js'
import { getPeerAddress } from '../../platform/calls/client-address.ts'
import type { Config } from '../../platform/config/config.ts'

/**
 * Returns the demo builder's API key as `{ key }` for the forms in the API reference, or 204 without a body if there is
 * no key. Only a service with a demo builder returns the key, and only to its own pages in a browser on the same
 * machine.
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
 * Returns whether the request came from a page of this service in a browser on this machine. Returns false for other
 * host names that resolve to this machine (DNS rebinding), and if the headers show a proxy or tunnel.
 */
function isLocalRequest({ socket, headers }: Parameters<RequestHandler>[0]): boolean {
  const isPassedOn =
    headers.forwarded !== undefined || Object.keys(headers).some((name) => name.startsWith('x-forwarded'))
  const { host = '' } = headers
  return (
    !isPassedOn &&
    headers['sec-fetch-site'] === 'same-origin' &&
    isLoopback(getPeerAddress(socket)) &&
    /^(localhost|127\.0\.0\.1|\[::1\])(:\d+)?$/.test(host)
  )
}

function isLoopback(address: string): boolean {
  return ipaddr.isValid(address) && ipaddr.parse(address).range() === 'loopback'
}

/** Reads the key at each request, because the demo builder may be created after the service has started. */
function readDemoKey(dataDir: string): string | null {
  try {
    const { key } = JSON.parse(readFileSync(path.join(dataDir, 'demo.json'), 'utf8')) as { key?: unknown }
    return typeof key === 'string' ? key : null
  } catch {
    return null
  }
}
