import { hkdfSync } from 'node:crypto'
import type { KyselyPlugin } from 'kysely'
import { typeid } from 'typeid-js'
import { isHttps, readCookie } from '../calls/host-cookie.ts'
import type { Config } from '../config/config.ts'
import type { Database } from '../database/database.ts'
import { validationFailed } from '../problems/problem.ts'
import type { Clock } from '../runtime/clock.ts'
import { getSessionCookieName } from './session-cookie.ts'

/**
 * Manages identities for sign-in. An identity is an email address. An identity represents all users with that address,
 * one in each of several organizations. The library better-auth creates and redeems sign-in links, signs the cookie,
 * and stores the sessions. For each request, principals.ts determines which user a session represents.
 *
 * The service does not expose the routes of better-auth. Instead, operations of the contract call it in this process,
 * so that limits, same-origin checks, and problems are the same as for all other operations.
 */
export interface Identity {
  /**
   * Creates a sign-in link for this email address, which works once. The caller must ensure that the address belongs to
   * a user. Use only a few different values of `lifeMs`, because each of them requires its own instance of better-auth.
   * Throws `validation_failed` if better-auth does not accept the email address.
   */
  makeLink(email: string, lifeMs: number): Promise<SignInLink>
  /** Redeems a sign-in link and opens a session; returns null if the link was used, has expired, or never existed. */
  redeem(token: string, from: { address: string | null; device: string | null }): Promise<OpenedSession | null>
  /**
   * Opens a session for this email address after its owner has proved ownership without a link; returns null if no user
   * has the address.
   */
  admit(email: string, from: { address: string | null; device: string | null }): Promise<OpenedSession | null>
  /** Returns the session that belongs to this cookie; null if there is none or it has ended. */
  find(cookie: string): Promise<SessionState | null>
  /** Extends the session, and returns it with the cookie to set; null if the session has ended. */
  lengthen(cookie: string): Promise<OpenedSession | null>
  /** The `Set-Cookie` header that deletes the cookie. */
  readonly clearing: string
}

export interface SignInLink {
  url: string
  expiresAt: Date
}

/** A stored session, and the cookie that identifies it in requests. */
export interface SessionState {
  readonly id: string
  readonly identityId: string
  /** The email address in lowercase. */
  readonly email: string
  readonly cookie: string
  readonly activeOrganizationId: string | null
  readonly createdAt: Date
  readonly updatedAt: Date
  readonly expiresAt: Date
}

export interface OpenedSession {
  session: SessionState
  setCookie: string
}

const DAY_S = 86_400

/** The time in seconds after which an unused session ends, and the interval at which a session in use is extended. */
const SESSION_LIFETIME_S = 14 * DAY_S
export const SESSION_EXTENSION_INTERVAL_MS = DAY_S * 1000

/** The lifetime of a link that is redeemed immediately, in milliseconds. */
const INTERNAL_LINK_MS = 60_000

/**
 * Returns the URL of the page on which the user clicks to redeem a sign-in link. The token is after the #, so it is
 * never sent to a server or a proxy.
 */
export function toSignInUrl(publicUrl: string, token: string): string {
  return `${publicUrl}/sign-in#token=${token}`
}

export function createIdentityService({
  database,
  clock,
  config,
}: {
  database: Database
  clock: Clock
  config: Config
}): Identity {
  const cookieName = getSessionCookieName(config.publicUrl)
  const secure = isHttps(config.publicUrl) || !isLoopback(new URL(config.publicUrl).hostname)
  const db = database.statements.withPlugin(new TimestampPlugin())
  // The secret depends on the encryption key, so replacing the key signs out all users, which is intended.
  const secret = Buffer.from(hkdfSync('sha256', config.encryptionKey, '', 'plumbline sessions', 32)).toString('hex')

  /** Returns an instance of better-auth whose links have this lifetime. */
  async function open(lifeS: number) {
    // Load better-auth at the first sign-in, so that a service for programs only does not load it.
    const [{ betterAuth }, { magicLink }] = await Promise.all([
      import('better-auth'),
      import('better-auth/plugins/magic-link'),
    ])
    return betterAuth({
      baseURL: config.publicUrl,
      secret,
      database: { db, type: 'postgres' },
      telemetry: { enabled: false },
      logger: { disabled: true },
      user: { modelName: 'identities' },
      session: {
        modelName: 'sessions',
        fields: { userId: 'identityId' },
        expiresIn: SESSION_LIFETIME_S,
        updateAge: DAY_S,
        additionalFields: { activeOrganizationId: { type: 'string', required: false, input: false } },
      },
      verification: { modelName: 'signInLinks' },
      advanced: {
        cookies: { session_token: { name: cookieName, attributes: { secure } } },
        // The name of the cookie already has the prefix of Plumbline, so better-auth must not add its own.
        useSecureCookies: false,
        ipAddress: { ipAddressHeaders: [ADDRESS_HEADER] },
        database: {
          generateId: ({ model }) => typeid(PREFIXES[model] ?? 'idn').toString(),
          // There are no tables for external accounts or passwords, because users do not sign in with them.
          validateSchema: false,
        },
      },
      plugins: [
        magicLink({
          expiresIn: lifeS,
          storeToken: 'hashed',
          sendMagicLink: ({ token, metadata }) => (metadata as LinkRequest).made(token),
        }),
      ],
    })
  }

  function cookieHeader(cookie: string): Headers {
    return new Headers({ cookie: `${cookieName}=${cookie}` })
  }

  /** Returns the value of the header that sets the session cookie; empty if there is none. */
  function setCookieOf(headers: Headers): string {
    return headers.getSetCookie().find((each) => each.startsWith(`${cookieName}=`)) ?? ''
  }

  const opened = new Map<number, ReturnType<typeof open>>()
  function auth(lifeS = SESSION_LIFETIME_S) {
    const found = opened.get(lifeS) ?? open(lifeS)
    opened.set(lifeS, found)
    return found
  }

  /** Converts a session of better-auth. */
  function stateOf(found: FoundSession, email: string, cookie: string): SessionState {
    const { id, userId, activeOrganizationId = null, createdAt, updatedAt, expiresAt } = found
    return { id, identityId: userId, email, cookie, activeOrganizationId, createdAt, updatedAt, expiresAt }
  }

  async function makeToken(email: string, lifeMs: number): Promise<string> {
    let token: string | undefined
    const metadata: LinkRequest = {
      made(each) {
        token = each
      },
    }
    const { api } = await auth(lifeMs / 1000)
    await api
      .signInMagicLink({ body: { email: email.toLowerCase(), metadata: { ...metadata } }, headers: new Headers() })
      .catch((error: unknown) => {
        // better-auth rejects some email addresses that the command line accepts.
        if ((error as { statusCode?: unknown }).statusCode !== 400) throw error
        throw validationFailed([
          { pointer: '/email', code: 'format', message: 'is not an email address that can be used to sign in' },
        ])
      })
    if (token === undefined) throw new Error('Expected a sign-in link.')
    return token
  }

  async function redeem(
    token: string,
    { address, device }: { address: string | null; device: string | null },
  ): Promise<OpenedSession | null> {
    const headers = new Headers({ [ADDRESS_HEADER]: address ?? '' })
    const { api } = await auth()
    const answer = await api
      .magicLinkVerify({ query: { token }, headers, returnHeaders: true })
      .catch((error: unknown) => {
        // better-auth throws this error to redirect the browser to an error page.
        if ((error as { status?: unknown }).status === 'FOUND') return null
        throw error
      })
    if (answer === null) return null
    const { response, headers: set } = answer
    const setCookie = setCookieOf(set)
    const { session, user } = response as unknown as { session: FoundSession; user: { email: string } }
    const createdAt = clock.now()
    // Store the device here instead of passing it in a header, because a header cannot contain all texts.
    await db
      .updateTable('sessions')
      .set({ userAgent: device, createdAt: createdAt.toISOString() })
      .where('id', '=', session.id)
      .execute()
    return {
      session: stateOf({ ...session, createdAt }, user.email, readCookie(setCookie, cookieName) ?? ''),
      setCookie,
    }
  }

  return {
    async makeLink(email, lifeMs) {
      const token = await makeToken(email, lifeMs)
      return { url: toSignInUrl(config.publicUrl, token), expiresAt: new Date(Date.now() + lifeMs) }
    },

    redeem,

    // Uses an internal sign-in link, so that all sessions are created in the same way.
    async admit(email, from) {
      return redeem(await makeToken(email, INTERNAL_LINK_MS), from)
    },

    async find(cookie) {
      const { api } = await auth()
      const found = await api.getSession({ headers: cookieHeader(cookie), query: { disableRefresh: true } })
      return found === null ? null : stateOf(found.session, found.user.email, cookie)
    },

    async lengthen(cookie) {
      const { api } = await auth()
      const { response: found, headers } = await api.getSession({
        headers: cookieHeader(cookie),
        returnHeaders: true,
      })
      if (found === null) return null
      return { session: stateOf(found.session, found.user.email, cookie), setCookie: setCookieOf(headers) }
    },

    clearing: `${cookieName}=; Max-Age=0; Path=/; HttpOnly;${secure ? ' Secure;' : ''} SameSite=Lax`,
  }
}

/** Receives the token of the sign-in link that was requested. */
interface LinkRequest {
  made(token: string): void
}

interface FoundSession {
  id: string
  userId: string
  activeOrganizationId?: string | null | undefined
  createdAt: Date
  updatedAt: Date
  expiresAt: Date
}

/**
 * The header that contains the client address for better-auth. The service determines the address by its own rules (see
 * client-address.ts).
 */
const ADDRESS_HEADER = 'x-plumbline-client'

const PREFIXES: Readonly<Record<string, string>> = {
  session: 'ses',
  sessions: 'ses',
  verification: 'lnk',
  signInLinks: 'lnk',
}

function isLoopback(hostname: string): boolean {
  return /^(localhost|\[::1\]|127(\.\d+){3})$/i.test(hostname)
}

/**
 * Converts timestamps to Date objects. The database connections return timestamps as texts, and better-auth compares
 * them with Date objects. A text is neither before nor after a Date, so without this plugin no session would ever end.
 */
class TimestampPlugin implements KyselyPlugin {
  transformQuery({ node }: Parameters<KyselyPlugin['transformQuery']>[0]) {
    return node
  }

  async transformResult({ result }: Parameters<KyselyPlugin['transformResult']>[0]) {
    const rows = result.rows.map((row) =>
      Object.fromEntries(
        Object.entries(row).map(([name, value]) => [
          name,
          name.endsWith('At') && typeof value === 'string' ? new Date(value) : value,
        ]),
      ),
    )
    return { ...result, rows }
  }
}
