import { hkdfSync } from 'node:crypto'
import type { KyselyPlugin } from 'kysely'
import { typeid } from 'typeid-js'
import { cookieValue, isHttps } from '../calls/host-cookie.ts'
import type { Config } from '../config/config.ts'
import type { Database } from '../database/database.ts'
import { invalid } from '../problems/problem.ts'
import type { Clock } from '../runtime/clock.ts'
import { sessionCookieName } from './session-cookie.ts'

/**
 * Who signs in. An identity is an e-mail address, and stands for the users that have it: one in each of several
 * organizations. better-auth makes and spends one-time links, signs the cookie and keeps the sessions; which user a session
 * stands for is decided in principals.ts, on every request.
 *
 * None of better-auth's routes is mounted: the contract's operations call it in this process. So limits, same-origin
 * checks and problems are those of all operations.
 */
export interface Identity {
  /**
   * Makes a one-time link for whoever reads mails to this address; the caller knows that they work here. Of lives there
   * are only a few. Throws `validation_failed` for what is no usual address.
   */
  makeLink(email: string, lifeMs: number): Promise<SignInLink>
  /** Spends a link, and opens a session; null if the link was spent, is too old, or never was. */
  redeem(token: string, from: { address: string | null; device: string | null }): Promise<OpenedSession | null>
  /**
   * Opens a session for whoever has this address, who has shown by other means than a link that it is theirs; null if nobody
   * has it.
   */
  admit(email: string, from: { address: string | null; device: string | null }): Promise<OpenedSession | null>
  /** The session of this cookie; null if there is none or it has ended. */
  find(cookie: string): Promise<SessionState | null>
  /** Lengthens the session, and returns it with the cookie to set; null if it has ended. */
  lengthen(cookie: string): Promise<OpenedSession | null>
  /** The `Set-Cookie` that takes the cookie away. */
  readonly clearing: string
}

export interface SignInLink {
  url: string
  expiresAt: Date
}

/** A session as it is kept, with what stands for it in requests. */
export interface SessionState {
  readonly id: string
  readonly identityId: string
  /** In lower case. */
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

/** How long a session lasts that nobody uses, and how often one that is used is lengthened. */
const LIFE_S = 14 * DAY_S
export const LENGTHENED_EVERY_MS = DAY_S * 1000

/** A link that is spent at once. */
const UNSEEN_LINK_MS = 60_000

/** The page that asks for a click before it spends a link. What follows the # is never sent to a server or a proxy. */
export function linkTo(publicUrl: string, token: string): string {
  return `${publicUrl}/sign-in#token=${token}`
}

export function openIdentity({
  database,
  clock,
  config,
}: {
  database: Database
  clock: Clock
  config: Config
}): Identity {
  const cookieName = sessionCookieName(config.publicUrl)
  const secure = isHttps(config.publicUrl) || !isLoopback(new URL(config.publicUrl).hostname)
  const db = database.statements.withPlugin(new Instants())
  // A change of the encryption key signs everybody out, which is what it is for.
  const secret = Buffer.from(hkdfSync('sha256', config.encryptionKey, '', 'plumbline sessions', 32)).toString('hex')

  /** An instance whose links all live so long. */
  async function open(lifeS: number) {
    // Loaded when somebody first signs in: a service that only programs use starts without it.
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
        expiresIn: LIFE_S,
        updateAge: DAY_S,
        additionalFields: { activeOrganizationId: { type: 'string', required: false, input: false } },
      },
      verification: { modelName: 'signInLinks' },
      advanced: {
        cookies: { session_token: { name: cookieName, attributes: { secure } } },
        // The name has our prefix, and not that of better-auth.
        useSecureCookies: false,
        ipAddress: { ipAddressHeaders: [ADDRESS_HEADER] },
        database: {
          generateId: ({ model }) => typeid(PREFIXES[model] ?? 'idn').toString(),
          // There is no table for accounts elsewhere, because nobody signs in by one, and no password.
          validateSchema: false,
        },
      },
      plugins: [
        magicLink({
          expiresIn: lifeS,
          storeToken: 'hashed',
          sendMagicLink: ({ token, metadata }) => (metadata as Making).made(token),
        }),
      ],
    })
  }

  function cookieHeader(cookie: string): Headers {
    return new Headers({ cookie: `${cookieName}=${cookie}` })
  }

  /** The header that sets the session cookie; empty if there is none. */
  function setCookieOf(headers: Headers): string {
    return headers.getSetCookie().find((each) => each.startsWith(`${cookieName}=`)) ?? ''
  }

  const opened = new Map<number, ReturnType<typeof open>>()
  function auth(lifeS = LIFE_S) {
    const found = opened.get(lifeS) ?? open(lifeS)
    opened.set(lifeS, found)
    return found
  }

  /** What better-auth answers about a session, in our words. */
  function stateOf(found: FoundSession, email: string, cookie: string): SessionState {
    const { id, userId, activeOrganizationId = null, createdAt, updatedAt, expiresAt } = found
    return { id, identityId: userId, email, cookie, activeOrganizationId, createdAt, updatedAt, expiresAt }
  }

  async function makeToken(email: string, lifeMs: number): Promise<string> {
    let token: string | undefined
    const metadata: Making = {
      made(each) {
        token = each
      },
    }
    const { api } = await auth(lifeMs / 1000)
    await api
      .signInMagicLink({ body: { email: email.toLowerCase(), metadata: { ...metadata } }, headers: new Headers() })
      .catch((error: unknown) => {
        // It takes fewer addresses than can be written into the command line.
        if ((error as { statusCode?: unknown }).statusCode !== 400) throw error
        throw invalid([
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
        // It would lead a browser to a page that says so.
        if ((error as { status?: unknown }).status === 'FOUND') return null
        throw error
      })
    if (answer === null) return null
    const { response, headers: set } = answer
    const setCookie = setCookieOf(set)
    const { session, user } = response as unknown as { session: FoundSession; user: { email: string } }
    const createdAt = clock.now()
    // The device is not passed as a header, which cannot hold every text.
    await db
      .updateTable('sessions')
      .set({ userAgent: device, createdAt: createdAt.toISOString() })
      .where('id', '=', session.id)
      .execute()
    return {
      session: stateOf({ ...session, createdAt }, user.email, cookieValue(setCookie, cookieName) ?? ''),
      setCookie,
    }
  }

  return {
    async makeLink(email, lifeMs) {
      const token = await makeToken(email, lifeMs)
      return { url: linkTo(config.publicUrl, token), expiresAt: new Date(Date.now() + lifeMs) }
    },

    redeem,

    // By a link that nobody gets to see, so that there is one way in which sessions begin.
    async admit(email, from) {
      return redeem(await makeToken(email, UNSEEN_LINK_MS), from)
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

/** How whoever asked for a link gets its token. */
interface Making {
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

/** The header in which better-auth is told where a client is, by our own rule (http/client-address.ts). */
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
 * Our connections give instants as texts, as JSON has them. better-auth compares them with dates, and a text is neither
 * before nor after a date, so that no session would ever end.
 */
class Instants implements KyselyPlugin {
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
