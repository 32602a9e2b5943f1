import { createHash, randomBytes } from 'node:crypto'
import type { RequestOptions, TestPlumbline } from './test-plumbline.ts'

/** An app that asks users to let it act on their behalf. Like third-party programs, it uses only HTTP. */
export interface OauthApp {
  readonly clientId: string
  /** Returns the URL at which the user authorizes the app. */
  address(changes?: Record<string, string | null>): string
  /** Exchanges a code or a refresh token. Returns the tokens or the error. */
  // biome-ignore lint/suspicious/noExplicitAny: the tests inspect the response without types.
  token(fields: Record<string, string>): Promise<{ status: number; body: any }>
}

export const REDIRECT = 'http://127.0.0.1:7777/callback'
export const VERIFIER = randomBytes(32).toString('base64url')

export async function createOauthApp(plumbline: TestPlumbline, metadata: object = {}): Promise<OauthApp> {
  const { body } = await registerApp(plumbline, { client_name: 'Claude', redirect_uris: [REDIRECT], ...metadata })
  const clientId = body.client_id as string
  return {
    clientId,
    address(changes = {}) {
      const parameters = new URLSearchParams({
        ...{ response_type: 'code', client_id: clientId, redirect_uri: REDIRECT, state: 'their-state' },
        ...{ code_challenge: createHash('sha256').update(VERIFIER).digest('base64url'), code_challenge_method: 'S256' },
        resource: `${plumbline.config.publicUrl}/mcp`,
      })
      for (const [name, value] of Object.entries(changes)) {
        if (value === null) parameters.delete(name)
        else parameters.set(name, value)
      }
      return `/oauth/authorize?${parameters}`
    },
    token: (fields) => postForm(plumbline, '/oauth/token', { client_id: clientId, ...fields }),
  }
}

// biome-ignore lint/suspicious/noExplicitAny: the tests inspect the response without types.
export async function registerApp({ url }: TestPlumbline, metadata: unknown): Promise<{ status: number; body: any }> {
  const response = await fetch(`${url}/oauth/register`, {
    ...{ method: 'POST', headers: { 'content-type': 'application/json' } },
    body: typeof metadata === 'string' ? metadata : JSON.stringify(metadata),
  })
  return { status: response.status, body: await response.json() }
}

export async function postForm(
  { url }: TestPlumbline,
  path: string,
  fields: Record<string, string>,
  // biome-ignore lint/suspicious/noExplicitAny: the tests inspect the response without types.
): Promise<{ status: number; body: any }> {
  const response = await fetch(url + path, { method: 'POST', body: new URLSearchParams(fields) })
  const body = await response.text()
  return { status: response.status, body: body === '' ? null : JSON.parse(body) }
}

export interface ConsentDecision {
  decision?: 'allow' | 'refuse'
  /** The permissions that the user selects. By default, the user selects all offered permissions. */
  permissions?: readonly string[]
  proposeOnly?: boolean
  ticket?: string
}

/** Requests the consent page as the user. */
export async function openConsentPage({ url }: TestPlumbline, address: string, person: RequestOptions) {
  const response = await fetch(new URL(address, url), { redirect: 'manual', headers: person.headers ?? {} })
  const html = await response.text()
  return {
    ...{ status: response.status, headers: response.headers, html, location: response.headers.get('location') ?? '' },
    ticket: /name="ticket" value="([^"]+)"/.exec(html)?.[1] ?? '',
    offered: [...html.matchAll(/name="permission" value="([^"]+)"/g)].map(([, permission]) => String(permission)),
  }
}

/** Submits the user's decision. Returns the response with its redirect. */
export async function submitDecision(
  plumbline: TestPlumbline,
  address: string,
  person: RequestOptions,
  { decision = 'allow', permissions, proposeOnly = false, ticket }: ConsentDecision = {},
) {
  const page = await openConsentPage(plumbline, address, person)
  const fields = new URLSearchParams({ ticket: ticket ?? page.ticket, decision })
  for (const permission of permissions ?? page.offered) fields.append('permission', permission)
  if (proposeOnly) fields.set('proposeOnly', 'yes')
  const response = await fetch(`${plumbline.url}/oauth/authorize`, {
    ...{ method: 'POST', redirect: 'manual', body: fields },
    headers: person.headers ?? {},
  })
  const location = response.headers.get('location') ?? ''
  const led = location === '' ? new URLSearchParams() : new URL(location).searchParams
  return { status: response.status, location, led, html: await response.text() }
}

/** Connects an app as the user and returns its tokens. */
export async function connectApp(
  plumbline: TestPlumbline,
  app: OauthApp,
  person: RequestOptions,
  decision: ConsentDecision = {},
  changes: Record<string, string | null> = {},
): Promise<{ key: string; refresh: string; scope: string }> {
  const { led, html } = await submitDecision(plumbline, app.address(changes), person, decision)
  const code = led.get('code')
  if (code === null) throw new Error(`No code came back: ${led} ${html}`)
  const { body } = await app.token({ grant_type: 'authorization_code', code, code_verifier: VERIFIER })
  return { key: body.access_token, refresh: body.refresh_token, scope: body.scope }
}
