import express, { type Request, type Response, type Router } from 'express'
import type { Logger } from 'pino'
import { createCall, type Principal, type Services } from '../../platform/calls/call.ts'
import { isDelegablePermission } from '../../platform/keys/roles.ts'
import { Problem, validationFailed } from '../../platform/problems/problem.ts'
import type { AdmittedRequest, ExternalAccess } from '../http/external-routes.ts'
import { toWellKnownUrl } from '../oauth/oauth-metadata.ts'
import { SCOPES } from '../oauth/scopes.ts'
import type { McpResponder } from './mcp-handler.ts'
import type { McpRequest } from './mcp-server.ts'
import { selectToolset } from './toolset.ts'

/**
 * Serves the skills at `/mcp` to clients of the Model Context Protocol over Streamable HTTP. The supported revisions
 * are 2026-07-28 and those of 2025. There are no sessions: each request includes its API key, and the service creates a
 * server only for that request. The service authenticates, counts, and logs each request like a call of executeSkill,
 * and accepts the same authentication methods.
 */
interface McpRouteParts {
  services: Services
  door: ExternalAccess
  log: Logger
}

export function createMcpRoutes({ services, door, log }: McpRouteParts): Router {
  // The URL at which a client without an API key finds the authorization server (RFC 9728).
  const metadata = toWellKnownUrl('oauth-protected-resource', `${services.config.publicUrl}/mcp`)
  const challenge = `resource_metadata="${metadata}", scope="${SCOPES.join(' ')}"`
  // The protocol's library uses 30 MB of memory, so it is loaded when the first client connects.
  let respond: Promise<McpResponder> | null = null
  const routes = express.Router()
  routes.all('/mcp', (req, res, next) => {
    response(req, res).catch(next)
  })
  return routes

  async function response(req: Request, res: Response): Promise<void> {
    if (req.method !== 'POST') {
      // Clients of the 2025 revisions use GET to request a stream of notifications. If the request is rejected, they
      // continue without the stream.
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
      const call = createCall(services, { ...guest, principal: omitPersonalPermissions(guest.principal) })
      const visit: McpRequest = { guest, call, toolset: selectToolset(call, req.query.tools) }
      guest.running(getMethod(guest))
      respond ??= import('./mcp-handler.ts').then(({ createMcpResponder }) => createMcpResponder(log))
      await (await respond)(req, res, visit)
    }
    await door.visit(req, res, 'executeSkill', work, challenge)
  }
}

/**
 * Returns the principal with only the permissions that can be delegated. A model reads every tool result and may pass
 * it on.
 */
function omitPersonalPermissions(principal: Principal): Principal {
  return { ...principal, permissions: new Set([...principal.permissions].filter(isDelegablePermission)) }
}

/**
 * Returns the problem for an array of messages. A request must contain only one message, because every message must
 * count toward the limits.
 */
function assertSingleMessage(): Problem {
  return validationFailed([{ pointer: '', code: 'type', message: 'must be a single JSON-RPC message, not an array' }])
}

function getMethod({ body }: AdmittedRequest): string {
  const { method } = (body ?? {}) as { method?: unknown }
  return typeof method === 'string' && /^[\w/]{1,60}$/.test(method) ? `mcp ${method}` : 'mcp'
}
