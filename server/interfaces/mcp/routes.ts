import express, { type Request, type Response, type Router } from 'express'
import type { Logger } from 'pino'
import { newCall, type Principal, type Surroundings } from '../../platform/calls/call.ts'
import { isDelegable } from '../../platform/keys/roles.ts'
import { invalid, Problem } from '../../platform/problems/problem.ts'
import type { Door, Guest } from '../http/door.ts'
import { wellKnown } from '../oauth/metadata.ts'
import { SCOPES } from '../oauth/scopes.ts'
import type { Respond } from './handler.ts'
import type { Visit } from './server.ts'
import { toolsetOf } from './toolset.ts'

/**
 * Serves the skills at `/mcp` for any client of the Model Context Protocol over Streamable HTTP, in its revision of
 * 2026-07-28 and those of 2025. There are no sessions: each request brings its key, is authenticated, counted and
 * logged like a call of executeSkill, and is answered by a server created for it alone. Every method that authenticates
 * that operation works here too.
 */
interface Parts {
  surroundings: Surroundings
  door: Door
  log: Logger
}

export function mcpRoutes({ surroundings, door, log }: Parts): Router {
  // Where a client without a key finds the authorization server (RFC 9728).
  const metadata = wellKnown('oauth-protected-resource', `${surroundings.config.publicUrl}/mcp`)
  const challenge = `resource_metadata="${metadata}", scope="${SCOPES.join(' ')}"`
  // The protocol's library occupies 30 MB, so it is loaded only when the first client connects.
  let respond: Promise<Respond> | null = null
  const routes = express.Router()
  routes.all('/mcp', (req, res, next) => {
    answer(req, res).catch(next)
  })
  return routes

  async function answer(req: Request, res: Response): Promise<void> {
    if (req.method !== 'POST') {
      // Clients of the 2025 revisions request a stream of notices with GET, and continue without one.
      const refused = new Problem(
        'method_not_allowed',
        'This endpoint only accepts POST. Send one JSON-RPC message.',
        {},
        { Allow: 'POST' },
      )
      await door.visit(req, res, 'executeSkill', () => Promise.reject(refused), challenge)
      return
    }
    const work = async (guest: Guest) => {
      if (Array.isArray(guest.body)) throw onlyOne()
      const call = newCall(surroundings, { ...guest, principal: withoutPersonal(guest.principal) })
      const visit: Visit = { guest, call, toolset: toolsetOf(call, req.query.tools) }
      guest.running(methodOf(guest))
      respond ??= import('./handler.ts').then(({ responding }) => responding(log))
      await (await respond)(req, res, visit)
    }
    await door.visit(req, res, 'executeSkill', work, challenge)
  }
}

/**
 * Returns the principal with only the permissions that can be delegated: a model reads every result of a tool and may
 * pass it on.
 */
function withoutPersonal(principal: Principal): Principal {
  return { ...principal, permissions: new Set([...principal.permissions].filter(isDelegable)) }
}

/** Each message counts against the limits, so a batch of messages in one request would go uncounted. */
function onlyOne(): Problem {
  return invalid([{ pointer: '', code: 'type', message: 'must be a single JSON-RPC message, not an array' }])
}

function methodOf({ body }: Guest): string {
  const { method } = (body ?? {}) as { method?: unknown }
  return typeof method === 'string' && /^[\w/]{1,60}$/.test(method) ? `mcp ${method}` : 'mcp'
}
