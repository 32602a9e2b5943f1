import type { IncomingMessage, ServerResponse } from 'node:http'
import { toNodeHandler } from '@modelcontextprotocol/node'
import { createMcpHandler } from '@modelcontextprotocol/server'
import type { Logger } from 'pino'
import { toProblem } from '../../platform/problems/problem.ts'
import { serverFor, type Visit } from './server.ts'

/** Answers an authenticated request with a server created for it alone. */
export type Respond = (req: IncomingMessage, res: ServerResponse, visit: Visit) => Promise<void>

export function responding(log: Logger): Respond {
  const handler = createMcpHandler(({ authInfo }) => serverFor(visitOf(authInfo)), {
    legacy: 'stateless',
    // The list of tools depends only on the key and never changes, so subscriptions would only keep connections open.
    maxSubscriptions: 0,
    onerror: (error) => log.warn({ err: error }, 'a request to /mcp failed'),
  })
  const respond = toNodeHandler(handler, { onerror: (error) => log.error({ err: error }, '/mcp failed') })
  return async (req, res, visit) => {
    const { principal, body } = visit.guest
    const auth = { token: '', clientId: String(principal.id), scopes: [], extra: { visit } }
    await respond(Object.assign(req, { auth }), res, body)
  }
}

// The visit travels to the server through the one field that the library passes on unchanged.
function visitOf(authInfo: { extra?: Record<string, unknown> } | undefined): Visit {
  const visit = authInfo?.extra?.visit
  if (visit === undefined) throw toProblem(new Error('Expected every request to /mcp to be authenticated first.'))
  return visit as Visit
}
