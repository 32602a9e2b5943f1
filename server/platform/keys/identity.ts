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
 * Manages identities for sign-in. An identity is an email address, and represents the users with that address: one in
 * each of several organizations. better-auth creates and redeems one-time links, signs the cookie, and stores the
 * sessions. principals.ts determines on every request which user a session represents.
 *
 * No routes of better-auth are mounted; the contract's operations call better-auth in this process. Limits, same-origin
 * checks, and problems are therefore the same as in all other operations.
 */
export interface Identity {
  /**
   * Creates a one-time sign-in link for this email address. The caller must know that the address belongs to a user.
   * Use only a few different values of `lifeMs`, because each value has its own better-auth instance. Throws
   * `validation_failed` for an email address that better-auth does not accept.
   */
  makeLink(email: string, lifeMs: number): Promise<SignInLink>
  /** Redeems a sign-in link and opens a session; null if the link was used, has expired, or never existed. */
  redeem(token: string, from: { address: string | null; device: string | null }): Promise<OpenedSession | null>
  /**
   * Opens a session for the owner of this email address, who has proved ownership without a link; null if no user has
   * the address.
   */
  admit(email: string, from: { address: string | null; device: string | null }): Promise<OpenedSession | null>
  /** Returns the session of this cookie; null if there is no session or it has ended. */
  find(cookie: string): Promise<SessionState | null>
  /** Extends the session, and returns the session with the cookie to set; null if the session has ended. */
  lengthen(cookie: string): Promise<OpenedSession | null>
  /** The `Set-Cookie` header that deletes the cookie. */
  readonly clearing: string
}

export interface SignInLink {
  url: string
  expiresAt: Date
}

/** A stored session, with the cookie that represents the session in requests. */
export interface SessionState {
  readonly id: string
  readonly identityId: string
  /** In lowercase. */
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

/** Time that an unused session lasts, and interval at which a session in use is extended, in seconds. */
const SESSION_LIFETIME_S = 14 * DAY_S
export const SESSION_EXTENSION_INTERVAL_MS = DAY_S * 1000

/** Lifetime of a link that is redeemed immediately, in milliseconds. */
const INTERNAL_LINK_MS = 60_000

/**
 * Returns the URL of the page that waits for a click before it redeems a sign-in link. The part after the # is never
 * sent to a server or a proxy.
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
  // Changing the encryption key signs out all users. Signing out all users is intended in this case.
  const secret = Buffer.from(hkdfSync('sha256', config.encryptionKey, '', 'plumbline sessions', 32)).toString('hex')

  /** Returns a better-auth instance whose links all have this lifetime. */
  async function open(lifeS: number) {
    // better-auth is loaded at the first sign-in, so that a service that only programs use starts without it.
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
        // The cookie name has Plumbline's prefix instead of better-auth's.
        useSecureCookies: false,
        ipAddress: { ipAddressHeaders: [ADDRESS_HEADER] },
        database: {
          generateId: ({ model }) => typeid(PREFIXES[model] ?? 'idn').toString(),
          // There is no table for external accounts or passwords, because users do not sign in with them.
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

  /** Returns the header that sets the session cookie; empty if there is no such header. */
  function setCookieOf(headers: Headers): string {
    return headers.getSetCookie().find((each) => each.startsWith(`${cookieName}=`)) ?? ''
  }

  const opened = new Map<number, ReturnType<typeof open>>()
  function auth(lifeS = SESSION_LIFETIME_S) {
    const found = opened.get(lifeS) ?? open(lifeS)
    opened.set(lifeS, found)
    return found
  }

  /** Converts better-auth's session. */
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
        // better-auth accepts fewer email addresses than the command line does.
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
        // With this error, better-auth would redirect the browser to an error page.
        if ((error as { status?: unknown }).status === 'FOUND') return null
        throw error
      })
    if (answer === null) return null
    const { response, headers: set } = answer
    const setCookie = setCookieOf(set)
    const { session, user } = response as unknown as { session: FoundSession; user: { email: string } }
    const createdAt = clock.now()
    // The device is stored here instead of being passed as a header, because a header cannot contain every text.
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

    // Uses an internal link, so that all sessions begin in the same way.
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

/** Receives the token of a requested link. */
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
 * The header that passes the client's address to better-auth. The service determines the address by its own rule
 * (client-address.ts).
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
 * The database connections return timestamps as texts, as in JSON. better-auth compares timestamps with Date objects. A
 * text is neither before nor after a Date, so without this plugin no session would ever end.
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
