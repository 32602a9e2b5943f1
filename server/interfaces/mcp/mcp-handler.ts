import type { IncomingMessage, ServerResponse } from 'node:http'
import { toNodeHandler } from '@modelcontextprotocol/node'
import { createMcpHandler } from '@modelcontextprotocol/server'
import type { Logger } from 'pino'
import { toProblem } from '../../platform/problems/problem.ts'
import { createMcpServer, type McpRequest } from './mcp-server.ts'

/** Responds to an authenticated request, with a server that is created only for this request. */
export type McpResponder = (req: IncomingMessage, res: ServerResponse, visit: McpRequest) => Promise<void>

export function createMcpResponder(log: Logger): McpResponder {
  const handler = createMcpHandler(({ authInfo }) => createMcpServer(getVisit(authInfo)), {
    legacy: 'stateless',
    // Allows no subscriptions. The list of tools depends only on the API key and never changes, so a subscription would
    // only keep a connection open.
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

// Returns the request's own data, which is passed to the server in the only field that the library passes on unchanged.
function getVisit(authInfo: { extra?: Record<string, unknown> } | undefined): McpRequest {
  const visit = authInfo?.extra?.visit
  if (visit === undefined) throw toProblem(new Error('Expected every request to /mcp to be authenticated first.'))
  return visit as McpRequest
}
