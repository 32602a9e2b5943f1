import { toNodeHandler } from '@modelcontextprotocol/node'
import { createMcpHandler } from '@modelcontextprotocol/server'
import express, { type Request, type Response, type Router } from 'express'
import type { Logger } from 'pino'
import { newCall, type Surroundings } from '../http/call.ts'
import type { Door, Guest } from '../http/door.ts'
import { invalid, Problem, toProblem } from '../http/problem.ts'
import { wellKnown } from '../oauth/metadata.ts'
import { SCOPES } from '../oauth/scopes.ts'
import { serverFor, type Visit } from './server.ts'
import { toolsetOf } from './toolset.ts'

/**
 * `/mcp`: the skills for any client of the Model Context Protocol, over Streamable HTTP, in its revision of 2026-07-28
 * and those of 2025. No session is kept: each request brings its key, is let in, counted and logged as a call of
 * executeSkill is, and is answered by a server made for it alone. Whatever else authenticates that operation one day lets
 * people in here too.
 */
interface Parts {
  surroundings: Surroundings
  door: Door
  log: Logger
}

export function mcpRoutes({ surroundings, door, log }: Parts): Router {
  const handler = createMcpHandler(({ authInfo }) => serverFor(visitOf(authInfo)), {
    legacy: 'stateless',
    // Subscriptions would hold connections open to be told of changes that never come: the tools are those of the key.
    maxSubscriptions: 0,
    onerror: (error) => log.warn({ err: error }, 'a request to /mcp went wrong'),
  })
  // Where a client without a key learns who lets people in (RFC 9728).
  const metadata = wellKnown('oauth-protected-resource', `${surroundings.config.publicUrl}/mcp`)
  const challenge = `resource_metadata="${metadata}", scope="${SCOPES.join(' ')}"`
  const respond = toNodeHandler(handler, { onerror: (error) => log.error({ err: error }, '/mcp failed') })
  const routes = express.Router()
  routes.all('/mcp', (req, res, next) => {
    answer(req, res).catch(next)
  })
  return routes

  async function answer(req: Request, res: Response): Promise<void> {
    if (req.method !== 'POST') {
      // Clients of 2025 ask for a stream of notices by GET, and go on without one when there is none.
      const refused = new Problem('method_not_allowed', 'Send a POST with one JSON-RPC message.', {}, { Allow: 'POST' })
      await door.visit(req, res, 'executeSkill', () => Promise.reject(refused), challenge)
      return
    }
    const work = async (guest: Guest) => {
      if (Array.isArray(guest.body)) throw onlyOne()
      const call = newCall(surroundings, guest)
      const visit: Visit = { guest, call, toolset: toolsetOf(call, req.query.tools) }
      guest.running(methodOf(guest))
      const auth = { token: '', clientId: String(guest.principal.id), scopes: [], extra: { visit } }
      await respond(Object.assign(req, { auth }), res, guest.body)
    }
    await door.visit(req, res, 'executeSkill', work, challenge)
  }
}

// What the door has let in travels to the server through the one field that the library passes on as it is.
function visitOf(authInfo: { extra?: Record<string, unknown> } | undefined): Visit {
  const visit = authInfo?.extra?.visit
  if (visit === undefined) throw toProblem(new Error('Nobody comes to /mcp but through its door.'))
  return visit as Visit
}

/** Each message counts against the limits, so several in one request would go uncounted. */
function onlyOne(): Problem {
  return invalid([{ pointer: '', code: 'type', message: 'must be one JSON-RPC message, not a list of several' }])
}

function methodOf({ body }: Guest): string {
  const { method } = (body ?? {}) as { method?: unknown }
  return typeof method === 'string' && /^[\w/]{1,60}$/.test(method) ? `mcp ${method}` : 'mcp'
}
