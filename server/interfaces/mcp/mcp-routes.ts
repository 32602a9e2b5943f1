import express, { type Request, type Response, type Router } from 'express'
import type { Logger } from 'pino'
import { newCall, type Principal, type Services } from '../../platform/calls/call.ts'
import { isDelegablePermission } from '../../platform/keys/roles.ts'
import { Problem, validationFailed } from '../../platform/problems/problem.ts'
import type { AdmittedRequest, ExternalAccess } from '../http/external-routes.ts'
import { wellKnownPath } from '../oauth/oauth-metadata.ts'
import { SCOPES } from '../oauth/scopes.ts'
import type { McpResponder } from './mcp-handler.ts'
import type { McpRequest } from './mcp-server.ts'
import { selectToolset } from './toolset.ts'

/**
 * Serves the skills at `/mcp` for any client of the Model Context Protocol over Streamable HTTP, in its revision of
 * 2026-07-28 and those of 2025. There are no sessions: each request brings its key, is authenticated, counted and
 * logged like a call of executeSkill, and is answered by a server created for it alone. Every method that authenticates
 * that operation works here too.
 */
interface McpRouteParts {
  services: Services
  door: ExternalAccess
  log: Logger
}

export function createMcpRoutes({ services, door, log }: McpRouteParts): Router {
  // Where a client without a key finds the authorization server (RFC 9728).
  const metadata = wellKnownPath('oauth-protected-resource', `${services.config.publicUrl}/mcp`)
  const challenge = `resource_metadata="${metadata}", scope="${SCOPES.join(' ')}"`
  // The protocol's library occupies 30 MB, so it is loaded only when the first client connects.
  let respond: Promise<McpResponder> | null = null
  const routes = express.Router()
  routes.all('/mcp', (req, res, next) => {
    response(req, res).catch(next)
  })
  return routes

  async function response(req: Request, res: Response): Promise<void> {
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
    const work = async (guest: AdmittedRequest) => {
      if (Array.isArray(guest.body)) throw assertSingleMessage()
      const call = newCall(services, { ...guest, principal: omitPersonalPermissions(guest.principal) })
      const visit: McpRequest = { guest, call, toolset: selectToolset(call, req.query.tools) }
      guest.running(getMethod(guest))
      respond ??= import('./mcp-handler.ts').then(({ createMcpResponder }) => createMcpResponder(log))
      await (await respond)(req, res, visit)
    }
    await door.visit(req, res, 'executeSkill', work, challenge)
  }
}

/**
 * Returns the principal with only the permissions that can be delegated: a model reads every result of a tool and may
 * pass it on.
 */
function omitPersonalPermissions(principal: Principal): Principal {
  return { ...principal, permissions: new Set([...principal.permissions].filter(isDelegablePermission)) }
}

/** Each message counts against the limits, so a batch of messages in one request would go uncounted. */
function assertSingleMessage(): Problem {
  return validationFailed([{ pointer: '', code: 'type', message: 'must be a single JSON-RPC message, not an array' }])
}

function getMethod({ body }: AdmittedRequest): string {
  const { method } = (body ?? {}) as { method?: unknown }
  return typeof method === 'string' && /^[\w/]{1,60}$/.test(method) ? `mcp ${method}` : 'mcp'
}
